//! One thin file per subcommand.

pub mod check;
pub mod perft;
