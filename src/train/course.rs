//! A run on its way: its newest state and its window, and what is done with them in turn.

use super::generation::Generation;
use super::lesson::{LearnMetrics, Lesson};
use super::measure::Measure;
use super::memory::MemoryPlan;
use super::shards::{self, read_shard};
use super::tally::SelfplayMetrics;
use super::{RunSettings, STATE_FILE, TrainError, alarms, clock, fault, publish};
use crate::arena::{ArenaSettings, StaticEvaluation};
use crate::codec::Encode;
use crate::disk::{DiskError, atomic};
use crate::endgame::{Oracle, probe};
use crate::game::Notation;
use crate::learn::{Budget, Pace, Span, Spent, State, Trainer, Weights};
use crate::metrics::{Progress, journal};
use crate::nn::{EngineWeights, flat};
use crate::record::{Owner, shard};
use crate::replay::Window;
use crate::run::prune::{self, Keep};
use crate::run::{self, Champion, Layout, ShardFile, StateCard};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub struct Course<'a, G: Notation> {
    game: &'a G,
    settings: RunSettings<'a>,
    budget: Budget,
    layout: &'a Layout,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    state: State,
    window: Window<G>,
    /// Bytes that the window may take.
    window_limit: u64,
    /// Endgame tables, if self-play is to use them.
    oracle: Option<Arc<dyn Oracle<G>>>,
    /// What has been spent since the newest state.
    meter: clock::Meter,
    /// Seconds of measuring since the newest state.
    measuring: f64,
}

impl<'a, G: Encode + Notation + StaticEvaluation> Course<'a, G> {
    /// The run in `layout` as its newest sound state has it, or a new one if it has no state. An
    /// error if it has states and none is sound: nothing is written then.
    pub fn open(
        game: &'a G,
        settings: RunSettings<'a>,
        layout: &'a Layout,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Result<Self, TrainError> {
        let newest = run::state::newest(layout)?;
        if newest.state.is_none() && !newest.skipped.is_empty() {
            return Err(no_sound_state(layout, &newest.skipped).into());
        }
        for skipped in &newest.skipped {
            progress.say(&format!("passed over: {skipped}"));
        }
        let state = match newest.state {
            Some((folder, card)) => {
                let path = folder.join(STATE_FILE);
                let state = State::load(&path)?;
                check_state(game, &path, &card, &state)?;
                // A kill may have come between the state and the champion.
                if let Some(damage) = Champion::follow(layout, &card)? {
                    progress.say(&format!("put right, by the newest state: {damage}"));
                }
                state
            }
            None => {
                let initial = flat::initial(game.shape(), settings.network, settings.train.seed)?;
                let weights = Weights::new(initial);
                let state = State::first(game.shape(), settings.network.clone(), weights);
                publish(layout, &state)?;
                state
            }
        };
        if state.network != *settings.network {
            return Err(TrainError::OtherNetwork(format!(
                "it was begun with {:?}, the settings now say {:?}; `fork` makes a run of another \
                 network out of this one",
                state.network, settings.network
            )));
        }
        // Runs and tables lie side by side in the folder of all data.
        let data = layout.root().parent().unwrap_or(Path::new("."));
        let plan = MemoryPlan::of(game, &settings, state.origin.games, data)?;
        let taught = settings.selfplay.taught_by_tables();
        let oracle = taught.then(|| probe::oracle(game, data)).transpose()?;
        let window = Window::after(state.window_before);
        let meter = clock::Meter::start(Spent::default());
        let budget = settings.train.budget();
        let mut course = Self {
            game,
            settings,
            budget,
            layout,
            progress,
            stop,
            state,
            window,
            window_limit: plan.window_limit(),
            oracle,
            meter,
            measuring: 0.0,
        };
        course.fill_window()?;
        let ladder = course.metrics("ladder");
        let passed_over = journal::look(&ladder)?.1;
        if passed_over > 0 {
            let ladder = ladder.display();
            progress.say(&format!("{ladder}: lines that could not be read: {passed_over}"));
        }
        let unsettled = clock::carried(layout, course.stand());
        course.meter = clock::Meter::start(unsettled.spent);
        course.measuring = unsettled.measuring;
        Ok(course)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Is the run's budget used up?
    pub fn is_over(&self) -> bool {
        self.state.warm_up == 0 && self.budget.is_over(&self.state.done())
    }

    /// Puts the games that the state's window held back into the window, in their order.
    fn fill_window(&mut self) -> Result<(), TrainError> {
        let (first, until) = (self.state.window_first_game, self.state.games);
        for shard in shards::of_window(self.layout, first..until)? {
            for game in read_shard(self.game, &shard, self.owner(), self.progress)? {
                if game.index >= first {
                    self.window.push(self.settings.replay, game);
                }
            }
            self.window.fit(self.window_limit);
        }
        let (counted, held) = (self.state.positions, self.window.total());
        // A fork may hold out other games than the run that it came from.
        if counted != held && until > self.state.origin.games {
            self.progress.say(&format!(
                "the newest state counts {counted} positions, with the games of the shards there \
                 are {held}: damaged games came or went, or one of them is of another run"
            ));
        }
        Ok(())
    }

    /// Whose games the shards must hold.
    fn owner(&self) -> Owner {
        Owner { seed: self.settings.train.seed, own_from: self.state.origin.games }
    }

    /// What names the newest state: its generation and step.
    fn stand(&self) -> (u64, u64) {
        (self.state.generation, self.state.weights.steps)
    }

    /// Keeps on disk what has been spent since the newest state.
    fn keep_spent(&self) -> Result<(), DiskError> {
        let unsettled = clock::Unsettled { spent: self.meter.read(), measuring: self.measuring };
        clock::keep(self.layout, self.stand(), unsettled)
    }

    /// The network that plays: the averaged weights.
    fn player(&self) -> Result<Arc<EngineWeights>, TrainError> {
        let State { shape, network, weights, .. } = &self.state;
        Ok(Arc::new(EngineWeights::new(&flat::network(*shape, network, &weights.averaged)?)))
    }

    /// The warm-up of a fork, or one generation and its lesson. False if stopped on the way.
    pub fn advance(&mut self) -> Result<bool, TrainError> {
        let done = if self.state.warm_up > 0 { self.warm_up()? } else { self.generation()? };
        if !done {
            self.keep_spent()?;
        }
        Ok(done)
    }

    /// Learns from the games that came with a fork, and begins to count the reuse from there.
    fn warm_up(&mut self) -> Result<bool, TrainError> {
        let steps = self.state.warm_up;
        self.progress.say(&format!("warming up: {steps} steps on the games that are there"));
        let span = Span { from: 0.0, to: 0.0 };
        let Some(metrics) = self.learn(span, Some(steps))? else { return Ok(false) };
        self.state.warm_up = 0;
        self.state.origin.samples = metrics.samples;
        self.state.origin.positions = self.window.total();
        self.state.origin.steps = self.state.weights.steps;
        self.account();
        self.settle(&metrics)?;
        Ok(true)
    }

    fn generation(&mut self) -> Result<bool, TrainError> {
        let games = u64::from(self.settings.selfplay.games);
        let pace = self.state.pace;
        let span = self.budget.span(&self.state.done(), games, pace.reached(&self.budget));
        let first = self.state.games;
        let last = first + games - 1;
        let shard = ShardFile { path: self.layout.shard(first, last), first, last };
        if !self.play(&shard, span)? {
            return Ok(false);
        }
        for game in read_shard(self.game, &shard, self.owner(), self.progress)? {
            self.window.push(self.settings.replay, game);
        }
        self.window.shrink(self.settings.replay);
        self.window.fit(self.window_limit);
        let Some(metrics) = self.learn(span, None)? else { return Ok(false) };
        self.state.generation += 1;
        self.state.games += games;
        self.state.positions = self.window.total();
        self.state.window_before = self.window.before();
        self.state.window_first_game =
            self.window.games().next().map_or(self.state.games, |game| game.index);
        self.state.last = self.account();
        let same = pace.budget == self.budget;
        self.state.pace = Pace {
            budget: self.budget,
            progress: span.to,
            decay_step: pace.decay_step.filter(|_| same).or(metrics.decay_step),
        };
        self.settle(&metrics)?;
        Ok(true)
    }

    /// Plays the next generation unless its shard stands already. False if stopped on the way.
    fn play(&mut self, shard: &ShardFile, span: Span) -> Result<bool, TrainError> {
        let settings = self.settings;
        let state = &self.state;
        // Where steps end the run, it is not known when a generation begins how far it will come.
        let by_steps = if self.budget.steps > 0 { span.from } else { 0.0 };
        let visits = settings.selfplay.visits_at(span.as_last_is_one().max(by_steps));
        if shard.path.exists() {
            self.tell_again(shard, visits)?;
            return Ok(true);
        }
        let generation = Generation {
            game: self.game,
            selfplay: settings.selfplay,
            search: settings.search,
            weights: self.player()?,
            seed: settings.train.seed,
            threads: settings.train.threads,
            number: state.generation,
            first: state.games,
            visits,
            oracle: self.oracle.clone(),
            shard: &shard.path,
            journal: &self.layout.journal(),
        };
        let Some(metrics) = generation.play(self.progress, self.stop)? else { return Ok(false) };
        self.tell_selfplay(&metrics)?;
        self.keep_spent()?;
        Ok(true)
    }

    /// A kill may have come between the shard and what is told of it: tells what the games show.
    fn tell_again(&self, file: &ShardFile, visits: u32) -> Result<(), TrainError> {
        let number = self.state.generation;
        let told = journal::read(&self.metrics("selfplay"))?;
        if told.iter().any(|line| line["generation"] == number) {
            return Ok(());
        }
        let shard = shard::read(&file.path)?;
        shard.check_owner(&file.path, file.first..=file.last, self.owner())?;
        Ok(self.tell_selfplay(&SelfplayMetrics::of(number, visits, &shard.games))?)
    }

    /// Writes down what self-play did, and raises its alarms.
    fn tell_selfplay(&self, metrics: &SelfplayMetrics) -> Result<(), DiskError> {
        journal::append(&self.metrics("selfplay"), metrics)?;
        self.raise(&alarms::of_selfplay(self.settings.alarms, metrics))
    }

    /// A lesson on the window; the state gets its weights. `None` if stopped on the way.
    fn learn(
        &mut self,
        span: Span,
        exactly: Option<u64>,
    ) -> Result<Option<LearnMetrics>, TrainError> {
        let settings = self.settings;
        let state = &mut self.state;
        let steps = self.budget.steps;
        let same = state.pace.budget == self.budget;
        let lesson = Lesson {
            game: self.game,
            learn: settings.learn,
            loss: settings.loss,
            optimiser: settings.optimiser,
            schedule: settings.schedule,
            replay: settings.replay,
            seed: settings.train.seed,
            generation: state.generation,
            span,
            samples: state.samples,
            origin: state.origin,
            exactly,
            last_step: (exactly.is_none() && steps > 0).then_some(state.origin.steps + steps),
            decay_step: state.pace.decay_step.filter(|_| same),
        };
        let mut trainer = Trainer::new(
            state.shape,
            settings.network,
            state.weights.clone(),
            state.guard,
            settings.learn.device,
            settings.train.threads,
        )?;
        let given = lesson.give(&mut trainer, &self.window, self.progress, self.stop);
        if let Some(metrics) = &given {
            state.weights = trainer.weights().clone();
            state.guard = trainer.guard();
            state.samples = metrics.samples;
        }
        Ok(given)
    }

    /// Adds to the state what has been spent since the one before, and gives it. Measuring takes
    /// time of the run, but says nothing about how long the next generation takes.
    fn account(&mut self) -> Spent {
        let spent = self.meter.take();
        let measuring = Spent { seconds: std::mem::take(&mut self.measuring), cpu_seconds: 0.0 };
        self.state.spent = self.state.spent + spent + measuring;
        spent
    }

    /// Publishes the state after a lesson, then says what the lesson did.
    fn settle(&self, metrics: &LearnMetrics) -> Result<(), TrainError> {
        for refusal in &metrics.refusals {
            let lines = refusal.batch.iter().map(serde_json::to_string);
            let text: Vec<String> = lines.filter_map(Result::ok).collect();
            let name = format!("refused-{:012}.jsonl", refusal.first_sample);
            let path = self.layout.metrics().join(name);
            atomic::write(&path, (text.join("\n") + "\n").as_bytes())?;
        }
        publish(self.layout, &self.state)?;
        clock::forget(self.layout)?;
        journal::append(&self.metrics("learn"), metrics)?;
        for refusal in &metrics.refusals {
            journal::append(&self.metrics("refused"), refusal)?;
        }
        self.raise(&alarms::of_lesson(self.settings.alarms, self.settings.replay, metrics))?;
        Ok(self.prune()?)
    }

    /// Says and writes down alarms; a refused step has been said when it happened.
    fn raise(&self, alarms: &[alarms::Alarm]) -> Result<(), DiskError> {
        for alarm in alarms {
            if alarm.kind != "step" {
                self.progress.say(&format!("ALARM {}", alarm.text));
            }
            journal::append(&self.metrics("alarms"), alarm)?;
        }
        Ok(())
    }

    /// Deletes what nobody needs any more.
    fn prune(&self) -> Result<(), DiskError> {
        let train = self.settings.train;
        let keep = Keep { newest: train.keep_states, milestone_steps: train.milestone_steps };
        let mut plan = prune::plan_run(self.layout, Some(self.state.weights.steps), keep)?;
        if train.keep_games {
            plan.shards.clear();
        }
        prune::execute(self.layout, &plan)
    }

    /// The file of one room's metrics.
    fn metrics(&self, room: &str) -> PathBuf {
        self.layout.metrics().join(format!("{room}.jsonl"))
    }

    pub fn is_measuring_due(&self) -> Result<bool, DiskError> {
        let (now, every) = (self.state.generation, self.settings.train.measure_every);
        let due = self.is_over() || now == 0 || (every > 0 && now.is_multiple_of(every));
        let due = due && self.state.warm_up == 0;
        let done = journal::read(&self.metrics("ladder"))?;
        let is_done = |entry: &serde_json::Value| {
            entry["generation"] == now && entry["ladder"]["rows"].is_array()
        };
        Ok(due && !done.iter().any(is_done))
    }

    /// Measures the player against the fixed opponents. False if stopped on the way.
    pub fn measure(&mut self) -> Result<bool, TrainError> {
        let train = self.settings.train;
        let is_last = self.is_over();
        let games = if is_last { train.final_games } else { train.measure_games };
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
        let (progress, stop) = (self.progress, self.stop);
        let (measured, spent) = self.meter.leave_out(|| measure.ladder(progress, stop));
        // The final measuring comes on top of the run's time.
        if !is_last {
            self.measuring += spent.seconds;
            self.keep_spent()?;
        }
        let Some(ladder) = measured? else { return Ok(false) };
        self.progress.say(&ladder.table());
        let Spent { seconds, cpu_seconds } = self.state.spent;
        let entry = serde_json::json!({
            "generation": self.state.generation,
            "games": self.state.games,
            "positions": self.state.positions,
            "steps": self.state.weights.steps,
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "visits": train.measure_visits,
            "ladder": ladder,
        });
        let earlier = journal::read(&self.metrics("ladder"))?;
        fault::reach("after-measuring");
        journal::append(&self.metrics("ladder"), &entry)?;
        self.raise(&alarms::of_ladder(&earlier, &entry))?;
        Ok(true)
    }
}

/// Refuses a state of another game or other rules than the run's, and one that is not what its
/// card says.
fn check_state<G: Encode>(
    game: &G,
    path: &Path,
    card: &StateCard,
    state: &State,
) -> Result<(), TrainError> {
    let foreign = |what| Err(TrainError::ForeignState { path: path.to_path_buf(), what });
    if state.shape != game.shape() {
        let (sees, needs) = (state.shape, game.shape());
        return foreign(format!("a state of another game: it sees {sees}; the run has {needs}"));
    }
    if *card != super::card(state) {
        return foreign(String::from("it is not the state that state.toml beside it describes"));
    }
    Ok(())
}

/// Why a run whose states are all unreadable does not go on, and what can be done.
fn no_sound_state(layout: &Layout, skipped: &[run::StateError]) -> run::StateError {
    let mut why = String::from(
        "none of the states in it can be used, and nothing was touched. Bring one back from a \
         copy; or move this folder away: the run then begins anew, and learns again from those of \
         its games that are still there (a fork is better forked again). What is wrong:",
    );
    skipped.iter().for_each(|error| why += &format!("\n  {error}"));
    run::StateError::Damaged { path: layout.states(), why }
}
