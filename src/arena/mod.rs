//! Who plays better: players, paired games, ratings.
//!
//! Never imports burn: a network comes in as an [`crate::search::evaluator::Evaluator`].

pub mod alphabeta;
pub mod baseline;
pub mod duel;
pub mod evaluation;
pub mod forced;
pub mod ladder;
pub mod opening;
pub mod player;
pub mod pooled;
pub mod rating;
pub mod searcher;
pub mod settings;
pub mod spec;
pub mod sprt;
pub mod suite;
#[cfg(test)]
pub mod toy;
pub mod truth;

pub use duel::DuelError;
pub use evaluation::StaticEvaluation;
pub use player::{Choice, Player, PlayerError};
pub use settings::ArenaSettings;
