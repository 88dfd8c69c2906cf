//! Counting the leaves of the tree of actions, the measure of a rules engine. History is left
//! aside: repetition neither ends a game here nor forbids an action.

use super::Game;

/// Leaves at `depth`: a finished game has no further actions; at depth 1 the number of actions,
/// at depth 0 one.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    let mut buffers = vec![Vec::new(); depth.saturating_sub(1) as usize];
    count(game, position, &mut buffers, depth)
}

/// The actions of `position`, sorted, each with the leaves at `depth` behind it; they sum to
/// [`perft`]. Empty at depth 0.
pub fn divide<G: Game>(game: &G, position: &G::Position, depth: u32) -> Vec<(G::Action, u64)> {
    let mut actions = Vec::new();
    if depth > 0 {
        game.actions(position, &mut actions);
    }
    let leaves = |action| {
        let mut next = position.clone();
        game.play(&mut next, action);
        perft(game, &next, depth - 1)
    };
    actions.into_iter().map(|action| (action, leaves(action))).collect()
}

/// `buffers` has one list for each depth above the last, where actions are only counted.
fn count<G: Game>(
    game: &G,
    position: &G::Position,
    buffers: &mut [Vec<G::Action>],
    depth: u32,
) -> u64 {
    let Some((actions, buffers)) = buffers.split_first_mut() else {
        return if depth == 0 { 1 } else { game.count_actions(position) };
    };
    game.actions(position, actions);
    let mut leaves = 0;
    for &action in actions.iter() {
        let mut next = position.clone();
        game.play(&mut next, action);
        leaves += count(game, &next, buffers, depth - 1);
    }
    leaves
}
