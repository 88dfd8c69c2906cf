//! The loop itself: play a generation, learn from the window, publish the state, measure; and go
//! on from wherever a run was broken off.
//!
//! Truth is on disk: a generation's games are written down as they end, its shard and the next
//! state are published by rename. Whatever lies between is made again, to the bit.

pub mod alarms;
mod clock;
mod course;
pub mod fault;
pub mod fork;
mod generation;
mod lesson;
mod measure;
pub mod memory;
#[cfg(test)]
mod mending_tests;
mod settings;
mod shards;
pub mod status;
mod tally;
#[cfg(test)]
mod tests;

pub use alarms::{Alarm, AlarmSettings};
pub use clock::{cpu_seconds, thread_seconds};
pub use generation::Generation;
pub use lesson::{LearnMetrics, Lesson, Refusal};
pub use measure::Measure;
pub use memory::MemoryPlan;
pub use settings::TrainSettings;
pub use shards::read_shard;
pub use status::Status;
pub use tally::{SelfplayMetrics, Sitting};

use crate::arena::{ArenaSettings, StaticEvaluation};
use crate::codec::Encode;
use crate::disk::DiskError;
use crate::game::Notation;
use crate::learn::{
    LearnSettings, LossSettings, OptimiserSettings, ScheduleSettings, State, StateError,
};
use crate::metrics::Progress;
use crate::nn::NetworkSettings;
use crate::replay::ReplaySettings;
use crate::run::{self, Champion, Layout, StateCard};
use crate::search::SearchSettings;
use crate::selfplay::SelfplaySettings;
use course::Course;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// The learner's file in a state's folder.
pub const STATE_FILE: &str = "learner.state";

/// Why a run could not go on. What is on disk is whole in any case.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Shard(#[from] crate::record::ShardError),
    #[error(transparent)]
    Journal(#[from] crate::record::JournalError),
    #[error(transparent)]
    Evaluator(#[from] crate::search::evaluator::EvalError),
    #[error(transparent)]
    Network(#[from] crate::nn::NetError),
    #[error(transparent)]
    Duel(#[from] crate::arena::DuelError),
    #[error(transparent)]
    Shape(#[from] crate::nn::OtherShape),
    #[error(transparent)]
    Model(#[from] crate::nn::CheckpointError),
    #[error(transparent)]
    Run(#[from] run::RunError),
    #[error(
        "{}: the games {next} to {} are missing, and the window needs them; bring their shards \
         back, or take the weights alone: `fork` with --without-games",
        folder.display(),
        until - 1
    )]
    MissingGames { next: u64, until: u64, folder: PathBuf },
    #[error(transparent)]
    RunState(#[from] run::StateError),
    #[error(transparent)]
    Champion(#[from] run::ManifestError),
    #[error(transparent)]
    Tables(#[from] crate::endgame::probe::OpenError),
    #[error("the settings of the network do not fit this run: {0}")]
    OtherNetwork(String),
    #[error("{}: {what}", path.display())]
    ForeignState { path: PathBuf, what: String },
    /// Another thread failed first.
    #[error("stopped")]
    Stopped,
}

/// All settings of a run, section by section.
#[derive(Clone, Copy, Debug)]
pub struct RunSettings<'a> {
    pub train: &'a TrainSettings,
    pub network: &'a NetworkSettings,
    pub search: &'a SearchSettings,
    pub selfplay: &'a SelfplaySettings,
    pub replay: &'a ReplaySettings,
    pub learn: &'a LearnSettings,
    pub loss: &'a LossSettings,
    pub optimiser: &'a OptimiserSettings,
    pub schedule: &'a ScheduleSettings,
    pub arena: &'a ArenaSettings,
    pub alarms: &'a AlarmSettings,
}

/// How a call of [`train`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The run is at its end, and measured.
    Complete,
    /// The stop flag was set; the same command goes on.
    Interrupted,
    /// What was asked for is done; the run is between two generations.
    Paused,
}

/// Begins or continues the run in `layout`, whose lock the caller holds, to its end.
pub fn train<G: Encode + Notation + StaticEvaluation>(
    game: &G,
    settings: RunSettings<'_>,
    layout: &Layout,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Finish, TrainError> {
    train_while(game, settings, layout, progress, stop, &|_| true)
}

/// As [`train`], but pauses before a generation when `go_on` says so of the state.
pub fn train_while<G: Encode + Notation + StaticEvaluation>(
    game: &G,
    settings: RunSettings<'_>,
    layout: &Layout,
    progress: &dyn Progress,
    stop: &AtomicBool,
    go_on: &dyn Fn(&State) -> bool,
) -> Result<Finish, TrainError> {
    let mut course = Course::open(game, settings, layout, progress, stop)?;
    loop {
        if course.is_measuring_due()? && !course.measure()? {
            return Ok(Finish::Interrupted);
        }
        if course.is_over() {
            return Ok(Finish::Complete);
        }
        if !go_on(course.state()) {
            return Ok(Finish::Paused);
        }
        if !course.advance()? {
            return Ok(Finish::Interrupted);
        }
    }
}

/// What a state's card says of it.
fn card(state: &State) -> StateCard {
    StateCard {
        step: state.weights.steps,
        generation: state.generation,
        first_game: state.window_first_game,
        next_game: state.games,
    }
}

/// Publishes a state and makes its averaged weights the ones that play.
pub fn publish(layout: &Layout, state: &State) -> Result<(), TrainError> {
    let card = card(state);
    fault::reach("before-state");
    run::state::publish(layout, &card, |folder| {
        let saved = state.save(&folder.join(STATE_FILE));
        saved.map_err(|error| match error {
            StateError::Disk(error) => run::StateError::Disk(error),
            other => run::StateError::Writer(other.to_string()),
        })
    })?;
    fault::reach("after-state");
    Champion { step: card.step, generation: card.generation }.save(layout)?;
    fault::reach("after-champion");
    Ok(())
}
