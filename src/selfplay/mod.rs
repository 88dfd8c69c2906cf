//! Games that a network plays against itself: many at a time on each thread, each a function of
//! its number, the seed and the weights.

mod exact;
mod opening;
mod settings;
mod slot;
mod worker;

pub use opening::random_plies;
pub use settings::SelfplaySettings;
pub use slot::PlayedGame;
pub use worker::{Job, Work, play};
