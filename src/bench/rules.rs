//! Leaves per second of every game's tree of actions from its start, on one thread, the last ply
//! counted rather than played; and of chess beside them, where the program was built to compare.
//!
//! The rounds of all games alternate, so that a machine that slows down slows all of them.

use super::Plan;
use super::clock::repeat;
use super::spread::Spread;
use crate::game::registry::AnyGame;
use crate::game::{Game, perft};
use crate::with_game;
use serde::Serialize;
use std::time::Instant;

/// No tree is counted deeper.
const DEEPEST: u32 = 30;

/// One rules engine.
#[derive(Clone, Debug, Serialize)]
pub struct RulesRow {
    pub game: &'static str,
    /// Whose engine: `menagerie`, or the crate that it is compared with.
    pub engine: &'static str,
    /// The deepest tree that fits into a round, counted again and again.
    pub depth: u32,
    /// Its leaves.
    pub leaves: u64,
    pub nodes_per_second: Spread,
    /// Nodes per second as a multiple of the chess engine's in the same round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_chess: Option<Spread>,
}

/// An engine that counts.
struct Counter<'a> {
    game: &'static str,
    engine: &'static str,
    count: Box<dyn Fn(u32) -> u64 + 'a>,
}

/// Measures the games, and chess if there is an engine of it.
pub fn measure(games: &[AnyGame], plan: &Plan) -> Vec<RulesRow> {
    let mut counters: Vec<Counter> = games.iter().map(counter).collect();
    counters.extend(chess());
    let depths: Vec<(u32, u64)> =
        counters.iter().map(|counter| depth(&counter.count, plan.seconds)).collect();
    let rounds: Vec<Vec<f64>> = (0..plan.rounds)
        .map(|_| {
            let turns = counters.iter().zip(&depths);
            turns
                .map(|(one, &(depth, _))| repeat(plan.seconds, || (one.count)(depth)).rate())
                .collect()
        })
        .collect();
    let reference = counters.iter().position(|counter| counter.game == CHESS);
    let rows = counters.iter().zip(&depths).enumerate();
    rows.map(|(at, (counter, &(depth, leaves)))| RulesRow {
        game: counter.game,
        engine: counter.engine,
        depth,
        leaves,
        nodes_per_second: Spread::of(rounds.iter().map(|round| round[at])),
        to_chess: reference
            .filter(|&reference| reference != at)
            .map(|reference| Spread::of(rounds.iter().map(|round| round[at] / round[reference]))),
    })
    .collect()
}

fn counter(game: &AnyGame) -> Counter<'_> {
    with_game!(game, game => Counter {
        game: game.name(),
        engine: env!("CARGO_PKG_NAME"),
        count: Box::new(|depth| perft::perft(game, &game.start(), depth)),
    })
}

/// The deepest tree that is counted within `seconds`, by what the last ply multiplied, and its
/// leaves.
fn depth(count: &dyn Fn(u32) -> u64, seconds: f64) -> (u32, u64) {
    let (mut depth, mut before) = (1, 1);
    loop {
        let begun = Instant::now();
        let leaves = count(depth);
        let growth = leaves as f64 / before as f64;
        let next = begun.elapsed().as_secs_f64() * growth;
        if next > seconds || leaves == 0 || depth == DEEPEST {
            return (depth, leaves);
        }
        (depth, before) = (depth + 1, leaves);
    }
}

/// The name of the game that others are compared with.
const CHESS: &str = "chess";

#[cfg(not(feature = "compare"))]
fn chess() -> Option<Counter<'static>> {
    None
}

/// Chess by the crate `cozy-chess`.
#[cfg(feature = "compare")]
fn chess() -> Option<Counter<'static>> {
    use cozy_chess::Board;

    fn count(board: &Board, depth: u32) -> u64 {
        let mut leaves = 0;
        board.generate_moves(|moves| {
            if depth == 1 {
                leaves += moves.len() as u64;
            } else {
                for action in moves {
                    let mut next = board.clone();
                    next.play_unchecked(action);
                    leaves += count(&next, depth - 1);
                }
            }
            false
        });
        leaves
    }

    let start = Board::default();
    let count = move |depth| count(&start, depth);
    Some(Counter { game: CHESS, engine: "cozy-chess", count: Box::new(count) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_fits_into_a_round_and_a_game_that_ends_is_no_endless_loop() {
        // A game without a third ply.
        let short = |depth| if depth < 3 { 5u64.pow(depth) } else { 0 };
        assert_eq!(depth(&short, 1e9), (3, 0));
        // Every tree takes too long.
        assert_eq!(depth(&|depth| 5u64.pow(depth), 0.0), (1, 5));
        assert_eq!(depth(&|_| 1, 1e9), (DEEPEST, 1));
    }

    /// The published counts from the start of chess.
    #[cfg(feature = "compare")]
    #[test]
    fn chess_is_counted_rightly() {
        let chess = chess().unwrap();
        let counts: Vec<u64> = (1..=5).map(|depth| (chess.count)(depth)).collect();
        assert_eq!(counts, [20, 400, 8902, 197_281, 4_865_609]);
    }
}
