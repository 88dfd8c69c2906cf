//! How wrong is a player? Measured against exact values, on positions that training never uses
//! where such values can be had by table.
//!
//! Sign: how often the raw network's likeliest result is the true one. Policy: how often its
//! likeliest action keeps the true result. Search: the same for the action of a search that asks
//! no tables. Conversion: how often won positions are won against a perfect defender.

mod celestial;
mod conversion;
mod measure;
mod sample;
mod tables;

pub use celestial::{Endings, Solved, endings};
pub use conversion::{Conversion, convert};
pub use measure::{Judged, Rates, Row, chance, judge, rows, searched};
pub use sample::Sample;
pub use tables::sample;

use super::player::PlayerError;
use crate::search::evaluator::EvalError;

/// Bands of distances: each ends with this many plies.
pub const BANDS: [u32; 4] = [4, 12, 24, u32::MAX];

/// The band of a distance: an index into [`BANDS`].
pub fn band(plies: u32) -> usize {
    BANDS.iter().position(|&last| plies <= last).unwrap_or(BANDS.len() - 1)
}

/// The name of a distance's band, such that names sort as distances do.
fn band_name(plies: u32) -> String {
    let band = band(plies);
    let from = if band == 0 { 1 } else { BANDS[band - 1] + 1 };
    match BANDS[band] {
        u32::MAX => format!("{from:02} plies and more"),
        last => format!("{from:02} to {last:02} plies"),
    }
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum TruthError {
    #[error(transparent)]
    Evaluator(#[from] EvalError),
    #[error(transparent)]
    Player(#[from] PlayerError),
}

#[cfg(test)]
mod tests;
