//! How fast this program is on this machine: rules, network, search, self-play, training, memory;
//! and the signature that names the search's behaviour.
//!
//! Every figure is the median of some rounds. This room measures what the other rooms do; it
//! changes nothing about them, and nothing in a run depends on it.

mod clock;
mod inputs;
mod machine;
pub mod model;
pub mod network;
mod size;
mod spread;
mod table;
pub mod training;

pub use machine::Machine;
pub use size::{Size, SizeError};
pub use spread::Spread;

use crate::codec::Encode;
use crate::disk::DiskError;
use crate::nn::{CheckpointError, NetError, OtherShape, ParameterError};
use crate::search::evaluator::EvalError;
use serde::Serialize;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    pub sizes: Vec<Size>,
    /// Positions in a call of the engine.
    pub batches: Vec<usize>,
    pub threads: Vec<usize>,
    /// Rounds whose median counts.
    pub rounds: usize,
    /// Length of a round.
    pub seconds: f64,
}

/// What was measured; a part that was not asked for is absent.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub machine: Machine,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<network::NetworkRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub training: Vec<training::TrainingRow>,
}

impl Report {
    /// A report that holds nothing but the machine so far.
    pub fn begin(plan: &Plan) -> Self {
        Self { machine: Machine::look(plan), network: Vec::new(), training: Vec::new() }
    }

    /// Measures the engine's evaluations.
    pub fn network<G: Encode>(&mut self, game: &G, plan: &Plan) -> Result<(), BenchError> {
        for &size in &plan.sizes {
            self.network.extend(network::measure(game, size, plan)?);
        }
        Ok(())
    }

    /// Measures the learner.
    pub fn training<G: Encode>(&mut self, game: &G, plan: &Plan) -> Result<(), BenchError> {
        for &size in &plan.sizes {
            self.training.extend(training::measure(game, size, plan)?);
        }
        Ok(())
    }
}

/// Why something could not be measured or written.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error(transparent)]
    Net(#[from] NetError),
    #[error(transparent)]
    Parameters(#[from] ParameterError),
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
}
