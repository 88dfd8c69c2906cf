//! The loop itself: play a generation, learn from the window, publish the state, measure; and go
//! on from wherever a run was broken off.
//!
//! Truth is on disk: a generation's games are written down as they end, its shard and the next
//! state are published by rename. Whatever lies between is made again, to the bit.

mod generation;
mod lesson;
mod measure;
mod settings;

pub use generation::{Generation, SelfplayMetrics, read_shard};
pub use lesson::{LearnMetrics, Lesson};
pub use measure::Measure;
pub use settings::TrainSettings;

use crate::arena::{ArenaSettings, StaticEvaluation};
use crate::codec::Encode;
use crate::disk::DiskError;
use crate::game::Notation;
use crate::learn::{
    LearnSettings, LossSettings, OptimiserSettings, ScheduleSettings, State, StateError, Trainer,
    Weights, flat,
};
use crate::metrics::{Progress, journal};
use crate::nn::{EngineWeights, NetworkSettings};
use crate::replay::{ReplaySettings, Window};
use crate::run::prune::{self, Keep};
use crate::run::{self, Champion, Layout, StateCard};
use crate::search::SearchSettings;
use crate::selfplay::SelfplaySettings;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

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
    #[error(
        "{}: the games {next} to {} are missing, and the window needs them", folder.display(), until - 1
    )]
    MissingGames { next: u64, until: u64, folder: PathBuf },
    #[error(transparent)]
    RunState(#[from] run::StateError),
    #[error(transparent)]
    Champion(#[from] run::ManifestError),
    #[error("the settings of the network do not fit this run: {0}")]
    OtherNetwork(String),
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
}

/// How a call of [`train`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All generations are done and measured.
    Complete,
    /// The stop flag was set; the same command goes on.
    Interrupted,
}

/// Begins or continues the run in `layout`, whose lock the caller holds.
pub fn train<G: Encode + Notation + StaticEvaluation>(
    game: &G,
    settings: RunSettings<'_>,
    layout: &Layout,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Finish, TrainError> {
    let mut run = Run::open(game, settings, layout, progress, stop)?;
    loop {
        if run.is_measuring_due()? && !run.measure()? {
            return Ok(Finish::Interrupted);
        }
        if run.state.generation >= settings.train.generations {
            return Ok(Finish::Complete);
        }
        if !run.advance()? {
            return Ok(Finish::Interrupted);
        }
    }
}

/// Publishes a state and makes its averaged weights the ones that play.
fn publish(layout: &Layout, state: &State) -> Result<(), TrainError> {
    let step = state.weights.steps;
    let card = StateCard {
        step,
        generation: state.generation,
        first_game: state.window_first_game,
        next_game: state.games,
    };
    run::state::publish(layout, &card, |folder| {
        let saved = state.save(&folder.join(STATE_FILE));
        saved.map_err(|error| match error {
            StateError::Disk(error) => run::StateError::Disk(error),
            other => run::StateError::Writer(other.to_string()),
        })
    })?;
    Champion { step, generation: state.generation }.save(layout)?;
    Ok(())
}

struct Run<'a, G: Notation> {
    game: &'a G,
    settings: RunSettings<'a>,
    layout: &'a Layout,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    state: State,
    window: Window<G>,
}

impl<'a, G: Encode + Notation + StaticEvaluation> Run<'a, G> {
    fn open(
        game: &'a G,
        settings: RunSettings<'a>,
        layout: &'a Layout,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Result<Self, TrainError> {
        let newest = run::state::newest(layout)?;
        for skipped in &newest.skipped {
            progress.say(&format!("passed over: {skipped}"));
        }
        let state = match newest.state {
            Some((folder, _)) => State::load(&folder.join(STATE_FILE))?,
            None => {
                let seed = settings.train.seed;
                let initial = flat::initial(game.shape(), settings.network, seed)?;
                let state = State {
                    generation: 0,
                    games: 0,
                    positions: 0,
                    window_first_game: 0,
                    window_before: 0,
                    samples: 0,
                    seconds: 0.0,
                    shape: game.shape(),
                    network: settings.network.clone(),
                    weights: Weights::new(initial),
                };
                publish(layout, &state)?;
                state
            }
        };
        if state.network != *settings.network {
            return Err(TrainError::OtherNetwork(format!(
                "it was begun with {:?}, the settings now say {:?}; start a new run for another \
                 network",
                state.network, settings.network
            )));
        }
        let window = Window::after(state.window_before);
        let mut run = Self { game, settings, layout, progress, stop, state, window };
        run.fill_window()?;
        Ok(run)
    }

    /// Puts the games that the state's window held back into the window, in their order.
    fn fill_window(&mut self) -> Result<(), TrainError> {
        let (first, until) = (self.state.window_first_game, self.state.games);
        let mut next = first;
        for shard in self.layout.list_shards()? {
            if shard.last < first || shard.first >= until {
                continue;
            }
            if shard.first > next {
                break;
            }
            for game in read_shard(self.game, &shard.path, self.progress)? {
                if game.index >= first {
                    self.window.push(game);
                }
            }
            next = shard.last + 1;
        }
        if next < until {
            return Err(TrainError::MissingGames { next, until, folder: self.layout.shards() });
        }
        Ok(())
    }

    fn add_games(&mut self, shard: &Path) -> Result<(), TrainError> {
        for game in read_shard(self.game, shard, self.progress)? {
            self.window.push(game);
        }
        self.window.shrink(self.settings.replay);
        Ok(())
    }

    /// The network that plays: the averaged weights.
    fn player(&self) -> Result<Arc<EngineWeights>, TrainError> {
        let State { shape, network, weights, .. } = &self.state;
        Ok(Arc::new(EngineWeights::new(&flat::network(*shape, network, &weights.averaged)?)))
    }

    /// One generation and its lesson. False if stopped on the way.
    fn advance(&mut self) -> Result<bool, TrainError> {
        let started = Instant::now();
        let number = self.state.generation;
        let settings = self.settings;
        let share = number as f64 / (settings.train.generations.max(2) - 1) as f64;
        let first = self.state.games;
        let shard = self.layout.shard(first, first + u64::from(settings.selfplay.games) - 1);
        let journal_path = self.layout.journal();
        if !shard.exists() {
            let generation = Generation {
                game: self.game,
                selfplay: settings.selfplay,
                search: settings.search,
                weights: self.player()?,
                seed: settings.train.seed,
                threads: settings.train.threads,
                number,
                first,
                visits: settings.selfplay.visits_at(share),
                shard: &shard,
                journal: &journal_path,
            };
            match generation.play(self.progress, self.stop)? {
                Some(metrics) => journal::append(&self.metrics("selfplay"), &metrics)?,
                None => return Ok(false),
            }
        }
        self.add_games(&shard)?;

        let lesson = Lesson {
            game: self.game,
            learn: settings.learn,
            loss: settings.loss,
            optimiser: settings.optimiser,
            schedule: settings.schedule,
            replay: settings.replay,
            seed: settings.train.seed,
            generation: number,
            generations: settings.train.generations,
            samples: self.state.samples,
        };
        let weights = self.state.weights.clone();
        let threads = settings.train.threads;
        let mut trainer = Trainer::new(self.state.shape, settings.network, weights, threads)?;
        let Some(metrics) = lesson.give(&mut trainer, &self.window, self.progress, self.stop)
        else {
            return Ok(false);
        };
        self.state.weights = trainer.weights().clone();
        self.state.samples = metrics.samples;
        self.state.generation += 1;
        self.state.games += u64::from(settings.selfplay.games);
        self.state.positions = self.window.total();
        self.state.seconds += started.elapsed().as_secs_f64();
        self.state.window_before = self.window.before();
        self.state.window_first_game =
            self.window.games().next().map_or(self.state.games, |game| game.index);
        publish(self.layout, &self.state)?;
        journal::append(&self.metrics("learn"), &metrics)?;
        self.prune()?;
        Ok(true)
    }

    /// Deletes what nobody needs any more.
    fn prune(&self) -> Result<(), TrainError> {
        let train = self.settings.train;
        let keep = Keep { newest: train.keep_states, milestone_steps: train.milestone_steps };
        let mut plan = prune::plan_run(self.layout, Some(self.state.weights.steps), keep)?;
        if train.keep_games {
            plan.shards.clear();
        }
        Ok(prune::execute(self.layout, &plan)?)
    }

    /// The file of one room's metrics.
    fn metrics(&self, room: &str) -> PathBuf {
        self.layout.metrics().join(format!("{room}.jsonl"))
    }

    fn is_measuring_due(&self) -> Result<bool, TrainError> {
        let (now, train) = (self.state.generation, self.settings.train);
        let due = now == 0
            || now >= train.generations
            || (train.measure_every > 0 && now.is_multiple_of(train.measure_every));
        let done = journal::read(&self.metrics("ladder"))?;
        Ok(due && !done.iter().any(|entry| entry["generation"] == now))
    }

    /// Measures the player against the fixed opponents. False if stopped on the way.
    fn measure(&mut self) -> Result<bool, TrainError> {
        let train = self.settings.train;
        let last = self.state.generation >= train.generations;
        let games = if last { train.final_games } else { train.measure_games };
        let arena = ArenaSettings { games, threads: train.threads, ..self.settings.arena.clone() };
        let measure = Measure {
            game: self.game,
            name: &format!("generation {}", self.state.generation),
            weights: &self.player()?,
            search: self.settings.search,
            visits: train.measure_visits,
            arena: &arena,
            seed: train.seed,
        };
        let Some(ladder) = measure.ladder(self.progress, self.stop)? else { return Ok(false) };
        self.progress.say(&ladder.table());
        let entry = serde_json::json!({
            "generation": self.state.generation,
            "games": self.state.games,
            "positions": self.state.positions,
            "steps": self.state.weights.steps,
            "seconds": self.state.seconds,
            "visits": train.measure_visits,
            "ladder": ladder,
        });
        journal::append(&self.metrics("ladder"), &entry)?;
        Ok(true)
    }
}
