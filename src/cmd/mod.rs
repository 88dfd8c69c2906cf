//! One thin file per subcommand.

pub mod config;
pub mod runs;
