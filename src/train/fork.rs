//! A new run out of another one: its weights where the network is the same, its games where the
//! rules are, and a warm-up on these games where the network is new.

use super::{STATE_FILE, TrainError, publish, shards};
use crate::codec::Encode;
use crate::disk::DiskError;
use crate::learn::{Origin, State, Weights};
use crate::nn::{self, NetworkSettings, flat};
use crate::run::{self, Layout};
use std::path::Path;

/// Samples for each position of the window that a new network learns in its warm-up, if it is not
/// said otherwise.
const WARM_UP_REUSE: f64 = 2.0;

/// What a fork takes from where.
#[derive(Clone, Copy, Debug)]
pub struct Fork<'a> {
    pub source: &'a State,
    /// Take the games of its window along? Only under the same rules.
    pub with_games: bool,
    /// The new run's network and seed, and the samples of one step.
    pub network: &'a NetworkSettings,
    pub seed: u64,
    pub batch: u32,
    /// Steps on the games that came along, before any is played; `None`: as many as a new network
    /// needs, none for the old one.
    pub warm_up: Option<u64>,
}

impl Fork<'_> {
    /// Is the network the same, so that its weights go on?
    pub fn keeps_weights(&self) -> bool {
        self.source.network == *self.network
    }

    /// The new run's first state.
    pub fn state<G: Encode>(&self, game: &G) -> Result<State, TrainError> {
        let Self { source, with_games, network, .. } = *self;
        if self.keeps_weights() && source.shape != game.shape() {
            let (was, now) = (source.shape, game.shape());
            let what = format!("it sees {was:?}, these rules need {now:?}");
            return Err(TrainError::OtherNetwork(what));
        }
        let weights = if self.keeps_weights() {
            source.weights.clone()
        } else {
            Weights::new(flat::initial(game.shape(), network, self.seed)?)
        };
        let mut state = State::first(game.shape(), network.clone(), weights);
        if with_games {
            state.games = source.games;
            state.positions = source.positions;
            state.window_first_game = source.window_first_game;
            state.window_before = source.window_before;
            state.samples = source.samples;
            state.warm_up = self.warm_up.unwrap_or_else(|| self.usual_warm_up());
        }
        if self.keeps_weights() {
            state.guard = source.guard;
        }
        state.origin = Origin {
            games: state.games,
            positions: state.positions,
            samples: state.samples,
            steps: state.weights.steps,
        };
        Ok(state)
    }

    fn usual_warm_up(&self) -> u64 {
        let window = self.source.positions - self.source.window_before.min(self.source.positions);
        let samples = WARM_UP_REUSE * window as f64;
        if self.keeps_weights() { 0 } else { (samples / f64::from(self.batch)).ceil() as u64 }
    }
}

/// Writes what a fork begins with into the folder of the new run. Refused, with nothing written, if
/// a game of its window is gone: it could never train.
pub fn fill(state: &State, games_of: Option<&Layout>, layout: &Layout) -> Result<(), TrainError> {
    if let Some(source) = games_of {
        for shard in shards::of_window(source, state.window_first_game..state.games)? {
            share(&shard.path, &layout.shard(shard.first, shard.last))?;
        }
    }
    publish(layout, state)
}

/// Shards never change, so a second name for the same file will do where the disk can do that.
fn share(from: &Path, to: &Path) -> Result<(), DiskError> {
    if std::fs::hard_link(from, to).is_err() {
        std::fs::copy(from, to).map_err(DiskError::on("write", to))?;
    }
    Ok(())
}

/// The state of a run after `step` steps; its newest if `None`.
pub fn source(layout: &Layout, step: Option<u64>) -> Result<Option<State>, TrainError> {
    let folder = match step {
        Some(step) => Some(layout.state(step)).filter(|folder| folder.exists()),
        None => run::state::newest(layout)?.state.map(|(folder, _)| folder),
    };
    Ok(folder.map(|folder| State::load(&folder.join(STATE_FILE))).transpose()?)
}

/// The hash that a state's player has as a model.
pub fn model_hash(state: &State) -> Result<String, TrainError> {
    let net = flat::network(state.shape, &state.network, &state.weights.averaged)?;
    Ok(blake3::hash(&nn::net_to_bytes(&net)?).to_hex().to_string())
}
