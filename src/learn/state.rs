//! Everything a run needs to go on, in one checksummed file: weights, averaged weights, moments,
//! counters. Random streams are named by index, so no generator's state has to be kept.

use super::adamw::Weights;
use super::guard::Guard;
use super::pace::{Done, Pace, Spent};
use crate::codec::Shape;
use crate::disk::frame::{Frame, FrameError, Kind};
use crate::disk::{self, DiskError, atomic};
use crate::nn::{NetError, NetworkSettings, flat};
use crate::record::wire;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Version of the file's payload.
const VERSION: u16 = 2;

/// A run between two generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The generation that plays next; as many have been played and learnt.
    pub generation: u64,
    /// Games played.
    pub games: u64,
    /// Positions that were searched and recorded, those held out left aside.
    pub positions: u64,
    /// The oldest game in the window, and the positions of all games before it.
    pub window_first_game: u64,
    pub window_before: u64,
    /// Samples learnt; the next sample's number.
    pub samples: u64,
    /// Where the run's own counting begins.
    pub origin: Origin,
    /// Steps to learn from the games that there are, before any is played.
    pub warm_up: u64,
    /// Time of work so far, and that of the newest generation.
    pub spent: Spent,
    pub last: Spent,
    pub pace: Pace,
    pub guard: Guard,
    pub shape: Shape,
    pub network: NetworkSettings,
    pub weights: Weights,
}

/// The counters of a run when it began: zeros, or those of the run from which it was forked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    pub games: u64,
    pub positions: u64,
    pub samples: u64,
    pub steps: u64,
}

/// Version 1: without what is at its beginning in a run that has no ancestors.
#[derive(Deserialize)]
struct StateV1 {
    generation: u64,
    games: u64,
    positions: u64,
    window_first_game: u64,
    window_before: u64,
    samples: u64,
    seconds: f64,
    shape: Shape,
    network: NetworkSettings,
    weights: Weights,
}

impl From<StateV1> for State {
    fn from(old: StateV1) -> Self {
        let first = Self::first(old.shape, old.network, old.weights);
        Self {
            generation: old.generation,
            games: old.games,
            positions: old.positions,
            window_first_game: old.window_first_game,
            window_before: old.window_before,
            samples: old.samples,
            spent: Spent { seconds: old.seconds, cpu_seconds: 0.0 },
            ..first
        }
    }
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
    #[error("{}: its checksum holds, but it is no learner's state: {source}", path.display())]
    Network { path: PathBuf, source: NetError },
}

impl StateError {
    /// Is the file itself at fault, not the disk?
    pub fn is_data(&self) -> bool {
        !matches!(self, StateError::Disk(_))
    }
}

impl State {
    /// The state of a run that has done nothing yet.
    pub fn first(shape: Shape, network: NetworkSettings, weights: Weights) -> Self {
        Self {
            generation: 0,
            games: 0,
            positions: 0,
            window_first_game: 0,
            window_before: 0,
            samples: 0,
            origin: Origin::default(),
            warm_up: 0,
            spent: Spent::default(),
            last: Spent::default(),
            pace: Pace::default(),
            guard: Guard::default(),
            shape,
            network,
            weights,
        }
    }

    /// What the run has done since it began.
    pub fn done(&self) -> Done {
        Done {
            generations: self.generation,
            games: self.games - self.origin.games.min(self.games),
            steps: self.weights.steps - self.origin.steps.min(self.weights.steps),
            spent: self.spent,
            last: self.last,
        }
    }

    /// Publishes the state at `path`.
    pub fn save(&self, path: &Path) -> Result<(), StateError> {
        let payload = wire::encode_large(self)
            .map_err(|source| StateError::Wire { path: path.to_path_buf(), source })?;
        Ok(atomic::write(path, &Frame::encode(Kind::State, VERSION, &payload))?)
    }

    /// Reads a state back, bit for bit. States of version 1 are read, too.
    pub fn load(path: &Path) -> Result<Self, StateError> {
        let bytes = disk::read(path)?;
        let frame = |source| StateError::Frame { path: path.to_path_buf(), source };
        let wire = |source| StateError::Wire { path: path.to_path_buf(), source };
        let state = match Frame::decode(Kind::State, VERSION, &bytes) {
            Err(FrameError::UnknownVersion { found: 1, .. }) => {
                let payload = Frame::decode(Kind::State, 1, &bytes).map_err(frame)?;
                wire::decode_large::<StateV1>(payload).map_err(wire)?.into()
            }
            payload => wire::decode_large::<Self>(payload.map_err(frame)?).map_err(wire)?,
        };
        let Weights { raw, averaged, mean, square, .. } = &state.weights;
        for part in [raw, averaged, mean, square] {
            flat::check(&state.shape, &state.network, part.len())
                .map_err(|source| StateError::Network { path: path.to_path_buf(), source })?;
        }
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::jungle::{Jungle, Rules};

    fn example() -> State {
        let game = Jungle::new(Rules::default()).unwrap();
        let shape = crate::codec::Encode::shape(&game);
        let network = NetworkSettings { blocks: 1, channels: 8, ..NetworkSettings::default() };
        let weights = Weights::new(flat::initial(shape, &network, 1).unwrap());
        State::first(shape, network, weights)
    }

    #[test]
    fn a_sound_file_with_too_few_weights_is_told_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.state");
        let told = |state: &State| {
            state.save(&path).unwrap();
            let error = State::load(&path).unwrap_err();
            assert!(error.is_data());
            error.to_string()
        };
        let begin =
            format!("{}: its checksum holds, but it is no learner's state: ", path.display());
        let whole = example();
        let all = whole.weights.raw.len();
        let few = State { weights: Weights::new(vec![0.5, -0.25]), ..whole.clone() };
        let expected = format!("2 numbers for the weights of a network that has {all}");
        assert_eq!(told(&few), begin.clone() + &expected);
        let mut uneven = whole.clone();
        uneven.weights.square.pop();
        assert!(told(&uneven).contains(&format!("{} numbers for the weights", all - 1)));
        let mut absurd = whole;
        absurd.network.channels = 0;
        assert_eq!(told(&absurd), begin + "`channels` is 0; allowed: 8 to 512");
    }

    #[test]
    fn a_state_survives_to_the_bit_and_damage_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.state");
        let mut state = example();
        state.spent = Spent { seconds: 0.1, cpu_seconds: 0.2 };
        state.pace.decay_step = Some(7);
        state.save(&path).unwrap();
        assert_eq!(State::load(&path).unwrap(), state);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let error = State::load(&path).unwrap_err();
        assert!(error.is_data() && error.to_string().contains("x.state: the content is damaged"));
    }

    #[test]
    fn a_state_of_version_1_is_read() {
        // Its bytes are those of the fields it had, one after the other.
        let new = example();
        let old = (3u64, 40u64, 500u64, 10u64, 100u64, 2000u64, 1.5f64);
        let rest = (new.shape, new.network.clone(), new.weights.clone());
        let payload = [wire::encode(&old).unwrap(), wire::encode(&rest).unwrap()].concat();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.state");
        std::fs::write(&path, Frame::encode(Kind::State, 1, &payload)).unwrap();
        let state = State::load(&path).unwrap();
        assert_eq!((state.generation, state.games, state.samples), (3, 40, 2000));
        assert_eq!((state.spent.seconds, &state.weights), (1.5, &new.weights));
        assert_eq!(state.done().games, 40);
    }
}
