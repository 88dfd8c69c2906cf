//! Everything a run needs to go on, in one checksummed file: weights, averaged weights, moments,
//! counters. Random streams are named by index, so no generator's state has to be kept.

use super::adamw::Weights;
use crate::codec::Shape;
use crate::disk::frame::{Frame, FrameError, Kind};
use crate::disk::{self, DiskError, atomic};
use crate::nn::NetworkSettings;
use crate::record::wire;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Version of the file's payload.
const VERSION: u16 = 1;

/// A run between two generations. Nothing of the clock stands in it: the same settings make the
/// same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The generation that plays next; as many have been played and learnt.
    pub generation: u64,
    /// Games played.
    pub games: u64,
    /// Positions that were searched and recorded.
    pub positions: u64,
    /// The oldest game in the window, and the positions of all games before it.
    pub window_first_game: u64,
    pub window_before: u64,
    /// Samples learnt; the next sample's number.
    pub samples: u64,
    pub shape: Shape,
    pub network: NetworkSettings,
    pub weights: Weights,
}

/// Why a state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("{}: {source}", path.display())]
    Frame { path: PathBuf, source: FrameError },
    #[error("{}: {source}", path.display())]
    Wire { path: PathBuf, source: wire::WireError },
    #[error("{}: {weights} weights, but its network of {shape:?} has {expected}", path.display())]
    Size { path: PathBuf, weights: usize, shape: Shape, expected: usize },
}

impl StateError {
    /// Is the file itself at fault, not the disk?
    pub fn is_data(&self) -> bool {
        !matches!(self, StateError::Disk(_))
    }
}

impl State {
    /// Publishes the state at `path`.
    pub fn save(&self, path: &Path) -> Result<(), StateError> {
        let payload = wire::encode_within::<{ wire::STATE_LIMIT }, _>(self)
            .map_err(|source| StateError::Wire { path: path.to_path_buf(), source })?;
        Ok(atomic::write(path, &Frame::encode(Kind::State, VERSION, &payload))?)
    }

    /// Reads a state back, bit for bit.
    pub fn load(path: &Path) -> Result<Self, StateError> {
        let bytes = disk::read(path)?;
        let payload = Frame::decode(Kind::State, VERSION, &bytes)
            .map_err(|source| StateError::Frame { path: path.to_path_buf(), source })?;
        let state: Self = wire::decode_within::<{ wire::STATE_LIMIT }, _>(payload)
            .map_err(|source| StateError::Wire { path: path.to_path_buf(), source })?;
        let count = state.weights.raw.len();
        let parts = [&state.weights.averaged, &state.weights.mean, &state.weights.square];
        if let Some(odd) = parts.iter().find(|part| part.len() != count) {
            return Err(StateError::Size {
                path: path.to_path_buf(),
                weights: odd.len(),
                shape: state.shape,
                expected: count,
            });
        }
        Ok(state)
    }
}
