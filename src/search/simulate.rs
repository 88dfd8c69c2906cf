//! The course of a search, the same for all kinds: root, simulations in rounds, end. What differs
//! between the kinds is a [`Rule`].

use super::evaluator::{Evaluation, Leaf};
use super::settings::{LookAhead, SearchSettings};
use super::tree::{Step, Taste, Tree};
use super::{Plan, Report, Search, Status, report};
use crate::endgame::Oracle;
use crate::game::{Game, Line};
use std::sync::Arc;

/// How a search chooses.
pub trait Rule: Send {
    /// The rule with its constants.
    fn new(settings: &SearchSettings) -> Self
    where
        Self: Sized;

    /// The root has just been evaluated: draw noise, make a schedule.
    fn prepare<G: Game>(&mut self, tree: &mut Tree<G>, plan: &Plan);

    /// The edge to follow from an evaluated, unproven node.
    fn choose<G: Game>(&mut self, tree: &Tree<G>, node: u32) -> usize;

    /// Writes the policy target over the root's actions; zero outside `admissible`, summing to 1.
    fn target<G: Game>(&self, tree: &Tree<G>, admissible: &[bool], out: &mut Vec<f32>);

    /// The action to play, as an index among the root's actions; one of the `admissible`.
    fn best<G: Game>(&self, tree: &Tree<G>, admissible: &[bool]) -> usize;
}

/// A search by a rule.
#[derive(Clone, Debug)]
pub struct Simulator<G: Game, R> {
    rule: R,
    tree: Option<Tree<G>>,
    plan: Plan,
    look_everywhere: bool,
    taste: Taste,
    oracle: Option<Arc<dyn Oracle<G>>>,
}

impl<G: Game, R: Rule> Simulator<G, R> {
    /// A search that has not begun.
    pub fn new(settings: &SearchSettings) -> Self {
        Self {
            rule: R::new(settings),
            tree: None,
            plan: Plan { visits: 0, leaves: 1, explore: false, seed: 0 },
            look_everywhere: settings.look_ahead == LookAhead::Every,
            taste: Taste {
                quick_win: settings.quick_win as f32,
                draw_penalty: settings.draw_penalty as f32,
            },
            oracle: None,
        }
    }

    /// The same search, asking `oracle` about each new position.
    pub fn with_oracle(mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Self {
        self.oracle = oracle;
        self
    }

    #[cfg(test)]
    pub fn tree(&self) -> &Tree<G> {
        self.tree.as_ref().unwrap()
    }
}

/// Nothing is left to be found out: proven, or one action only and no need of its value.
fn is_settled<G: Game>(tree: &Tree<G>, plan: &Plan) -> bool {
    tree.root().proof.is_some() || (!plan.explore && tree.edges_of(super::node::ROOT).len() == 1)
}

impl<G: Game, R: Rule> Search<G> for Simulator<G, R> {
    fn begin(&mut self, root: &Line<G>, plan: &Plan) {
        self.plan = *plan;
        match &mut self.tree {
            Some(tree) => tree.reset(root),
            None => {
                let mut tree = Tree::new(root, self.look_everywhere, self.taste);
                tree.oracle.clone_from(&self.oracle);
                self.tree = Some(tree);
            }
        }
    }

    fn gather(&mut self, leaves: &mut Vec<Leaf<G>>) -> Status {
        let Self { rule, tree: Some(tree), plan, .. } = self else { return Status::Done };
        assert!(!tree.is_waiting(), "the last leaves are still to be evaluated");
        if tree.is_unasked() {
            return if tree.ask_root(leaves) { Status::Waiting(1) } else { Status::Done };
        }
        let mut added = 0;
        while added < plan.leaves.max(1) as usize
            && tree.simulations() < plan.visits
            && !is_settled(tree, plan)
        {
            match tree.simulate(|tree, node| rule.choose(tree, node), leaves) {
                Step::Leaf => added += 1,
                Step::Known => {}
                Step::Collision => break,
            }
        }
        if added == 0 { Status::Done } else { Status::Waiting(added) }
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        let Some(tree) = &mut self.tree else { return };
        let first = tree.root().visits == 0;
        tree.take(evaluations);
        if first && tree.root().visits > 0 {
            self.rule.prepare(tree, &self.plan);
        }
    }

    fn report(&self) -> Report<G> {
        match &self.tree {
            Some(tree) => report::build(tree, &self.rule),
            None => report::empty(),
        }
    }

    fn fallbacks(&self) -> u64 {
        self.tree.as_ref().map_or(0, Tree::fallbacks)
    }
}
