//! Whole runs of a few tiny games: what is stopped anywhere goes on to the bit, and runs end where
//! they were asked to.

use super::*;
use crate::disk;
use crate::game::jungle::{Jungle, Limit, Rules};
use crate::metrics::journal;
use rand::RngExt;
use std::sync::atomic::{AtomicI64, Ordering};

/// All settings of a run that takes a second.
pub struct Tiny {
    pub game: Jungle,
    pub train: TrainSettings,
    pub network: NetworkSettings,
    pub search: SearchSettings,
    pub selfplay: SelfplaySettings,
    pub replay: ReplaySettings,
    pub learn: LearnSettings,
    pub loss: LossSettings,
    pub optimiser: OptimiserSettings,
    pub schedule: ScheduleSettings,
    pub arena: ArenaSettings,
    pub alarms: AlarmSettings,
}

impl Default for Tiny {
    fn default() -> Self {
        Self {
            // A limit of the rules gives results to learn from; one of self-play would not.
            game: Jungle::new(Rules { max_plies: Limit(Some(12)), ..Rules::default() }).unwrap(),
            train: TrainSettings {
                generations: 3,
                measure_every: 0,
                measure_games: 2,
                final_games: 2,
                measure_visits: 2,
                ..TrainSettings::default()
            },
            network: NetworkSettings { blocks: 1, channels: 8, ..NetworkSettings::default() },
            search: SearchSettings::default(),
            selfplay: SelfplaySettings {
                games: 6,
                visits: 2,
                final_visits: 3,
                max_plies: 14,
                cache_mib: 1,
                ..SelfplaySettings::default()
            },
            replay: ReplaySettings {
                holdout_every: 5,
                min_positions: 40,
                slope: 0.1,
                ..ReplaySettings::default()
            },
            learn: LearnSettings { batch: 16, ..LearnSettings::default() },
            loss: LossSettings::default(),
            optimiser: OptimiserSettings::default(),
            schedule: ScheduleSettings { warmup_steps: 4, ..ScheduleSettings::default() },
            arena: ArenaSettings { max_plies: 20, ..ArenaSettings::default() },
            alarms: AlarmSettings::default(),
        }
    }
}

impl Tiny {
    pub fn settings(&self) -> RunSettings<'_> {
        RunSettings {
            train: &self.train,
            network: &self.network,
            search: &self.search,
            selfplay: &self.selfplay,
            replay: &self.replay,
            learn: &self.learn,
            loss: &self.loss,
            optimiser: &self.optimiser,
            schedule: &self.schedule,
            arena: &self.arena,
            alarms: &self.alarms,
        }
    }

    pub fn go(&self, layout: &Layout, progress: &dyn Progress, stop: &AtomicBool) -> Finish {
        train(&self.game, self.settings(), layout, progress, stop).unwrap()
    }

    /// Runs to the end, undisturbed.
    pub fn complete(&self, layout: &Layout) {
        assert_eq!(self.go(layout, &(), &AtomicBool::new(false)), Finish::Complete);
    }
}

pub fn folder() -> (tempfile::TempDir, Layout) {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::at(dir.path().join("run"));
    layout.folders().iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    (dir, layout)
}

/// The newest state, without its clocks.
pub fn newest(layout: &Layout) -> State {
    let (folder, _) = run::state::newest(layout).unwrap().state.unwrap();
    let state = State::load(&folder.join(STATE_FILE)).unwrap();
    State { spent: Default::default(), last: Default::default(), ..state }
}

/// Names and bytes of all shards.
pub fn shards(layout: &Layout) -> Vec<(String, Vec<u8>)> {
    let files = disk::entries(&layout.shards()).unwrap();
    files.into_iter().map(|file| (file.name, disk::read(&file.path).unwrap())).collect()
}

/// Scores of all measurements.
fn scores(layout: &Layout) -> Vec<String> {
    let entries = journal::read(&layout.metrics().join("ladder.jsonl")).unwrap();
    let rows = entries.iter().flat_map(|entry| entry["ladder"]["rows"].as_array().unwrap());
    rows.map(|row| format!("{} {}", row["opponent"], row["pairs"])).collect()
}

/// Sets the stop flag when so many games and steps have been seen.
pub struct StopAfter<'a> {
    left: AtomicI64,
    stop: &'a AtomicBool,
}

impl<'a> StopAfter<'a> {
    pub fn new(left: i64, stop: &'a AtomicBool) -> Self {
        Self { left: AtomicI64::new(left), stop }
    }
}

impl Progress for StopAfter<'_> {
    fn begin(&self, _title: &str, _unit: &str, _total: Option<u64>) {}
    fn set(&self, _done: u64) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.stop.store(true, Ordering::SeqCst);
        }
    }
    fn note(&self, _text: &str) {}
    fn end(&self, _summary: &str) {}
    fn say(&self, _line: &str) {}
}

#[test]
fn ten_stops_anywhere_change_nothing() {
    let tiny = Tiny::default();
    let (_straight, straight) = folder();
    tiny.complete(&straight);
    let (_broken, broken) = folder();
    let mut stream = crate::rng::stream(7, "stops", 0);
    let mut stops = 0;
    loop {
        let stop = AtomicBool::new(false);
        // Whatever is broken off must come forward: at least a game or a whole short lesson.
        let left = if stops < 10 { stream.random_range(1..14) } else { i64::MAX };
        let progress = StopAfter::new(left, &stop);
        match tiny.go(&broken, &progress, &stop) {
            Finish::Complete => break,
            finish => assert_eq!(finish, Finish::Interrupted),
        }
        stops += 1;
    }
    assert_eq!(stops, 10);
    assert_eq!(newest(&broken), newest(&straight));
    assert_eq!(shards(&broken), shards(&straight));
    assert_eq!(scores(&broken), scores(&straight));
    assert_eq!(scores(&straight).len(), 8);
    let learn = journal::read(&straight.metrics().join("learn.jsonl")).unwrap();
    let value = |entry: &serde_json::Value| entry["value"].as_f64().unwrap();
    assert!(value(&learn[2]) < value(&learn[0]) - 0.01, "nothing was learnt: {learn:?}");
}

#[test]
fn what_pruning_leaves_is_enough_to_go_on() {
    let mut tiny = Tiny::default();
    tiny.train.generations = 5;
    let (_all, all) = folder();
    tiny.complete(&all);
    tiny.train.keep_games = false;
    tiny.train.keep_states = 1;
    tiny.train.milestone_steps = 0;
    let (_pruned, pruned) = folder();
    // One generation a process, so that each goes on from what the one before left.
    for generation in 1..=5 {
        let settings = tiny.settings();
        let stop = AtomicBool::new(false);
        let before = |state: &State| state.generation < generation;
        train_while(&tiny.game, settings, &pruned, &(), &stop, &before).unwrap();
    }
    assert_eq!(newest(&pruned), newest(&all));
    let (left, all) = (shards(&pruned), shards(&all));
    assert!(left.len() < all.len() && all.ends_with(&left), "{} shards left", left.len());
    assert_eq!(pruned.list_states().unwrap().len(), 1);
}

#[test]
fn the_window_is_kept_within_the_memory_that_is_left() {
    let mut tiny = Tiny::default();
    tiny.replay.min_positions = 1_000_000;
    let (_dir, free) = folder();
    tiny.complete(&free);
    let all = newest(&free);
    assert_eq!(all.window_first_game, 0);

    // Room for about half of these games beside all else.
    let data = free.root().parent().unwrap();
    let owner = crate::record::Owner { seed: tiny.train.seed, own_from: 0 };
    let held: u64 = free
        .list_shards()
        .unwrap()
        .iter()
        .flat_map(|shard| read_shard(&tiny.game, shard, owner, &()).unwrap())
        .map(|game| game.bytes())
        .sum();
    let plan = MemoryPlan::of(&tiny.game, &tiny.settings(), 0, data).unwrap();
    let others = plan.total() - plan.parts()[0].bytes;
    tiny.train.memory_gib = (others + held / 2) as f64 / f64::from(1 << 30);
    let (_dir, bound) = folder();
    tiny.complete(&bound);
    let state = newest(&bound);
    assert!(state.window_first_game > 0 && state.window_before > 0, "{}", held);
    assert_eq!(state.games, all.games);

    // A run goes on in it to the bit.
    let (_dir, resumed) = folder();
    for generation in 1..=3 {
        let before = |state: &State| state.generation < generation;
        let stop = AtomicBool::new(false);
        train_while(&tiny.game, tiny.settings(), &resumed, &(), &stop, &before).unwrap();
    }
    assert_eq!(newest(&resumed), state);
}

#[test]
fn a_run_ends_with_the_step_or_the_games_asked_for() {
    let mut tiny = Tiny::default();
    tiny.train.steps = 40;
    let (_dir, layout) = folder();
    tiny.complete(&layout);
    let state = newest(&layout);
    assert_eq!(state.weights.steps, 40);
    assert!(state.pace.decay_step.is_some_and(|step| (28..30).contains(&step)));
    let learn = journal::read(&layout.metrics().join("learn.jsonl")).unwrap();
    let rate = |entry: &serde_json::Value| entry["learning_rate"].as_f64().unwrap();
    assert_eq!(rate(&learn[0]), 1e-3);
    assert!(rate(learn.last().unwrap()) < 0.1e-3, "{learn:?}");

    let mut tiny = Tiny::default();
    tiny.train.games = 13;
    let (_dir, layout) = folder();
    tiny.complete(&layout);
    assert_eq!((newest(&layout).generation, newest(&layout).games), (3, 18));
}

#[test]
fn a_run_under_a_clock_ends_measured_and_goes_on_with_more() {
    let mut tiny = Tiny::default();
    tiny.train.hours = 1e-6;
    let (_dir, layout) = folder();
    tiny.complete(&layout);
    // The time was up with the first generation, whatever the machine.
    assert_eq!((newest(&layout).generation, scores(&layout).len()), (1, 8));
    tiny.complete(&layout);
    assert_eq!((newest(&layout).generation, scores(&layout).len()), (1, 8));
    tiny.train.hours = 0.0;
    tiny.complete(&layout);
    assert_eq!(newest(&layout).generation, 3);
}

#[test]
fn games_held_out_are_judged_and_counted_nowhere() {
    let tiny = Tiny::default();
    let (_dir, layout) = folder();
    tiny.complete(&layout);
    let learn = journal::read(&layout.metrics().join("learn.jsonl")).unwrap();
    assert!(learn.iter().all(|entry| entry["held_out"]["value"].as_f64().unwrap() > 0.0));
    let selfplay = journal::read(&layout.metrics().join("selfplay.jsonl")).unwrap();
    let played: u64 = selfplay.iter().map(|entry| entry["positions"].as_u64().unwrap()).sum();
    assert!(newest(&layout).positions < played);
}

#[test]
fn a_lesson_without_steps_says_when_there_will_be_some() {
    let mut tiny = Tiny::default();
    tiny.replay.reuse = 0.01;
    tiny.train.generations = 1;
    let (_dir, layout) = folder();
    tiny.complete(&layout);
    let learn = journal::read(&layout.metrics().join("learn.jsonl")).unwrap();
    let idle = learn[0]["idle"].as_str().unwrap();
    assert!(idle.starts_with("the reuse of 0.01 allows none until 15"), "{idle}");
    assert!(idle.ends_with("more positions have been played"), "{idle}");
}

pub fn paused_after(tiny: &Tiny, layout: &Layout, generations: u64) {
    let before = |state: &State| state.generation < generations;
    let stop = AtomicBool::new(false);
    let finish = train_while(&tiny.game, tiny.settings(), layout, &(), &stop, &before).unwrap();
    assert_eq!(finish, Finish::Paused);
}

#[test]
fn a_packed_run_goes_on_elsewhere_to_the_bit() {
    use crate::run::{Manifest, Run, pack, unpack};
    let tiny = Tiny::default();
    let data = tempfile::tempdir().unwrap();
    let manifest = Manifest::new(&tiny.game, None, <Jungle as Encode>::CODEC_VERSION, 1);
    let here = Run::create(data.path(), "here", &manifest, "").unwrap().layout;
    paused_after(&tiny, &here, 2);
    // A generation in progress goes along, too.
    let stop = AtomicBool::new(false);
    let progress = StopAfter::new(3, &stop);
    assert_eq!(tiny.go(&here, &progress, &stop), Finish::Interrupted);
    let file = data.path().join("here.pack");
    pack(&here, "here", &file).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    unpack(&file, elsewhere.path(), Some("there")).unwrap();
    let there = Layout::new(elsewhere.path(), "there").unwrap();
    tiny.complete(&here);
    tiny.complete(&there);
    assert_eq!(newest(&there), newest(&here));
    let (few, all) = (shards(&there), shards(&here));
    assert!(!few.is_empty() && all.ends_with(&few));
    assert_eq!(scores(&there), scores(&here));
}

/// A finished run, and a fork of it with another size of network or the same.
pub fn forked(
    channels: usize,
    with_games: bool,
) -> (Tiny, State, State, tempfile::TempDir, Layout) {
    let mut tiny = Tiny::default();
    let (_mother, mother) = folder();
    tiny.complete(&mother);
    let source = newest(&mother);
    tiny.network.channels = channels;
    let fork = fork::Fork {
        source: &source,
        with_games,
        network: &tiny.network,
        seed: 1,
        batch: tiny.learn.batch,
        warm_up: None,
    };
    let state = fork.state(&tiny.game).unwrap();
    let (dir, layout) = folder();
    fork::fill(&state, with_games.then_some(&mother), &layout).unwrap();
    (tiny, source, state, dir, layout)
}

#[test]
fn a_fork_with_its_games_goes_on_where_the_run_ended() {
    let (mut tiny, source, state, _dir, layout) = forked(8, true);
    assert_eq!((&state.weights, state.warm_up), (&source.weights, 0));
    assert_eq!((state.games, state.samples), (source.games, source.samples));
    assert_eq!((state.generation, state.done().games), (0, 0));
    tiny.train.generations = 1;
    tiny.complete(&layout);
    let after = newest(&layout);
    assert_eq!((after.games, after.done().games), (source.games + 6, 6));
    // The reuse is counted from the fork on.
    let learnt = after.samples - source.samples;
    let played = after.positions - source.positions;
    assert!(learnt <= 4 * played && learnt + 16 > 4 * played, "{learnt} of {played}");
}

#[test]
fn a_fork_with_a_larger_network_warms_up_on_the_old_games_first() {
    let (mut tiny, source, state, _dir, layout) = forked(16, true);
    assert!(state.weights.raw.len() > source.weights.raw.len());
    let window = source.positions - source.window_before;
    assert_eq!(state.warm_up, (2 * window).div_ceil(16));
    let stop = AtomicBool::new(false);
    let before = |state: &State| state.warm_up > 0;
    train_while(&tiny.game, tiny.settings(), &layout, &(), &stop, &before).unwrap();
    let warm = newest(&layout);
    assert_eq!((warm.weights.steps, warm.warm_up, warm.generation), (state.warm_up, 0, 0));
    assert_eq!((warm.games, warm.done().steps), (source.games, 0));
    let learn = journal::read(&layout.metrics().join("learn.jsonl")).unwrap();
    assert_eq!(learn.len(), 1);
    assert!((1.9..2.2).contains(&learn[0]["reuse"].as_f64().unwrap()), "{learn:?}");
    assert_eq!(journal::read(&layout.metrics().join("alarms.jsonl")).unwrap().len(), 0);
    tiny.train.generations = 1;
    tiny.complete(&layout);
    assert_eq!(newest(&layout).games, source.games + 6);
}

#[test]
fn a_fork_without_games_has_only_the_weights() {
    let (mut tiny, source, state, _dir, layout) = forked(8, false);
    assert_eq!((&state.weights, state.games, state.samples), (&source.weights, 0, 0));
    tiny.train.generations = 1;
    tiny.complete(&layout);
    assert_eq!(layout.list_shards().unwrap()[0].first, 0);
    let hash = fork::model_hash(&source).unwrap();
    assert_eq!(hash.len(), 64);
    assert_ne!(hash, fork::model_hash(&newest(&layout)).unwrap());
}

#[test]
fn the_status_of_a_run_is_read_from_its_folder() {
    let tiny = Tiny::default();
    let (_dir, layout) = folder();
    let status = || Status::gather(&layout, &tiny.train, 6).unwrap();
    assert!(!status().begun);
    paused_after(&tiny, &layout, 2);
    let half = status();
    assert!((half.progress - 2.0 / 3.0).abs() < 1e-9 && !half.over);
    assert_eq!((half.generation, half.games, half.ladder.len()), (2, 12, 1));
    assert!(half.seconds_left.is_some_and(|left| left > 0.0));
    tiny.complete(&layout);
    let over = status();
    assert!(over.over && over.progress == 1.0 && over.ladder.len() == 2);
    assert_eq!(over.ladder[1].scores.len(), 4);
    assert!(over.lesson.is_some_and(|lesson| Status::losses(&lesson).value > 0.0));
}
