//! The one table from errors to exit codes.

use crate::arena::spec::SpecError;
use crate::config::ConfigError;
use crate::game::TextError;
use crate::game::registry::RegistryError;
use crate::learn::StateError;
use crate::nn::CheckpointError;
use crate::record::ShardError;
use crate::run::PackError;
use crate::train::TrainError;

pub const OK: u8 = 0;
pub const FAILED: u8 = 1;
pub const USAGE: u8 = 2;
pub const CONFIG: u8 = 3;
pub const DATA: u8 = 4;
pub const INTERRUPTED: u8 = 130;

/// For `--help`.
pub const CODES: &str = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 wrong configuration, \
    4 data damaged or not usable here, 130 stopped cleanly by Ctrl-C.";

/// A command stopped cleanly because the person asked for it.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub struct Interrupted;

/// A check found something; what it found is printed already.
#[derive(Debug, thiserror::Error)]
#[error("mismatches were found")]
pub struct Mismatches;

/// Misuse that clap cannot see.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Data that cannot be used here.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub String);

/// The exit code of an error: that of the first cause in its chain that has one.
pub fn code(error: &anyhow::Error) -> u8 {
    error.chain().find_map(code_of).unwrap_or(FAILED)
}

/// Has everything been said already?
pub fn is_silent(error: &anyhow::Error) -> bool {
    error.is::<Interrupted>() || error.is::<Mismatches>()
}

fn code_of(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if cause.is::<Interrupted>() {
        return Some(INTERRUPTED);
    }
    if cause.is::<Usage>() || cause.is::<SpecError>() || cause.is::<TextError>() {
        return Some(USAGE);
    }
    if cause.is::<ConfigError>() || cause.is::<RegistryError>() {
        return Some(CONFIG);
    }
    if cause.is::<Unusable>() {
        return Some(DATA);
    }
    if let Some(error) = cause.downcast_ref::<CheckpointError>() {
        return error.is_data().then_some(DATA);
    }
    if let Some(error) = cause.downcast_ref::<ShardError>() {
        return error.is_data().then_some(DATA);
    }
    if let Some(error) = cause.downcast_ref::<StateError>() {
        return error.is_data().then_some(DATA);
    }
    if let Some(error) = cause.downcast_ref::<PackError>() {
        return error.is_data().then_some(DATA);
    }
    match cause.downcast_ref::<TrainError>() {
        Some(TrainError::OtherNetwork(_)) => Some(CONFIG),
        Some(TrainError::MissingGames { .. }) => Some(DATA),
        _ => None,
    }
}
