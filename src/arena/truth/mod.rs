//! How wrong is a player? Measured against endgame tables on positions that training never uses.
//!
//! Sign: how often the raw network's likeliest result is the true one. Policy: how often its
//! likeliest move keeps the true result. Search: the same for the move of a search that asks no
//! tables. Conversion: how often won positions are won against a perfect defender.

mod conversion;
mod measure;
mod sample;

pub use conversion::{Conversion, convert};
pub use measure::{Judged, Rates, Row, chance, judge, rows, searched};
pub use sample::{BANDS, Sample, band, sample};

use super::player::PlayerError;
use crate::search::evaluator::EvalError;

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
