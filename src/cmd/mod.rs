//! One thin file per subcommand.

pub mod check;
pub mod config;
pub mod perft;
pub mod runs;
