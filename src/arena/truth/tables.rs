//! Samples of Jungle: some positions of every signature, value and band of distances, drawn by a
//! seed from endgame tables, all of them reserved for measuring.

use super::measure::OWN;
use super::sample::Sample;
use super::{BANDS, band};
use crate::endgame::{Exact, Tables, Value};
use crate::game::jungle::Jungle;
use crate::game::{Game, History, Side};
use crate::rng;
use rand::RngExt;
use rustc_hash::FxHashSet;

/// Entries drawn from a table for each position wanted of a stratum.
const TRIES: usize = 2000;

/// Up to `each` positions of every stratum that the tables have; rare strata may have fewer.
/// Positions that have ended are left out. The order is that of the tables' names.
pub fn sample(tables: &Tables, each: usize, seed: u64) -> Vec<Sample<Jungle>> {
    let game = tables.book().game();
    let mut samples = Vec::new();
    for (number, table) in tables.held().into_iter().enumerate() {
        let mut stream = rng::stream(seed, "truth", number as u64);
        let mut seen = FxHashSet::default();
        let mut found = [[0; BANDS.len()]; 3];
        for _ in 0..TRIES * each {
            let side = Side::BOTH[stream.random_range(0..2)];
            let entry = stream.random_range(0..table.entries());
            let Some(exact) = table.exact(side, entry) else { continue };
            let place = &mut found[exact.value as usize][band(exact.plies)];
            if *place == each {
                continue;
            }
            let Some(position) = table.position(game, side, entry) else { continue };
            if game.is_reserved(&position)
                && seen.insert(position.key())
                && (exact.plies > 0 || exact.value == Value::Draw)
                && game.outcome(&position, &History::default()).is_none()
            {
                *place += 1;
                let moves = tables.moves(&position);
                let kept = |known: &Option<Exact>| known.is_some_and(|e| e.value == exact.value);
                let signature = table.signature();
                samples.push(Sample {
                    keeping: moves.iter().filter(|(_, known)| kept(known)).map(|m| m.0).collect(),
                    actions: moves.len(),
                    position,
                    exact,
                    groups: vec![
                        (1, format!("{} animals", signature.count())),
                        (OWN, signature.to_string()),
                    ],
                });
            }
        }
    }
    samples
}
