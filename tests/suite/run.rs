//! Runs: the same twice, whatever stops them; held by one; damaged ones.

use crate::program::{Place, signal, wait_for};
use menagerie::learn::State;
use menagerie::record::{Journal, shard};
use menagerie::run::{self, Layout};
use menagerie::train::STATE_FILE;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a run has come to: its shards to the byte, its newest state but for the clock.
fn outcome(place: &Place, name: &str) -> (Vec<Vec<u8>>, State) {
    let layout = layout(place, name);
    let shards = layout.list_shards().unwrap();
    let shards = shards.iter().map(|shard| std::fs::read(&shard.path).unwrap()).collect();
    let (folder, _) = run::state::newest(&layout).unwrap().state.unwrap();
    let state = State::load(&folder.join(STATE_FILE)).unwrap();
    (shards, State { spent: Default::default(), last: Default::default(), ..state })
}

fn layout(place: &Place, name: &str) -> Layout {
    Layout::at(place.path("data").join(name))
}

/// The numbers of all games that are safe on the disk.
fn finished_games(place: &Place, name: &str) -> BTreeSet<u64> {
    let layout = layout(place, name);
    let mut games = BTreeSet::new();
    for file in layout.list_shards().unwrap() {
        games.extend(shard::read(&file.path).unwrap().games.iter().map(|game| game.index));
    }
    if layout.journal().exists() {
        games.extend(Journal::look(&layout.journal()).unwrap().games.iter().map(|game| game.index));
    }
    games
}

fn newest_state(place: &Place, name: &str) -> PathBuf {
    run::state::newest(&layout(place, name)).unwrap().state.unwrap().0.join(STATE_FILE)
}

fn flip_byte(path: &std::path::Path, share: f64) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = (bytes.len() as f64 * share) as usize;
    bytes[at] ^= 0x10;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn the_same_command_makes_the_same_run_and_plain_progress() {
    let place = Place::new();
    let said = place.train("a", &[]).expect(0, &["beginning run a", "the run a is complete"]);
    for text in [&said.out, &said.err] {
        assert!(!text.contains(['\r', '\x1b']), "{text:?}");
    }
    place.train("b", &[]).expect(0, &[]);
    let (a, b) = (outcome(&place, "a"), outcome(&place, "b"));
    assert_eq!(a, b);
    assert_eq!((a.0.len(), a.1.generation, a.1.games), (2, 2, 12));
    for (run, model) in [("a", "ma"), ("b", "mb")] {
        place.run(&["export", run, "--to", model]).expect(0, &["hash"]);
    }
    let weights = |model: &str| std::fs::read(place.path(model).join("model.bpk")).unwrap();
    assert_eq!(weights("ma"), weights("mb"));

    place.train("c", &["train.seed=2"]).expect(0, &[]);
    assert_ne!(outcome(&place, "c").0, a.0);
    // Both halves of a run that was lengthened are there; a complete run has nothing to do.
    place.train("a", &[]).expect(0, &["the run a is complete"]);
    assert_eq!(outcome(&place, "a"), b);
    let said = place.run(&["runs", "--json"]).expect(0, &[]);
    assert_eq!(said.out.matches("\"state\":\"finished\"").count(), 3, "{}", said.out);
}

#[test]
fn a_run_killed_at_random_instants_loses_no_game_and_ends_the_same() {
    const KILLS: usize = 10;
    let place = Place::new();
    let longer = ["train.generations=3", "selfplay.games=12"];
    let begun = Instant::now();
    place.train("straight", &longer).expect(0, &[]);
    let whole = begun.elapsed();
    let expected = outcome(&place, "straight");

    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(11);
    let (mut kills, mut runs) = (0, 0);
    while kills < KILLS {
        runs += 1;
        assert!(runs <= 4 * KILLS, "only {kills} kills struck");
        let name = format!("killed-{runs}");
        let mut safe = BTreeSet::new();
        loop {
            let mut child = place.train_command(&name, &longer).spawn().unwrap();
            let reader = child.stderr.take().unwrap();
            let told = std::thread::spawn(move || std::io::read_to_string(reader).unwrap());
            std::thread::sleep(whole.mul_f64(random.random_range(0.02..0.7)));
            let struck = child.try_wait().unwrap().is_none();
            // Killing a child that has just ended is harmless.
            let _ = child.kill();
            let status = child.wait().unwrap();
            let told = told.join().unwrap();
            assert!(!told.contains("error"), "{told}");
            let now = finished_games(&place, &name);
            assert!(now.is_superset(&safe), "lost: {:?}", safe.difference(&now));
            safe = now;
            if status.success() {
                break;
            }
            kills += usize::from(struck);
            if kills == KILLS {
                place.train(&name, &longer).expect(0, &["is complete"]);
                break;
            }
        }
        assert_eq!(outcome(&place, &name), expected, "{name}");
    }
}

#[test]
fn ctrl_c_stops_cleanly_and_the_run_goes_on() {
    let place = Place::new();
    let longer = ["train.generations=5"];
    place.train("straight", &longer).expect(0, &[]);
    for (signal_name, run) in [("INT", "stopped"), ("TERM", "terminated")] {
        let mut child = place.train_command(run, &longer).spawn().unwrap();
        wait_for(&mut child, "games/s");
        signal(&child, signal_name);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(finished_games(&place, run).len() >= 6);
        let said = place.run(&["runs"]).expect(0, &[run]);
        assert!(said.out.contains("stopped"), "{}", said.out);
        place.run(&["train", "--run", run]).expect(0, &["going on with run", "is complete"]);
        assert_eq!(outcome(&place, run), outcome(&place, "straight"));
    }
}

#[test]
fn a_second_process_is_refused_by_the_name_of_the_first() {
    let place = Place::new();
    let mut first = place.train_command("busy", &["train.generations=100000"]).spawn().unwrap();
    wait_for(&mut first, "beginning run");
    let holder = format!("is held by process {}", first.id());
    place.run(&["train", "--run", "busy"]).expect(1, &[&holder, "only one process"]);
    // What is refused changes nothing.
    let config = std::fs::read(layout(&place, "busy").config()).unwrap();
    place.run(&["train", "--run", "busy", "--hours", "1"]).expect(1, &[&holder]);
    assert_eq!(std::fs::read(layout(&place, "busy").config()).unwrap(), config);
    place.run(&["runs"]).expect(0, &["running (process "]);
    first.kill().unwrap();
    first.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while place.run(&["runs"]).out.contains("running") {
        assert!(Instant::now() < deadline, "a dead process holds the lock");
    }
}

#[test]
fn a_damaged_state_falls_back_to_an_earlier_one() {
    let place = Place::new();
    place.train("a", &[]).expect(0, &[]);
    let expected = outcome(&place, "a");
    let newest = newest_state(&place, "a");
    flip_byte(&newest, 0.5);
    let name = newest.display().to_string();
    place.run(&["play", "a"]).expect(4, &[&name[name.find("step-").unwrap()..]]);
    let said = place.run(&["train", "--run", "a"]).expect(0, &["passed over: ", "has changed"]);
    assert!(said.err.contains("learner.state"), "{}", said.err);
    assert_eq!(outcome(&place, "a"), expected);

    // All of them: nothing is begun anew unless they are moved away. The games are still there
    // then, and are learnt from again.
    let states = layout(&place, "a").states();
    for step in layout(&place, "a").list_states().unwrap() {
        std::fs::write(layout(&place, "a").state(step).join(STATE_FILE), b"").unwrap();
    }
    let before = place.files("data/a/state");
    let said = place.run(&["train", "--run", "a"]).expect(4, &["found 0", "move this folder away"]);
    assert!(said.err.matches("learner.state: expected").count() >= 2, "{}", said.err);
    assert_eq!(place.files("data/a/state"), before);
    std::fs::rename(&states, place.path("damaged")).unwrap();
    place.run(&["train", "--run", "a"]).expect(0, &["is complete"]);
    assert_eq!(outcome(&place, "a"), expected);
}

#[test]
fn games_of_a_damaged_shard_are_named_and_counted() {
    let place = Place::new();
    place.train("a", &[]).expect(0, &[]);
    let shard = layout(&place, "a").list_shards().unwrap()[0].path.clone();
    let sound = std::fs::read(&shard).unwrap();
    flip_byte(&shard, 0.6);
    let file = shard.display().to_string();
    place.run(&["show", &file]).expect(0, &["damaged: ", "is lost", "5 games of jungle"]);
    place
        .run(&["train", "--run", "a", "--set", "train.generations=3"])
        .expect(0, &["dropped: ", "is lost", "1 of 6 games were dropped", "is complete"]);

    // A shard without its head says nothing; one that is no shard at all neither.
    for content in [&sound[..20], b"", b"no shard"] {
        std::fs::write(&shard, content).unwrap();
        place.run(&["show", &file]).expect(4, &["games-0000000000-0000000005.shard"]);
        let longer = ["train", "--run", "a", "--set", "train.generations=4"];
        place.run(&longer).expect(4, &["games-0000000000-0000000005.shard"]);
        assert_eq!(std::fs::read(&shard).unwrap(), content);
    }
    std::fs::remove_file(&shard).unwrap();
    let longer = ["train", "--run", "a", "--set", "train.generations=4"];
    place.run(&longer).expect(4, &["the games 0 to ", "are missing"]);
    std::fs::write(&shard, sound).unwrap();
    place.run(&longer).expect(0, &["is complete"]);
}

#[test]
fn a_folder_that_is_no_run_or_half_a_run_is_left_alone() {
    let place = Place::new();
    let foreign = place.path("data/holiday");
    std::fs::create_dir_all(&foreign).unwrap();
    std::fs::write(foreign.join("diary"), b"sun").unwrap();
    place.train("holiday", &[]).expect(4, &["holds diary", "nothing was touched"]);
    std::fs::create_dir_all(place.path("data/half")).unwrap();
    std::fs::write(place.path("data/half/manifest.toml"), b"format = 1\n").unwrap();
    let before = place.files("data");
    place.train("half", &[]).expect(4, &["half/manifest.toml", "missing field"]);
    place.run(&["train", "--run", "half"]).expect(4, &["half/manifest.toml"]);
    place.run(&["runs"]).expect(0, &["half", "damaged: "]);
    assert_eq!(place.files("data"), before);

    place.train("a", &[]).expect(0, &[]);
    std::fs::remove_file(layout(&place, "a").config()).unwrap();
    place.run(&["train", "--run", "a"]).expect(4, &["is no whole run", "config.toml"]);
    let newer = std::fs::read_to_string(layout(&place, "a").manifest()).unwrap();
    let newer = newer.replace("format = 1", "format = 9");
    std::fs::write(layout(&place, "a").manifest(), newer).unwrap();
    place.run(&["play", "a"]).expect(4, &["format version 9", "use a newer menagerie"]);
}

#[test]
fn names_that_are_no_names_are_refused() {
    let place = Place::new();
    for name in ["..", "a/b", "../x", "é", " ", "", ".hidden", "suites"] {
        place.run(&["train", "--run", name]).expect(2, &["cannot name a run"]);
    }
    place.run(&["export", "nobody", "--to", "x"]).expect(2, &["there is no run nobody"]);
    assert!(!place.path("data").exists());
}

#[test]
fn slips_do_not_begin_a_run() {
    let place = Place::new();
    place.train("smoke", &["train.generations=1"]).expect(0, &[]);
    let before = place.files("data");
    let told = ["no run smok in data", "there is a run smoke", "train CONFIG --run smok"];
    place.run(&["train", "--run", "smok"]).expect(2, &told);
    let told = ["no config file smoke, but there is a run smoke", "train --run smoke"];
    place.run(&["train", "smoke"]).expect(2, &told);
    assert_eq!(place.files("data"), before);
    // A config says that a new run is meant.
    place.train("smok", &["train.generations=1"]).expect(0, &["beginning run smok"]);
}
