//! A run that is killed at each arrow of the flow, and one whose batches are spoilt: through the
//! real program, with the fault points that it has for this.

use menagerie::disk;
use menagerie::learn::State;
use menagerie::run::{self, Layout};
use menagerie::train::{STATE_FILE, fault};
use std::path::Path;
use std::process::{Command, Output};

/// Takes a second or two.
pub const CONFIG: &str = r#"
[game.rules]
max_plies = 24
[train]
generations = 3
measure_every = 0
measure_games = 2
final_games = 2
measure_visits = 2
[network]
blocks = 1
channels = 8
[selfplay]
games = 12
visits = 2
final_visits = 2
max_plies = 30
[replay]
holdout_every = 5
[learn]
batch = 16
[schedule]
warmup_steps = 4
[arena]
max_plies = 20
"#;

fn train(data: &Path, fault: Option<&str>) -> Output {
    let config = data.join("tiny.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_menagerie"));
    command.args(["train", "--run", "x", "--data"]).arg(data).arg(&config);
    match fault {
        Some(fault) => command.env(fault::VARIABLE, fault),
        None => command.env_remove(fault::VARIABLE),
    };
    command.output().unwrap()
}

fn layout(data: &Path) -> Layout {
    Layout::new(data, "x").unwrap()
}

/// The newest state, without its clocks.
fn newest(data: &Path) -> State {
    let (folder, _) = run::state::newest(&layout(data)).unwrap().state.unwrap();
    let state = State::load(&folder.join(STATE_FILE)).unwrap();
    State { spent: Default::default(), last: Default::default(), ..state }
}

fn shards(data: &Path) -> Vec<(String, Vec<u8>)> {
    let files = disk::entries(&layout(data).shards()).unwrap();
    files.into_iter().map(|file| (file.name, disk::read(&file.path).unwrap())).collect()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn kills_at_every_arrow_change_nothing() {
    let straight = tempfile::tempdir().unwrap();
    let output = train(straight.path(), None);
    assert!(output.status.success(), "{}", told(&output));

    let killed = tempfile::tempdir().unwrap();
    let kills = [
        "before-state",
        "after-state",
        "while-measuring:3",
        "after-measuring",
        "after-journal:5",
        "before-shard",
        "after-shard",
        "in-lesson:2",
        "before-state",
        "after-state",
        "after-champion",
        "after-journal:3",
    ];
    for point in fault::POINTS {
        assert!(kills.iter().any(|kill| kill.starts_with(point)), "{point} is not tried");
    }
    for kill in kills {
        let output = train(killed.path(), Some(kill));
        // An abort has no exit code; a run that merely ended would have one.
        assert_eq!(output.status.code(), None, "{kill}: {}", told(&output));
    }
    let output = train(killed.path(), None);
    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(newest(killed.path()), newest(straight.path()));
    assert_eq!(shards(killed.path()), shards(straight.path()));
    // What self-play did is told of each generation, once.
    let selfplay = layout(killed.path()).metrics().join("selfplay.jsonl");
    let lines = menagerie::metrics::journal::read(&selfplay).unwrap();
    let told: Vec<_> = lines.iter().map(|line| line["generation"].as_u64()).collect();
    assert_eq!(told, [Some(0), Some(1), Some(2)]);
}

#[test]
fn spoilt_batches_are_refused_named_and_survived() {
    // The spike comes when the mean of the losses is known: after some twenty steps.
    for (fault, sample, kind) in [("nan:40", 40, "not_finite"), ("spike:500", 500, "spike")] {
        let data = tempfile::tempdir().unwrap();
        let output = train(data.path(), Some(fault));
        let told = told(&output);
        assert!(output.status.success(), "{told}");
        let first = sample / 16 * 16;
        let alarm = format!("on the samples {first} to {} was not taken", first + 15);
        assert!(told.contains("ALARM step ") && told.contains(&alarm), "{told}");

        let metrics = layout(data.path()).metrics();
        let read = |name: &str| {
            let lines = menagerie::metrics::journal::read(&metrics.join(name)).unwrap();
            assert!(!lines.is_empty(), "{name}");
            lines
        };
        let refused = read("refused.jsonl");
        assert_eq!((&refused[0]["fault"], refused.len()), (&kind.into(), 1));
        assert_eq!(refused[0]["first_sample"], first);
        let batch = read(&format!("refused-{first:012}.jsonl"));
        assert_eq!((batch.len(), &batch[3]["sample"]), (16, &(first + 3).into()));
        assert!(read("alarms.jsonl").iter().any(|alarm| alarm["kind"] == "step"));

        let state = newest(data.path());
        assert_eq!(state.weights.steps + 1, state.samples / 16);
        assert!(state.weights.is_finite());
    }
}
