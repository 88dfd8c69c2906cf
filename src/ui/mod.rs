//! What a person sees: bars, boards, charts, and the game at the terminal.
//!
//! Draws what it is given; decides nothing.

pub mod board;
pub mod chart;
pub mod legend;
pub mod play;
pub mod progress;
pub mod report;
pub mod status;
pub mod style;
pub mod svg;
pub mod typed;
