//! What belongs to others: files swapped in from another run are refused or passed over, and no
//! command writes over a file that is not its own.

use crate::program::{Place, Said};
use menagerie::run::Layout;
use std::path::PathBuf;

fn layout(place: &Place, name: &str) -> Layout {
    Layout::at(place.path("data").join(name))
}

fn shard(place: &Place, name: &str, number: usize) -> PathBuf {
    layout(place, name).list_shards().unwrap()[number].path.clone()
}

/// The run goes on to one generation more than it has.
fn longer(place: &Place, name: &str) -> Said {
    place.run(&["train", "--run", name, "--set", "train.generations=3"])
}

#[test]
fn a_fork_writes_over_nothing() {
    let place = Place::new();
    place.train("base", &[]).expect(0, &[]);
    let mine = place.write("mine.toml", "precious");
    let name = mine.strip_suffix(".toml").unwrap();
    for name in [name, "x/y", "../mine", "tables", ""] {
        place.run(&["fork", "base", "--to", name]).expect(2, &["cannot name a run"]);
    }
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "precious");
    place.run(&["fork", "base", "--to", "base"]).expect(1, &["there is a run base already"]);
    let steps = ["fork", "base", "--to", "x", "--warm-up-steps", "99999999999"];
    place.run(&steps).expect(2, &["99999999999"]);
    place.run(&["pack", "base", "base.pack"]).expect(0, &[]);
    for name in ["a b", "", "tables"] {
        place.run(&["unpack", "base.pack", "--run", name]).expect(2, &["cannot name a run"]);
    }
}

#[test]
fn a_match_writes_over_nothing_and_tells_its_result_first() {
    let place = Place::new();
    let file = place.write("model.bpk", "precious");
    let words = ["match", "random", "random", "--games", "2", "--max-plies", "9", "--games-to"];
    let to = |file: &str, more: &[&str]| place.run(&[&words[..], &[file], more].concat());
    to(&file, &[]).expect(2, &["exists already", "--replace"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
    to(&file, &["--replace"]).expect(0, &["random against random"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
    for (file, code) in [("no/such/folder/games.jsonl", 1), ("data/", 2)] {
        let said = to(file, &[]).expect(code, &[file]);
        assert!(!said.out.contains("against"), "{said:?}");
    }
    let mine = place.path("mine");
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("diary"), "sun").unwrap();
    let bench = ["bench", "network", "--size", "1x8", "--write", "mine", "--force"];
    place.run(&bench).expect(2, &["mine is there, but no model: nothing was touched"]);
    assert_eq!(place.files("mine").len(), 1);
}

#[test]
fn of_many_commands_that_begin_a_run_one_trains_it() {
    let place = Place::new();
    let started: Vec<_> = (0..4).map(|_| place.train_command("tw", &[]).spawn().unwrap()).collect();
    let ended: Vec<_> =
        started.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let complete = ended.iter().filter(|output| output.status.success()).count();
    let told: Vec<String> =
        ended.iter().map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).collect();
    assert!(complete >= 1, "{told:?}");
    for told in told.iter().filter(|told| told.contains("error")) {
        let known = ["there is a run tw already", "is held by process"];
        assert!(known.iter().any(|known| told.contains(known)), "{told}");
    }
    place.run(&["train", "--run", "tw"]).expect(0, &["is complete"]);
}

#[test]
fn games_of_another_run_or_under_another_name_are_refused() {
    let place = Place::new();
    place.train("a", &[]).expect(0, &[]);
    place.train("b", &["train.seed=2"]).expect(0, &[]);
    let (mine, others) = (shard(&place, "a", 0), shard(&place, "b", 0));
    let sound = std::fs::read(&mine).unwrap();
    std::fs::copy(&others, &mine).unwrap();
    let name = "games-0000000000-0000000005.shard";
    longer(&place, "a").expect(4, &[name, "was played with the seed 2, the run has the seed 1"]);
    place.run(&["pack", "a", "a.pack"]).expect(4, &[name, "the seed 2"]);
    assert!(!place.path("a.pack").exists());
    std::fs::copy(shard(&place, "b", 1), &mine).unwrap();
    longer(&place, "a").expect(4, &[name, "it holds the games 6 to 11, its name says 0 to 5"]);
    std::fs::write(&mine, &sound).unwrap();
    let twice = layout(&place, "a").shard(3, 8);
    std::fs::write(&twice, &sound).unwrap();
    longer(&place, "a").expect(4, &["games-0000000003-0000000008.shard", "it holds game 3"]);
    std::fs::remove_file(twice).unwrap();

    // Another seed in the config than in the manifest.
    let config = layout(&place, "a").config();
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replacen("seed = 1", "seed = 2", 1)).unwrap();
    place.run(&["train", "--run", "a"]).expect(4, &["manifest.toml", "the seed 1, but 2"]);
    std::fs::write(&config, text).unwrap();

    // A journal of the other run: its games are not taken.
    let stopped = place.train_command("c", &["train.seed=2", "train.generations=1"]).output();
    assert!(stopped.unwrap().status.success());
    let games = menagerie::record::shard::read(&others).unwrap().games;
    let journal = layout(&place, "a").journal();
    let (mut open, _) = menagerie::record::Journal::open(&journal).unwrap();
    for (number, game) in games.iter().enumerate() {
        let index = 12 + number as u64;
        let game = menagerie::record::GameRecord { index, generation: 2, ..game.clone() };
        open.append(&game).unwrap();
    }
    drop(open);
    longer(&place, "a").expect(0, &["6 games of another run", "is complete"]);
    let shards = layout(&place, "a").list_shards().unwrap();
    let last = menagerie::record::shard::read(&shards[2].path).unwrap();
    assert!(last.games.iter().all(|game| game.seed == 1));

    // Forks keep the games that they were given, whatever their own seed.
    let fork = ["fork", "a", "--to", "f", "--set", "train.seed=5"];
    place.run(&fork).expect(0, &["the games "]);
    place.run(&["train", "--run", "f", "--set", "train.generations=1"]).expect(0, &["is complete"]);
    place.run(&["pack", "f", "f.pack"]).expect(0, &[]);
}

#[test]
fn a_state_of_another_game_is_refused_by_name() {
    let place = Place::new();
    place.train("a", &[]).expect(0, &[]);
    place.train("c", &["game.name=celestial"]).expect(0, &[]);
    let states = [layout(&place, "a").states(), layout(&place, "c").states()];
    std::fs::remove_dir_all(&states[0]).unwrap();
    std::fs::rename(&states[1], &states[0]).unwrap();
    place.run(&["train", "--run", "a"]).expect(4, &["learner.state", "a state of another game"]);
    let lost = layout(&place, "a").champion();
    std::fs::write(lost, "step = 7\ngeneration = 1\n").unwrap();
    for words in [&["play", "a"][..], &["export", "a", "--to", "m"]] {
        place.run(words).expect(4, &["champion names the state after 7 steps"]);
    }
}

#[test]
fn what_only_tells_never_stops_a_run() {
    let place = Place::new();
    place.train("me", &[]).expect(0, &[]);
    let metrics = layout(&place, "me").metrics();
    for room in ["ladder", "learn", "selfplay", "alarms", "refused"] {
        let form = "{\"generation\":2}\n{\"generation\":3,\"ladder\":{\"rows\":[{}]}}\n[]\n";
        let bytes = [&b"\xff\xfe\n"[..], form.as_bytes()].concat();
        std::fs::write(metrics.join(format!("{room}.jsonl")), bytes).unwrap();
    }
    place.run(&["status", "me"]).expect(0, &["ladder.jsonl: 2 lines could not be read"]);
    place.run(&["show", "me"]).expect(0, &[]);
    place.run(&["export", "me", "--to", "m"]).expect(0, &["note: ", "ladder.jsonl", "hash"]);
    place.run(&["play", "m"]).expect(0, &[]);
    longer(&place, "me").expect(0, &["lines that could not be read: 2", "is complete"]);
    place.run(&["export", "me", "--to", "m2"]).expect(0, &["hash"]);

    std::fs::write(layout(&place, "me").champion(), b"\xff step").unwrap();
    place.run(&["play", "me"]).expect(0, &["champion", "the newest state plays"]);
    place.run(&["export", "me", "--to", "m3"]).expect(0, &["the newest state plays"]);
    place.run(&["train", "--run", "me"]).expect(0, &["put right", "is complete"]);
    let said = place.run(&["play", "me"]).expect(0, &[]);
    assert!(!said.err.contains("champion"), "{}", said.err);
}

#[test]
fn a_card_that_nobody_could_have_written_is_refused() {
    let place = Place::new();
    place.train("a", &[]).expect(0, &[]);
    place.run(&["export", "a", "--to", "m"]).expect(0, &[]);
    let path = place.path("m/card.toml");
    let card = std::fs::read_to_string(&path).unwrap();
    let version = card.lines().find(|line| line.starts_with("codec_version")).unwrap();
    for (from, to, words) in [
        (version, "codec_version = 999", "codec version 999"),
        ("c_visit = 50.0", "c_visit = nan", "`c_visit` is not a finite number"),
        ("considered_actions = 16", "considered_actions = 0", "`considered_actions` is 0"),
        ("cpuct_base = 19652.0", "cpuct_base = 0.0", "`cpuct_base` is 0.0; allowed: 1.0 to"),
    ] {
        assert!(card.contains(from), "{card}");
        std::fs::write(&path, card.replacen(from, to, 1)).unwrap();
        for words_of in [&["play", "m"][..], &["match", "m", "random", "--games", "2"]] {
            place.run(words_of).expect(4, &[words]);
        }
    }
    std::fs::write(&path, card.replacen("note = \"\"", "note = \"mine\"", 1)).unwrap();
    place.run(&["play", "m"]).expect(0, &[]);
}

#[test]
fn settings_that_cannot_work_are_refused_before_the_run_exists() {
    let place = Place::new();
    for (sets, words) in [
        (
            &["replay.holdout_every=1"][..],
            "--set replay.holdout_every=1: `replay.holdout_every` is 1",
        ),
        (&["loss.policy=0", "loss.value=0"], "`loss.policy` and `loss.value` are both 0"),
        (
            &["arena.opening_plies_min=9"],
            "--set arena.opening_plies_min=9: `arena.opening_plies_min` leaves no opening",
        ),
        (
            &["arena.opening_plies_max=1"],
            "--set arena.opening_plies_max=1: `arena.opening_plies_max` leaves no",
        ),
        (&["game.rules.max_plies=1"], "`game.rules.max_plies` ends every game after 1 plies"),
        (&["selfplay.adjudicate_tables=true"], "`selfplay.adjudicate_tables` is asked for, but"),
    ] {
        place.train("x", sets).expect(3, &[words]);
        assert!(!place.path("data").exists(), "{sets:?}");
    }
}

#[test]
fn a_learner_that_goes_astray_raises_the_alarm() {
    let place = Place::new();
    let sets = [
        "optimiser.learning_rate=1",
        "optimiser.weight_decay=10",
        "schedule.warmup_steps=0",
        "selfplay.games=12",
        "replay.reuse=8",
    ];
    let said = place.train("x", &sets).expect(0, &["ALARM step", "the weights are back"]);
    assert!(said.err.contains("is not finite") || said.err.contains("astray"), "{}", said.err);
    place.run(&["status", "x"]).expect(0, &["was not taken"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_message_that_nobody_can_read_keeps_its_code() {
    let place = Place::new();
    for words in [&["show", "nope"][..], &["train", "nope.toml"]] {
        let expected = place.run(words).code;
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let status = place.command(words).stderr(full).status().unwrap();
        assert_eq!(status.code(), expected, "{words:?}");
    }
}
