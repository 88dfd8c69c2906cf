//! Which positions are measured: some of every signature, value and band of distances, drawn by a
//! seed, all of them held out from training.

use crate::endgame::{Exact, Signature, Tables, Value};
use crate::game::jungle::Position;
use crate::game::{Game, History, Side};
use crate::rng;
use rand::RngExt;
use rustc_hash::FxHashSet;

/// Bands of distances: each ends with this many plies.
pub const BANDS: [u32; 4] = [4, 12, 24, u32::MAX];
/// Entries drawn from a table for each position wanted of a stratum.
const TRIES: usize = 2000;

/// A position with the truth about it.
#[derive(Clone, Debug)]
pub struct Sample {
    pub position: Position,
    pub exact: Exact,
    pub signature: Signature,
}

/// The band of a distance: an index into [`BANDS`].
pub fn band(plies: u32) -> usize {
    BANDS.iter().position(|&last| plies <= last).unwrap_or(BANDS.len() - 1)
}

/// Up to `each` positions of every stratum that the tables have; rare strata may have fewer.
/// Positions that have ended are left out. The order is that of the tables' names.
pub fn sample(tables: &Tables, each: usize, seed: u64) -> Vec<Sample> {
    let book = tables.book();
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
            let Some(position) = table.position(book.game(), side, entry) else { continue };
            if book.is_held_out(&position)
                && seen.insert(position.key())
                && (exact.plies > 0 || exact.value == Value::Draw)
                && book.game().outcome(&position, &History::default()).is_none()
            {
                *place += 1;
                samples.push(Sample { position, exact, signature: table.signature().clone() });
            }
        }
    }
    samples
}
