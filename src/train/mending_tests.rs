//! What a kill or a loss leaves behind: what can be mended is, and the rest is refused with nothing
//! touched.

use super::tests::{StopAfter, Tiny, folder, newest, paused_after, shards};
use super::*;
use crate::learn::Spent;
use crate::metrics::journal;
use crate::record::Journal;
use std::sync::Mutex;

/// Keeps what is said.
#[derive(Default)]
struct Said(Mutex<Vec<String>>);

impl Progress for Said {
    fn begin(&self, _title: &str, _unit: &str, _total: Option<u64>) {}
    fn set(&self, _done: u64) {}
    fn note(&self, _text: &str) {}
    fn end(&self, _summary: &str) {}
    fn say(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_string());
    }
}

fn lines(layout: &Layout, room: &str) -> Vec<serde_json::Value> {
    journal::read(&layout.metrics().join(format!("{room}.jsonl"))).unwrap()
}

/// Goes on until the first game of the next generation has ended.
fn stopped_in_self_play(tiny: &Tiny, layout: &Layout) {
    let stop = AtomicBool::new(false);
    let finish = tiny.go(layout, &StopAfter::new(2, &stop), &stop);
    assert_eq!(finish, Finish::Interrupted);
    let games = Journal::look(&layout.journal()).unwrap().games.len();
    assert!((1..6).contains(&games), "{games}");
}

#[test]
fn a_run_without_a_sound_state_is_not_begun_anew() {
    let mut tiny = Tiny::default();
    tiny.train.generations = 1;
    let (_dir, layout) = folder();
    tiny.complete(&layout);
    let (state, champion) = (newest(&layout), Champion::load(&layout).unwrap());
    for step in layout.list_states().unwrap() {
        std::fs::write(layout.state(step).join(STATE_FILE), b"torn").unwrap();
    }
    let stop = AtomicBool::new(false);
    let error = train(&tiny.game, tiny.settings(), &layout, &(), &stop).unwrap_err().to_string();
    for told in ["none of the states in it can be used", "step-00000000", "found 4", "move this"] {
        assert!(error.contains(told), "{told}: {error}");
    }
    assert_eq!(Champion::load(&layout).unwrap(), champion);
    for step in layout.list_states().unwrap() {
        assert_eq!(std::fs::read(layout.state(step).join(STATE_FILE)).unwrap(), b"torn");
    }
    // The way out that it names: the games are there, and are learnt from again.
    std::fs::rename(layout.states(), layout.root().join("damaged")).unwrap();
    tiny.complete(&layout);
    assert_eq!(newest(&layout), state);
}

#[test]
fn what_self_play_did_is_told_after_a_kill_behind_the_shard() {
    let mut tiny = Tiny::default();
    // Raised in every generation.
    tiny.alarms.policy_entropy = 10.0;
    tiny.train.generations = 2;
    let (_straight, straight) = folder();
    tiny.complete(&straight);
    // The shard of the second generation stands, and nothing was told of it.
    let (_killed, killed) = folder();
    paused_after(&tiny, &killed, 1);
    let shard = straight.list_shards().unwrap().pop().unwrap();
    std::fs::copy(&shard.path, killed.shard(shard.first, shard.last)).unwrap();
    tiny.complete(&killed);
    let (told, again) = (lines(&straight, "selfplay"), lines(&killed, "selfplay"));
    assert_eq!(again.len(), 2);
    for (key, value) in told[1].as_object().unwrap() {
        match again[1].get(key) {
            Some(again) => assert_eq!(again, value, "{key}"),
            None => assert!(told[0]["seconds"].is_f64() && value.is_number(), "{key}"),
        }
    }
    assert_eq!((&again[1]["games"], again[1].get("seconds")), (&6.into(), None));
    let alarms = lines(&killed, "alarms");
    let of_second = alarms.iter().filter(|a| a["kind"] == "policy" && a["generation"] == 1);
    assert_eq!(of_second.count(), 1, "{alarms:?}");
    assert_eq!(newest(&killed), newest(&straight));
}

#[test]
fn rates_leave_out_what_an_earlier_sitting_played() {
    let mut tiny = Tiny::default();
    tiny.train.generations = 1;
    let (_dir, layout) = folder();
    paused_after(&tiny, &layout, 0);
    stopped_in_self_play(&tiny, &layout);
    let before = Journal::look(&layout.journal()).unwrap().games.len();
    tiny.complete(&layout);
    let line = &lines(&layout, "selfplay")[0];
    let number = |key: &str| line[key].as_f64().unwrap();
    let counted = (number("games_per_second") * number("seconds")).round();
    assert_eq!((number("games"), counted), (6.0, (6 - before) as f64));
}

#[test]
fn what_is_cut_off_a_journal_is_said() {
    let mut tiny = Tiny::default();
    tiny.train.generations = 1;
    let (_straight, straight) = folder();
    tiny.complete(&straight);
    let (_dir, layout) = folder();
    paused_after(&tiny, &layout, 0);
    stopped_in_self_play(&tiny, &layout);
    // Damage in the first entry: what follows it is not found any more.
    let mut bytes = std::fs::read(layout.journal()).unwrap();
    bytes[20] ^= 1;
    std::fs::write(layout.journal(), &bytes).unwrap();
    let said = Said::default();
    assert_eq!(tiny.go(&layout, &said, &AtomicBool::new(false)), Finish::Complete);
    let told = format!("games.journal: {} bytes after its last whole game were cut", bytes.len());
    let said = said.0.into_inner().unwrap();
    assert!(said.iter().any(|line| line.contains(&told)), "{told}: {said:?}");
    assert_eq!(shards(&layout), shards(&straight));
}

#[test]
fn time_of_measuring_on_the_way_survives_a_stop() {
    let mut tiny = Tiny::default();
    tiny.train.generations = 1;
    let (_dir, layout) = folder();
    // Measured, and stopped before there is another state.
    paused_after(&tiny, &layout, 0);
    let kept = clock::carried(&layout, (0, 0)).measuring;
    assert!(kept > 0.0);
    tiny.complete(&layout);
    let (folder, _) = run::state::newest(&layout).unwrap().state.unwrap();
    let state = State::load(&folder.join(STATE_FILE)).unwrap();
    let measuring = state.spent.seconds - state.last.seconds;
    assert!((measuring - kept).abs() < 1e-6, "{measuring} {kept}");
    // The final measuring comes on top, and nothing is left to count again.
    assert!(!layout.spent().exists());
}

#[test]
fn time_of_a_warm_up_is_counted_once() {
    let (mut tiny, _, _, _dir, layout) = super::tests::forked(16, true);
    let ages = Spent { seconds: 1e6, cpu_seconds: 1e6 };
    clock::keep(&layout, (0, 0), clock::Unsettled { spent: ages, measuring: 0.0 }).unwrap();
    let stop = AtomicBool::new(false);
    let warm = |state: &State| state.warm_up > 0;
    train_while(&tiny.game, tiny.settings(), &layout, &(), &stop, &warm).unwrap();
    tiny.train.generations = 1;
    tiny.complete(&layout);
    let (folder, _) = run::state::newest(&layout).unwrap().state.unwrap();
    let spent = State::load(&folder.join(STATE_FILE)).unwrap().spent;
    assert!(spent.seconds >= 1e6 && spent.seconds < 2e6, "{spent:?}");
    assert!(spent.cpu_seconds >= 1e6 && spent.cpu_seconds < 2e6, "{spent:?}");
}

#[test]
fn the_beginning_of_the_decay_is_told_once() {
    let mut tiny = Tiny::default();
    tiny.schedule.decay_share = 0.6;
    let (_dir, layout) = folder();
    tiny.complete(&layout);
    let told: Vec<u64> =
        lines(&layout, "learn").iter().filter_map(|line| line["decay_step"].as_u64()).collect();
    assert_eq!(Some(told), newest(&layout).pace.decay_step.map(|step| vec![step]));
}

#[test]
fn a_fork_whose_games_are_gone_is_refused() {
    let mut tiny = Tiny::default();
    // The window reaches back to the first game.
    tiny.replay.min_positions = 1_000_000;
    let (_mother, mother) = folder();
    tiny.complete(&mother);
    let source = newest(&mother);
    let fork = fork::Fork {
        source: &source,
        with_games: true,
        network: &tiny.network,
        seed: 1,
        batch: tiny.learn.batch,
        warm_up: None,
    };
    let state = fork.state(&tiny.game).unwrap();
    // The second of three generations is gone.
    std::fs::remove_file(mother.shard(6, 11)).unwrap();
    let (_dir, layout) = folder();
    let error = fork::fill(&state, Some(&mother), &layout).unwrap_err().to_string();
    assert!(error.contains("the games 6 to 17 are missing"), "{error}");
    assert!(error.contains("--without-games"), "{error}");
    assert!(shards(&layout).is_empty() && layout.list_states().unwrap().is_empty());
}

#[test]
fn the_status_counts_as_the_list_of_runs_does_and_from_one() {
    use crate::codec::Encode;
    use crate::game::jungle::Jungle;
    use crate::run::{Manifest, Run, list};
    let mut tiny = Tiny::default();
    tiny.alarms.policy_entropy = 10.0;
    let data = tempfile::tempdir().unwrap();
    let manifest = Manifest::new(&tiny.game, None, <Jungle as Encode>::CODEC_VERSION, 1);
    let layout = Run::create(data.path(), "x", &manifest, "").unwrap().layout;
    let listed = || list(data.path()).unwrap()[0].games;
    let status = || Status::gather(&layout, &tiny.train, 6).unwrap();
    paused_after(&tiny, &layout, 0);
    stopped_in_self_play(&tiny, &layout);
    let begun = status();
    assert_eq!((begun.games, listed()), (0, 0));
    assert!((1..6).contains(&begun.waiting_games), "{}", begun.waiting_games);
    paused_after(&tiny, &layout, 2);
    tiny.train.measure_every = 1;
    let stop = AtomicBool::new(false);
    let before = |state: &State| state.generation < 2;
    train_while(&tiny.game, tiny.settings(), &layout, &(), &stop, &before).unwrap();
    let half = Status::gather(&layout, &tiny.train, 6).unwrap();
    assert_eq!((half.games, half.waiting_games, listed()), (12, 0, 12));
    let last = |line: &Option<serde_json::Value>| line.as_ref().unwrap()["generation"].clone();
    assert_eq!(
        (half.generation, last(&half.selfplay), last(&half.lesson)),
        (2, 2.into(), 2.into())
    );
    assert_eq!(half.ladder.last().unwrap().generation, 2);
    assert_eq!(half.alarms.last().unwrap().generation, 2);
}
