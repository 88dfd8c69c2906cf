//! How fast this program is on this machine: rules, network, search, self-play, training, memory;
//! and the signature that names the search's behaviour.
//!
//! Every figure is the median of some rounds. This room measures what the other rooms do; it
//! changes nothing about them, and nothing in a run depends on it.

mod clock;
mod inputs;
mod machine;
mod memory;
pub mod model;
pub mod network;
mod report;
pub mod rules;
pub mod search;
pub mod selfplay;
pub mod signature;
mod size;
mod spread;
mod table;
pub mod training;
pub mod tune;

pub use machine::Machine;
pub use memory::Memory;
pub use report::Report;
pub use signature::Signature;
pub use size::{Size, SizeError};
pub use spread::Spread;

use crate::disk::DiskError;
use crate::game::registry::RegistryError;
use crate::nn::{CheckpointError, NetError, OtherShape};
use crate::search::evaluator::EvalError;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    pub sizes: Vec<Size>,
    /// Positions in a call of the engine.
    pub batches: Vec<usize>,
    pub threads: Vec<usize>,
    /// Memory of self-play's evaluation cache on each thread, in MiB; 0: none.
    pub caches_mib: Vec<u32>,
    /// Rounds whose median counts.
    pub rounds: usize,
    /// Length of a round.
    pub seconds: f64,
}

/// Why something could not be measured or written.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Net(#[from] NetError),
    #[error(transparent)]
    Shape(#[from] OtherShape),
    #[error(transparent)]
    Evaluator(#[from] EvalError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("the figures cannot be written as JSON: {0}")]
    Json(serde_json::Error),
    #[error("the searches depend on threads: `{one}` on one, `{two}` on two")]
    Signature { one: Signature, two: Signature },
}
