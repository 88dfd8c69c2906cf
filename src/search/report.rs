//! What a search tells about its root. Reads the tree, changes nothing.

use super::formulas::{mixed_value, softmax};
use super::node::{Node, ROOT};
use super::simulate::Rule;
use super::standing::{admissible, expected};
use super::tree::Tree;
use super::{ActionReport, Proven, Report, WdlPov};
use crate::game::Game;

/// The report of a search that has not begun.
pub fn empty<G: Game>() -> Report<G> {
    Report {
        actions: Vec::new(),
        best: 0,
        root: WdlPov::DRAW,
        raw: WdlPov::DRAW,
        proven: None,
        plies_left: 0.0,
        visits: 0,
        expected: Vec::new(),
    }
}

/// The report of a tree searched by `rule`.
pub fn build<G: Game, R: Rule>(tree: &Tree<G>, rule: &R) -> Report<G> {
    let root = tree.root();
    let actor = root.turn;
    let raw = root.raw.pov(actor);
    let proven = root.proof.map(|proof| proof.pov(actor));
    if tree.edges_of(ROOT).is_empty() {
        let root = root.proof.map_or(WdlPov::DRAW, |proof| proof.wdl().pov(actor));
        return Report { root, raw: root, proven, ..empty() };
    }
    let standing = admissible(tree, ROOT);
    let mut target = Vec::new();
    rule.target(tree, &standing, &mut target);
    let best = rule.best(tree, &standing);
    // The evaluator's own prior: the edges may carry noise.
    let logits: Vec<f32> = tree.children(ROOT).map(|(_, edge, _)| edge.logit).collect();
    let mut priors = Vec::new();
    softmax(&logits, &mut priors);
    let actions: Vec<ActionReport<G::Action>> = tree
        .children(ROOT)
        .zip(priors.iter().zip(&target))
        .map(|((_, edge, child), (&prior, &target))| ActionReport {
            action: edge.action,
            visits: child.map_or(0, |child| child.visits),
            prior,
            target,
            value: child.and_then(Node::wdl).map(|wdl| wdl.pov(actor)),
            proven: child.and_then(|child| child.proof).map(|proof| proof.pov(actor)),
        })
        .collect();
    let value = match root.proof {
        Some(proof) => proof.wdl().pov(actor),
        None => target_value(raw, &actions),
    };
    Report {
        best,
        root: value,
        raw,
        proven,
        plies_left: tree.plies_left(),
        visits: tree.simulations(),
        expected: expected(tree, ROOT, best),
        actions,
    }
}

/// The value of playing by the policy target; an action without a value counts as v_mix, taken for
/// win, draw and loss apart.
fn target_value<A>(raw: WdlPov, actions: &[ActionReport<A>]) -> WdlPov {
    let standing = |action: &&ActionReport<A>| action.proven != Some(Proven::Loss);
    let seen = || actions.iter().filter(standing).filter_map(|a| Some((a, a.value?)));
    let visits = seen().map(|(action, _)| action.visits).sum();
    let prior = seen().map(|(action, _)| action.prior).sum();
    let part = |raw: f32, pick: fn(WdlPov) -> f32| {
        let weighted = seen().map(|(action, value)| action.prior * pick(value)).sum();
        let mixed = mixed_value(raw, visits, prior, weighted);
        actions.iter().map(|action| action.target * action.value.map_or(mixed, pick)).sum()
    };
    WdlPov {
        win: part(raw.win, |value| value.win),
        draw: part(raw.draw, |value| value.draw),
        loss: part(raw.loss, |value| value.loss),
    }
}
