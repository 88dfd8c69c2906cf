//! Wrong configurations: told with their place and what would be right, exit code 3.

use crate::program::{Place, smoke_config};

#[test]
fn a_wrong_config_file_is_told_by_line() {
    let place = Place::new();
    for (text, words) in [
        ("\n[selfplay]\nvisit = 4\n", &["x.toml:3", "`selfplay.visit`", "nearest is `visits`"][..]),
        ("[selfplay]\nvisits = \"many\"\n", &["x.toml:2", "\"many\"", "allowed: 1 to 100000"]),
        ("[selfplay]\nvisits = 0\n", &["x.toml:2", "= 0 is out of range", "1 to 100000"]),
        ("[selfpaly]\n", &["x.toml:1", "is no section", "nearest is [selfplay]"]),
        (
            "[selfpaly]\nvisits = 1\nname = 2\n",
            &["x.toml:1", "is no section", "nearest is [selfplay]"],
        ),
        ("[learn]\nbatch = 8\nbatch = 9\n", &["x.toml:3", "batch", "duplicate"]),
        ("[learn]\nvisits = 8\n", &["x.toml:2", "belongs into [selfplay]"]),
        ("batch = 8\n", &["x.toml:1", "belongs into [learn]"]),
        ("[game]\nname = \"jungel\"\n", &["x.toml:2", "did you mean `jungle`?"]),
        ("[game]\npreset = \"standart\"\n", &["x.toml:2", "standart", "`standard`"]),
        ("[game.rules]\ntraps = \"al\"\n", &["x.toml:2", "traps"]),
        ("[network]\nchannels = 12\n", &["x.toml:2", "a multiple of 8, such as 16"]),
        ("[learn]\nbatch = \n", &["x.toml:2"]),
        ("[learn]\ndevice = \"gpu\"\n", &["x.toml:2", "gpu", "`cpu`, `wgpu` or `cuda`"]),
        #[cfg(not(feature = "cuda"))]
        ("[learn]\ndevice = \"cuda\"\n", &["x.toml:2", "built without it", "`--features cuda`"]),
        ("\u{0}\u{1}", &["x.toml:1"]),
        ("[selfplay]\nvisit = 1\n[learn]\nbach = 1\n", &["2 problems", "x.toml:2", "x.toml:4"]),
    ] {
        let file = place.write("x.toml", text);
        place.run(&["train", &file]).expect(3, words);
        assert!(!place.path("data").exists(), "{text}");
    }
}

#[test]
fn files_that_are_no_configs_are_refused() {
    let place = Place::new();
    let binary = place.write("binary.toml", [0x5b, 0xff, 0xfe]);
    place.run(&["train", &binary]).expect(3, &["binary.toml", "not UTF-8 text at byte 1"]);
    let huge = place.write("huge.toml", "a = 1\n".repeat(400_000));
    place.run(&["train", &huge]).expect(3, &["huge.toml", "2400000 bytes"]);
    let said = place.run(&["train", "none.toml"]).expect(3, &["cannot read none.toml"]);
    assert_eq!(said.err.matches("No such file").count(), 1, "{}", said.err);
    std::fs::create_dir(place.path("folder.toml")).unwrap();
    place.run(&["train", "folder.toml"]).expect(3, &["cannot read folder.toml"]);
}

#[test]
fn overrides_are_told_as_they_were_written() {
    let place = Place::new();
    let config = smoke_config().display().to_string();
    for (set, words) in [
        ("learn.bach=64", &["--set learn.bach=64", "nearest is `batch`"][..]),
        ("learn.batch=much", &["--set learn.batch=much", "allowed: 1 to 65536"]),
        ("learn.batch", &["--set learn.batch", "has no `=`"]),
        ("=3", &["has no key"]),
        ("a.b.c=1", &["there are [game]"]),
        ("rules.traps=many", &["--set rules.traps=many"]),
    ] {
        place.run(&["train", &config, "--set", set]).expect(3, words);
    }
    place.run(&["train", &config, "--preset", "leidne"]).expect(3, &["--preset", "`leiden`"]);
    let twice = ["--set", "learn.batch=8", "--set", "learn.batch=9"];
    place.run(&[&["train", &config], &twice[..]].concat()).expect(3, &["is set twice"]);
    let resolved = place.run(&["config", "--resolved", &config, "--set", "learn.batch=64"]);
    assert!(resolved.expect(0, &[]).out.contains("batch = 64"));
    assert!(!place.path("data").exists());
}

#[test]
fn what_is_fixed_in_a_run_is_named_with_both_values() {
    let place = Place::new();
    place.train("a", &[]).expect(0, &[]);
    let before = place.files("data");
    for (set, words) in [
        ("learn.batch=64", &["--set learn.batch=64", "`learn.batch`", "16", "64", "--run"][..]),
        ("train.seed=2", &["`train.seed`", "--run"]),
        ("game.name=celestial", &["`game.name`", "jungle", "celestial"]),
        ("network.channels=16", &["`network.channels`"]),
        ("rules.traps=all", &["traps"]),
    ] {
        place.run(&["train", "--run", "a", "--set", set]).expect(3, words);
    }
    place.run(&["train", "--run", "a", "--preset", "leiden"]).expect(3, &["preset", "leiden"]);
    assert_eq!(place.files("data"), before);
}

#[test]
fn more_memory_than_the_machine_has_is_refused_with_the_amount() {
    let place = Place::new();
    for (sets, key) in [
        (&["selfplay.cache_mib=65536", "train.threads=256"][..], "selfplay.cache_mib"),
        (
            &[
                "selfplay.in_flight=4096",
                "selfplay.games=1000000",
                "selfplay.visits=100000",
                "train.threads=256",
            ],
            "selfplay.in_flight",
        ),
        (&["network.blocks=40", "network.channels=512", "train.threads=256"], "network.channels"),
    ] {
        let said = place.train("big", sets).expect(3, &[key, "GiB of memory"]);
        assert!(said.err.contains("this machine has"), "{}", said.err);
        assert!(!place.path("data").exists());
    }
}

#[test]
fn the_plan_of_memory_is_told_and_its_budget_kept() {
    let place = Place::new();
    let parts = ["memory: ", "window of games", "evaluation caches", "search trees"];
    place.train("a", &["train.memory_gib=1"]).expect(0, &parts);
    place.run(&["train", "--run", "a"]).expect(0, &["of the 1.0 GiB of train.memory_gib"]);
    // A run that cannot keep within a budget is refused wherever it would begin or go on.
    let set = "train.memory_gib=0.01";
    let refused = ["--set train.memory_gib=0.01: `train.memory_gib` allows 10 MiB of memory"];
    place.train("b", &[set]).expect(3, &refused);
    assert!(!place.path("data/b").exists());
    let before = place.files("data");
    place.run(&["train", "--run", "a", "--set", set]).expect(3, &refused);
    place.run(&["fork", "a", "--to", "c", "--set", set]).expect(3, &refused);
    place.write("smoke.toml", std::fs::read(smoke_config()).unwrap());
    let trial = format!(
        "base = \"smoke.toml\"\ncpu_minutes = 1\nseeds = [1]\n\
         [[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nset = [\"{set}\"]\n"
    );
    let trial = place.write("trial.toml", trial);
    place.run(&["experiment", &trial]).expect(3, &refused);
    assert_eq!(place.files("data"), before);
}

#[test]
fn an_end_that_is_no_end_is_refused_as_it_was_written() {
    let place = Place::new();
    for (option, values) in [
        ("--games", &["0", "-1", "2.5", "many"][..]),
        ("--steps", &["0", "-7", ""]),
        ("--hours", &["0", "-1", "nan", "inf", "soon", "1e999"]),
        ("--cpu-minutes", &["0", "-0.5", "NaN"]),
    ] {
        for value in values {
            let told = format!("invalid value '{value}' for '{option} <");
            place.run(&["train", option, value]).expect(2, &[&told, "above 0 is right"]);
        }
    }
    assert!(!place.path("data").exists());
}

#[test]
fn a_network_of_more_than_a_million_weights_is_trained_and_resumed() {
    let place = Place::new();
    let large = [
        "network.blocks=6",
        "network.channels=128",
        "train.generations=1",
        "selfplay.games=2",
        "selfplay.max_plies=4",
        "selfplay.visits=1",
        "selfplay.final_visits=1",
        "learn.batch=2",
        "arena.max_plies=2",
        "train.measure_visits=1",
    ];
    place.train("large", &large).expect(0, &["is complete"]);
    place.run(&["export", "large", "--to", "model"]).expect(0, &["hash"]);
    place.run(&["train", "--run", "large"]).expect(0, &["is complete"]);
}
