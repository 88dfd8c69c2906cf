//! The one table from errors to exit codes.

use crate::arena::spec::SpecError;
use crate::config::ConfigError;
use crate::game::TextError;
use crate::game::registry::RegistryError;
use crate::learn::StateError;
use crate::nn::CheckpointError;
use crate::record::ShardError;
use crate::run::{self, ManifestError, NameError, PackError, RunError};
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
    if is_unread(error) {
        return OK;
    }
    error.chain().find_map(code_of).unwrap_or(FAILED)
}

/// Has everything been said already, or is nobody there any more to read it?
pub fn is_silent(error: &anyhow::Error) -> bool {
    error.is::<Interrupted>() || error.is::<Mismatches>() || is_unread(error)
}

/// Did the reader of the output go away (`| head`)? That ends a command and is no failure.
fn is_unread(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

/// An error with its causes in one line. A cause that an earlier one quotes is not said again.
pub fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
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
        return match error {
            PackError::Run(error) => code_of(error),
            error => error.is_data().then_some(DATA),
        };
    }
    if let Some(error) = cause.downcast_ref::<ManifestError>() {
        return error.is_data().then_some(DATA);
    }
    if let Some(run::StateError::Damaged { .. }) = cause.downcast_ref() {
        return Some(DATA);
    }
    if cause.is::<NameError>() {
        return Some(USAGE);
    }
    // What these two pass on is no link of the chain of its own: it is asked here.
    match cause.downcast_ref::<RunError>() {
        Some(RunError::Name(_) | RunError::Missing { .. }) => return Some(USAGE),
        Some(RunError::Manifest(error)) => return code_of(error),
        Some(RunError::Foreign { .. }) => return Some(DATA),
        _ => {}
    }
    match cause.downcast_ref::<TrainError>()? {
        TrainError::OtherNetwork(_) | TrainError::Network(_) => Some(CONFIG),
        TrainError::MissingGames { .. } => Some(DATA),
        TrainError::State(error) => code_of(error),
        TrainError::Shard(error) => code_of(error),
        TrainError::RunState(error) => code_of(error),
        TrainError::Champion(error) => code_of(error),
        TrainError::Run(error) => code_of(error),
        TrainError::ForeignState { .. } => Some(DATA),
        TrainError::Tables(error) if error.is_data() => Some(DATA),
        // Tables that are not there were asked for by a setting.
        TrainError::Tables(error) => error.disk().is_none().then_some(CONFIG),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::DiskError;
    use std::io;
    use std::path::{Path, PathBuf};

    #[test]
    fn errors_that_others_pass_on_keep_their_code() {
        let path = || PathBuf::from("x");
        let damaged = || ManifestError::Damaged { path: path(), why: String::from("torn") };
        let header = ShardError::Header { path: path(), damage: None };
        assert_eq!(code(&damaged().into()), DATA);
        assert_eq!(code(&RunError::Manifest(damaged()).into()), DATA);
        assert_eq!(code(&TrainError::Champion(damaged()).into()), DATA);
        assert_eq!(code(&TrainError::Shard(header).into()), DATA);
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let missing = ShardError::Disk(DiskError::on("read", Path::new("x"))(missing));
        assert_eq!(code(&TrainError::Shard(missing).into()), FAILED);
    }

    #[test]
    fn a_name_is_misuse_whoever_refuses_it() {
        let name = || run::layout::check_name("a b").unwrap_err();
        assert_eq!(code(&name().into()), USAGE);
        assert_eq!(code(&PackError::Run(RunError::Name(name())).into()), USAGE);
        assert_eq!(code(&TrainError::Run(RunError::Name(name())).into()), USAGE);
        let exists = RunError::Exists { name: String::from("x") };
        assert_eq!(code(&PackError::Run(exists).into()), FAILED);
    }

    #[test]
    fn a_cause_is_said_once() {
        let source = io::Error::from(io::ErrorKind::NotFound);
        let disk = DiskError::on("read", Path::new("x"))(source);
        let text = told(&anyhow::Error::from(disk).context("no card"));
        assert_eq!(text.matches("entity not found").count(), 1, "{text}");
        assert!(text.starts_with("no card: cannot read x: "), "{text}");
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let error = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(code(&error) == OK && is_silent(&error));
        let full = anyhow::Error::from(io::Error::from(io::ErrorKind::StorageFull));
        assert!(code(&full) == FAILED && !is_silent(&full));
    }
}
