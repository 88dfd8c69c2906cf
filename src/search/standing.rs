//! Which actions still stand, given what is proven, and which of them looks best. Chooses at the end
//! of a search and along the expected line; what to visit is a [`super::simulate::Rule`]'s affair.

use super::Proven;
use super::node::NONE;
use super::proven::Proof;
use super::tree::Tree;
use crate::game::Game;

/// Among a node's admissible actions the most visited, then the better value, then the likelier.
pub fn most_visited<G: Game>(tree: &Tree<G>, node: u32, admissible: &[bool]) -> usize {
    let parent = tree.node(node);
    let mut best = 0;
    let mut best_key = None;
    for (place, ((_, edge, child), _)) in
        tree.children(node).zip(admissible).enumerate().filter(|(_, (_, stands))| **stands)
    {
        let value = child.and_then(|child| tree.liking(parent, child)).unwrap_or(-2.0);
        let key = (child.map_or(0, |child| child.visits), value, edge.logit);
        if best_key.is_none_or(|best| key > best) {
            best_key = Some(key);
            best = place;
        }
    }
    best
}

/// Which of a node's actions may be played: the quickest proven wins; without one, all that are
/// not proven losses; if all are, the slowest.
pub fn admissible<G: Game>(tree: &Tree<G>, node: u32) -> Vec<bool> {
    let actor = tree.node(node).turn;
    let proofs: Vec<Option<Proof>> =
        tree.children(node).map(|(_, _, child)| child.and_then(|child| child.proof)).collect();
    let known = |proof: Option<Proof>| proof.map(|proof| proof.pov(actor));
    let best = proofs.iter().flatten().copied().max_by(|left, right| left.compare(*right, actor));
    let all_lost = proofs.iter().all(|&proof| known(proof) == Some(Proven::Loss));
    let best_decides = all_lost || known(best) == Some(Proven::Win);
    proofs
        .iter()
        .map(|&proof| if best_decides { proof == best } else { known(proof) != Some(Proven::Loss) })
        .collect()
}

/// The line that both sides are expected to play, after the root action `best`: in each position
/// the most visited action that stands, as far as anything was seen.
pub fn expected<G: Game>(tree: &Tree<G>, node: u32, best: usize) -> Vec<G::Action> {
    let mut line = Vec::new();
    let (mut node, mut place) = (node, best);
    loop {
        let edge = tree.edge(tree.edges_of(node).start + place);
        line.push(edge.action);
        if edge.child == NONE {
            return line;
        }
        node = edge.child;
        let mut seen = tree.children(node).filter_map(|(_, _, child)| child);
        if seen.all(|child| child.wdl().is_none()) {
            return line;
        }
        place = most_visited(tree, node, &admissible(tree, node));
    }
}
