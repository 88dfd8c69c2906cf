use super::*;
use std::sync::atomic::{AtomicI64, Ordering};

const BASE: &str = r#"
[train]
measure_every = 0
measure_games = 2
final_games = 4
measure_visits = 2
[network]
blocks = 1
channels = 8
[selfplay]
games = 6
visits = 2
final_visits = 2
max_plies = 14
[learn]
batch = 16
[arena]
max_plies = 20
"#;

const EXPERIMENT: &str = r#"
base = "base.toml"
cpu_minutes = 0.004
slice_cpu_minutes = 0.002
seeds = [1, 2]
[[variant]]
name = "plain"
[[variant]]
name = "same"
set = ["learn.batch=16"]
"#;

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("base.toml"), BASE).unwrap();
    let file = dir.path().join("trial.toml");
    std::fs::write(&file, text).unwrap();
    (dir, file)
}

/// Stops after so many games, steps and games of measuring.
struct StopAfter<'a>(AtomicI64, &'a AtomicBool);

impl Progress for StopAfter<'_> {
    fn begin(&self, _title: &str, _unit: &str, _total: Option<u64>) {}
    fn set(&self, _done: u64) {
        if self.0.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.1.store(true, Ordering::SeqCst);
        }
    }
    fn note(&self, _text: &str) {}
    fn end(&self, _summary: &str) {}
    fn say(&self, _line: &str) {}
}

#[test]
fn an_experiment_takes_turns_is_resumed_and_ends_in_a_table() {
    let (dir, file) = written(EXPERIMENT);
    let plan = Plan::load(&file).unwrap();
    let names: Vec<&str> = plan.runs().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["plain-1", "same-1", "plain-2", "same-2"]);
    assert_eq!(plan.slices(), 2);
    let folder = dir.path().join("data/trial");
    begin(&folder, &plan).unwrap();
    begin(&folder, &plan).unwrap();
    assert_eq!(
        Table::gather(&plan, &folder, dir.path()).unwrap().text(),
        "nothing has been measured yet\n"
    );

    let stop = AtomicBool::new(false);
    let progress = StopAfter(AtomicI64::new(60), &stop);
    assert!(!carry_out(&plan, &folder, &progress, &stop).unwrap());
    assert!(carry_out(&plan, &folder, &(), &AtomicBool::new(false)).unwrap());

    let table = Table::gather(&plan, &folder, dir.path()).unwrap();
    assert_eq!((table.runs.len(), table.variants.len()), (4, 2));
    assert!(table.runs.iter().all(|run| run.complete && run.cpu_minutes > 0.0));
    assert!(table.runs.iter().all(|run| run.scores.len() == 4 && run.curve.len() == 2));
    assert!(table.variants[0].difference.is_none() && table.variants[1].difference.is_some());
    let text = table.text();
    assert!(text.contains("plain-1") && text.contains("to the first"), "{text}");
    assert!(serde_json::to_string(&table).unwrap().contains("\"curve\":["));

    // Without tables nothing is said of them; with tables the raw network is measured.
    assert!(table.runs.iter().all(|run| run.truth.is_none()));
    let game = crate::game::jungle::Jungle::new(Default::default()).unwrap();
    let book = crate::endgame::Rulebook::new(&game).unwrap();
    let tables = crate::endgame::probe::folder(dir.path(), &book);
    crate::endgame::sweep::sweep(&book, &book.signatures(2), &tables, 2, None, &()).unwrap();
    let run = plan.runs().next().unwrap();
    let truth = exact::measure(run, &folder, dir.path(), 2).unwrap().unwrap();
    assert!(truth.positions > 100, "{truth:?}");
    assert!((0.0..=1.0).contains(&truth.sign) && (0.1..=1.0).contains(&truth.policy), "{truth:?}");
    assert_eq!(exact::measure(run, &folder, dir.path(), 3).unwrap(), None);

    // Another experiment under the same name is refused.
    std::fs::write(&file, EXPERIMENT.replace("[1, 2]", "[1]")).unwrap();
    let error = begin(&folder, &Plan::load(&file).unwrap()).unwrap_err().to_string();
    assert!(error.contains("the file has changed"), "{error}");
}

#[test]
fn variants_share_their_seeds_unless_told_otherwise() {
    let seeds = |text: &str| -> Vec<u64> {
        let (_dir, file) = written(text);
        let plan = Plan::load(&file).unwrap();
        plan.runs().map(|run| run.config.config.train.seed).collect()
    };
    assert_eq!(seeds(EXPERIMENT), [1, 1, 2, 2]);
    let own = EXPERIMENT.replacen("[[variant]]", "shared_seeds = false\n[[variant]]", 1);
    assert_eq!(seeds(&own), [1, 1_000_001, 2, 1_000_002]);
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    for (from, to, told) in [
        ("cpu_minutes = 0.004", "cpu_minutes = 0", "`cpu_minutes` is 0; it must be above 0"),
        ("seeds = [1, 2]", "seeds = []", "`seeds` needs at least one entry"),
        ("seeds = [1, 2]", "seeds = [1, 1]", "makes two runs plain-1"),
        ("name = \"same\"", "name = \"s/me\"", "cannot name a run"),
        ("learn.batch=16", "learn.bach=16", "the nearest is `batch`"),
        ("seeds", "seads", "trial.toml:5:1: unknown field `seads`"),
        ("\"base.toml\"", "\"none.toml\"", "cannot read"),
    ] {
        let (_dir, file) = written(&EXPERIMENT.replacen(from, to, 1));
        let error = Plan::load(&file).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(told), "{told}: {error}");
    }
}
