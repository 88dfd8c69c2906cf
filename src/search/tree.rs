//! The tree of one search: an arena of nodes that is kept from one search to the next. It grows,
//! backs values up and spreads proofs; which action to follow is asked of a [`super::simulate::Rule`].
//!
//! Values are kept for a fixed side and turned by who acts in a position, never by parity. Children
//! are made of legal actions only: what history forbids is filtered where a node is expanded, with
//! the history of its own path. A number that is not finite never enters.

use super::advice::Hint;
use super::evaluator::{Evaluation, Leaf};
use super::expand::most_repeated;
use super::formulas::quick_bonus;
use super::node::{Edge, NONE, Node, ROOT};
use super::proven::{Proof, combine};
use super::{Wdl, WdlPov};
use crate::endgame::Oracle;
use crate::game::{ActionList, Game, History, Line, Occurrence, Side};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The lowest logit beside the highest: an action can be unlikely, but never out of reach.
const LOWEST_LOGIT: f32 = -60.0;

/// The position of a node, apart from its statistics, which are read far more often.
#[derive(Clone, Debug)]
pub(super) struct Place<P> {
    pub position: P,
    pub occurrence: Option<Occurrence>,
    /// How often the most frequent counted position has occurred on the way here.
    pub most_repeated: u32,
}

/// A node that waits for its evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub node: u32,
    /// Where its edges' places among the leaf's actions begin in `slots`.
    pub slots_from: usize,
    /// Number of the leaf's actions, forbidden ones included.
    pub actions: usize,
}

/// What became of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It added a leaf and waits.
    Leaf,
    /// It met a certain result and is backed up.
    Known,
    /// It met a node that waits already; nothing has changed.
    Collision,
}

/// What a search likes beside winning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taste {
    /// The most that a quicker win can add to a value: see [`quick_bonus`].
    pub quick_win: f32,
    /// What a draw costs the root's side.
    pub draw_penalty: f32,
}

/// The tree of one search.
#[derive(Clone, Debug)]
pub struct Tree<G: Game> {
    pub(super) game: G,
    /// The root's history; during a simulation that of the node reached.
    pub(super) history: History,
    pub(super) nodes: Vec<Node>,
    pub(super) places: Vec<Place<G::Position>>,
    pub(super) edges: Vec<Edge<G::Action>>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) slots: Vec<u32>,
    pub(super) actions: ActionList<G::Action>,
    /// Look for ends of the game in every new position, not in the root alone.
    pub(super) look_everywhere: bool,
    /// See [`quick_bonus`].
    quick_win: f32,
    /// How much less than nothing a draw is worth to the root's side, and more to the other.
    draw_penalty: f32,
    fallbacks: u64,
    /// Who knows the truth about some positions, if anyone is asked.
    pub(super) oracle: Option<Arc<dyn Oracle<G>>>,
    /// What the oracle said without certainty, by node.
    pub(super) hints: FxHashMap<u32, Hint>,
    /// The evaluator's guess at the root.
    plies_left: f32,
}

/// Memory of a tree after so many visits in positions of `actions` actions, in bytes at most.
pub fn tree_bytes<G: Game>(visits: u64, actions: u64) -> u64 {
    let node = size_of::<Node>() + size_of::<Place<G::Position>>();
    let edges = actions.saturating_mul(size_of::<Edge<G::Action>>() as u64);
    // Arrays double when they are full.
    2 * visits.saturating_add(1).saturating_mul(edges.saturating_add(node as u64))
}

impl<G: Game> Tree<G> {
    /// A tree of the root alone.
    pub fn new(root: &Line<G>, look_everywhere: bool, taste: Taste) -> Self {
        let mut tree = Self {
            game: root.game().clone(),
            history: History::default(),
            nodes: Vec::new(),
            places: Vec::new(),
            edges: Vec::new(),
            waiting: Vec::new(),
            slots: Vec::new(),
            actions: Vec::new(),
            look_everywhere,
            quick_win: taste.quick_win,
            draw_penalty: taste.draw_penalty,
            fallbacks: 0,
            oracle: None,
            hints: FxHashMap::default(),
            plies_left: 0.0,
        };
        tree.reset(root);
        tree
    }

    /// Starts anew at `root` and keeps the memory.
    pub fn reset(&mut self, root: &Line<G>) {
        self.game = root.game().clone();
        self.history = root.history().clone();
        self.nodes.clear();
        self.places.clear();
        self.edges.clear();
        self.waiting.clear();
        self.slots.clear();
        self.hints.clear();
        self.plies_left = 0.0;
        let proof = root.outcome().map(|outcome| Proof { winner: outcome.winner, plies: 0 });
        let most_repeated = match self.game.forbidden_occurrence() {
            Some(_) => most_repeated(&self.history),
            None => 0,
        };
        self.add(
            NONE,
            Place {
                position: root.position().clone(),
                occurrence: self.game.occurrence(root.position()),
                most_repeated,
            },
            proof,
        );
    }

    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub fn root(&self) -> &Node {
        self.node(ROOT)
    }

    /// Indices of a node's edges: its legal actions in order.
    pub fn edges_of(&self, node: u32) -> Range<usize> {
        let node = self.node(node);
        node.edges_from as usize..node.edges_to as usize
    }

    pub fn edge(&self, edge: usize) -> &Edge<G::Action> {
        &self.edges[edge]
    }

    /// The node an edge leads to, if it was followed.
    pub fn child(&self, edge: &Edge<G::Action>) -> Option<&Node> {
        self.nodes.get(edge.child as usize)
    }

    /// Replaces the prior that the search uses.
    pub fn set_prior(&mut self, edge: usize, prior: f32) {
        self.edges[edge].prior = prior;
    }

    /// A node's edges with the nodes they lead to.
    pub fn children(
        &self,
        node: u32,
    ) -> impl Iterator<Item = (usize, &Edge<G::Action>, Option<&Node>)> {
        self.edges_of(node).map(|index| {
            let edge = &self.edges[index];
            (index, edge, self.child(edge))
        })
    }

    /// What chances are worth to `actor`, from -1 to 1. The search is the root's: what a draw
    /// costs its side, it is taken to gain the other.
    pub fn worth(&self, chances: Wdl, actor: Side) -> f32 {
        let pov = chances.pov(actor);
        let penalty =
            if actor == self.root().turn { self.draw_penalty } else { -self.draw_penalty };
        pov.value() - penalty * pov.draw
    }

    /// How `parent`'s actor likes a child: its value and a little for being quick. `None` while
    /// nothing is known of it.
    pub fn liking(&self, parent: &Node, child: &Node) -> Option<f32> {
        let value = self.worth(child.wdl()?, parent.turn);
        if child.proof.is_some() || self.quick_win == 0.0 {
            return Some(value);
        }
        let saved = parent.mean_plies() - (child.mean_plies() + 1.0);
        Some(value + quick_bonus(value, saved, self.quick_win))
    }

    /// Simulations begun since the root was evaluated.
    pub fn simulations(&self) -> u32 {
        self.root().begun().saturating_sub(1)
    }

    /// Has nobody asked for the root's evaluation yet?
    pub fn is_unasked(&self) -> bool {
        let root = self.root();
        root.proof.is_none() && root.begun() == 0
    }

    /// Do leaves wait for their evaluations?
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The evaluator's guess of the plies left at the root.
    pub fn plies_left(&self) -> f32 {
        self.plies_left
    }

    /// Evaluations so far whose logits or values could not be used.
    pub fn fallbacks(&self) -> u64 {
        self.fallbacks
    }

    /// Asks for the root's evaluation: adds it to `leaves`, or is `false` if no action is legal.
    pub fn ask_root(&mut self, leaves: &mut Vec<Leaf<G>>) -> bool {
        if !self.expand(ROOT, leaves) {
            return false;
        }
        self.nodes[ROOT as usize].pending = 1;
        true
    }

    /// Goes down from the root, along the edges that `choose` names, to a new or a proven node.
    pub fn simulate(
        &mut self,
        mut choose: impl FnMut(&Self, u32) -> usize,
        leaves: &mut Vec<Leaf<G>>,
    ) -> Step {
        let mark = self.history.mark();
        let mut node = ROOT;
        let (reached, step) = loop {
            let edge = choose(self, node);
            let child = self.edges[edge].child;
            if child == NONE {
                let child = self.follow(node, edge);
                let ended = self.node(child).proof.is_some();
                let step =
                    if !ended && self.expand(child, leaves) { Step::Leaf } else { Step::Known };
                break (child, step);
            }
            self.history.push(self.places[child as usize].occurrence);
            let known = self.node(child);
            if known.proof.is_some() {
                break (child, Step::Known);
            }
            if !known.evaluated {
                break (child, Step::Collision);
            }
            node = child;
        };
        self.history.rewind(mark);
        match step {
            Step::Leaf => self.hold(reached),
            Step::Known => {
                self.spread(reached);
                self.back_up(reached, Wdl::default(), 0.0, false);
            }
            Step::Collision => {}
        }
        step
    }

    /// Takes the evaluations of the waiting leaves, in their order.
    pub fn take(&mut self, evaluations: &[Evaluation]) {
        assert_eq!(self.waiting.len(), evaluations.len(), "one evaluation for each leaf");
        let waiting = std::mem::take(&mut self.waiting);
        for (&waiting, evaluation) in waiting.iter().zip(evaluations) {
            let turn = self.node(waiting.node).turn;
            let logits_fit = self.take_logits(waiting, &evaluation.logits);
            let value = sound(evaluation.value);
            if !logits_fit || value.is_none() {
                self.fallbacks += 1;
            }
            let value = value.unwrap_or(EVEN).fixed(turn);
            let value = self.hints.get(&waiting.node).map_or(value, |hint| hint.weigh(value));
            let node = &mut self.nodes[waiting.node as usize];
            node.raw = value;
            node.evaluated = true;
            let plies = evaluation.plies_left;
            let plies = if plies.is_finite() { plies.max(0.0) } else { 0.0 };
            if waiting.node == ROOT {
                self.plies_left = plies;
            }
            self.back_up(waiting.node, value, plies, true);
        }
        self.waiting = waiting;
        self.waiting.clear();
        self.slots.clear();
    }

    /// Sets the logits and priors of a node's edges; uniform, and `false`, if they are no use.
    fn take_logits(&mut self, waiting: Waiting, logits: &[f32]) -> bool {
        let range = self.edges_of(waiting.node);
        let slots = &self.slots[waiting.slots_from..][..range.len()];
        let edges = &mut self.edges[range];
        let fit = logits.len() == waiting.actions;
        let mut highest = f32::NEG_INFINITY;
        let mut sound = fit;
        if fit {
            for &slot in slots {
                let logit = logits[slot as usize];
                sound &= logit < f32::INFINITY; // false for NaN
                highest = highest.max(logit);
            }
            sound &= highest > f32::NEG_INFINITY;
        }
        let mut sum = 0.0;
        for (edge, &slot) in edges.iter_mut().zip(slots) {
            edge.logit =
                if sound { (logits[slot as usize] - highest).max(LOWEST_LOGIT) } else { 0.0 };
            edge.prior = edge.logit.exp();
            sum += edge.prior;
        }
        for edge in edges {
            edge.prior /= sum;
        }
        sound
    }

    /// What the children prove of a node.
    pub(super) fn combined(&self, node: u32) -> Option<Proof> {
        let proofs = self.children(node).map(|(_, _, child)| child.and_then(|child| child.proof));
        combine(self.node(node).turn, proofs)
    }

    /// Carries the proof of a node up as far as it proves anything.
    fn spread(&mut self, node: u32) {
        let mut node = self.node(node).parent;
        while node != NONE {
            let proof = self.combined(node);
            if proof.is_none() || proof == self.node(node).proof {
                return;
            }
            self.nodes[node as usize].proof = proof;
            node = self.node(node).parent;
        }
    }

    /// Marks the way to a leaf as pending.
    fn hold(&mut self, mut node: u32) {
        while node != NONE {
            let passed = &mut self.nodes[node as usize];
            passed.pending += 1;
            node = passed.parent;
        }
    }

    /// Adds a result to a node and all above it; a proven node passes on what is proven of it.
    fn back_up(&mut self, mut node: u32, mut value: Wdl, mut plies: f32, waited: bool) {
        while node != NONE {
            let passed = &mut self.nodes[node as usize];
            if let Some(proof) = passed.proof {
                value = proof.wdl();
                plies = proof.plies as f32;
            }
            passed.add(value, plies);
            passed.pending -= u32::from(waited);
            plies += 1.0;
            node = passed.parent;
        }
    }
}

/// What an unusable value is replaced by.
const EVEN: WdlPov = WdlPov { win: 0.25, draw: 0.5, loss: 0.25 };

/// The chances, if they are chances.
fn sound(value: WdlPov) -> Option<WdlPov> {
    let each = [value.win, value.draw, value.loss];
    let sum: f32 = each.iter().sum();
    (each.iter().all(|&chance| chance >= 0.0) && (sum - 1.0).abs() < 0.01).then_some(value)
}
