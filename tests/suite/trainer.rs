//! The trainer's commands through the real program: what they print, refuse and leave behind.

use super::kills::CONFIG;
use std::path::Path;
use std::process::Command;

/// Exit code, standard output and standard error of a command on runs in `data`.
fn menagerie(data: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_menagerie"))
        .args(words)
        .arg("--data")
        .arg(data)
        .current_dir(data)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn done(data: &Path, words: &[&str]) -> String {
    let (code, out, error) = menagerie(data, words);
    assert_eq!(code, Some(0), "{words:?}: {error}");
    out
}

#[test]
fn a_run_is_trained_told_forked_packed_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    std::fs::write(data.join("tiny.toml"), CONFIG).unwrap();
    done(data, &["train", "tiny.toml", "--steps", "30"]);

    let status = done(data, &["status", "tiny"]);
    for told in ["The run tiny of jungle, finished.", "How far: 100 % of 30 steps", "Alarms: "] {
        assert!(status.contains(told), "{told}\n{status}");
    }
    assert_eq!(done(data, &["status", "./tiny"]), status);
    let json: serde_json::Value =
        serde_json::from_str(&done(data, &["status", "tiny", "--json"])).unwrap();
    assert_eq!((&json["steps"], &json["state"]), (&30.into(), &"finished".into()));

    // What cannot change in a run is refused with the way out.
    let wider = ["train", "--run", "tiny", "--set", "network.channels=16"];
    let (code, _, error) = menagerie(data, &wider);
    assert_eq!(code, Some(3));
    let told = "`network.channels` is 8 in the run tiny, and 16 is asked for";
    assert!(error.contains(told) && error.contains("fork tiny --to NEW"), "{error}");

    // The end of a run may change.
    done(data, &["train", "--run", "tiny", "--steps", "35"]);
    let told = done(data, &["fork", "tiny", "--to", "wide", "--set", "network.channels=16"]);
    assert!(told.contains("forking tiny at step 35 ("), "{told}");
    assert!(told.contains("wide: a new network, the games 0 to "), "{told}");
    done(data, &["train", "--run", "wide", "--steps", "5"]);
    assert!(done(data, &["status", "wide"]).contains("It was forked from tiny at step 35"));
    done(data, &["export", "wide", "--to", "model"]);
    let card = std::fs::read_to_string(data.join("model/card.toml")).unwrap();
    assert!(card.contains("\nparent = \"") && card.contains("name = \"tiny\""), "{card}");
    let told = done(data, &["fork", "model", "--to", "leiden", "--preset", "leiden"]);
    assert!(told.contains("forking model at step ") && !told.contains("at step 0"), "{told}");
    let status = done(data, &["status", "leiden", "--json"]);
    let ancestors: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(ancestors["ancestry"][1]["name"], "tiny");

    let (code, _, error) = menagerie(data, &["fork", "tiny", "--to", "x", "--step", "7"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("the run tiny has no state after 7 steps; there are: 0, "), "{error}");
    let other = ["fork", "tiny", "--to", "x", "--preset", "leiden", "--with-games"];
    assert_eq!(menagerie(data, &other).0, Some(2));

    done(data, &["pack", "tiny", "tiny.pack"]);
    let (code, _, error) = menagerie(data, &["pack", "tiny", "tiny.pack"]);
    assert!(code == Some(2) && error.contains("`tiny.pack` exists already"), "{error}");
    done(data, &["pack", "./tiny", "tiny.pack", "--replace"]);
    let (code, _, error) = menagerie(data, &["unpack", "tiny.pack"]);
    assert_eq!((code, error.contains("there is a run tiny already")), (Some(1), true), "{error}");
    done(data, &["unpack", "tiny.pack", "--run", "other"]);
    assert!(done(data, &["status", "other"]).contains("finished"));

    let experiment = "base = \"tiny.toml\"\ncpu_minutes = 0.003\nseeds = [1]\n\
                      [[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n";
    std::fs::write(data.join("trial.toml"), experiment).unwrap();
    let table = done(data, &["experiment", "trial.toml"]);
    assert!(table.contains("\na-1 ") && table.contains("to the first"), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&done(data, &["experiment", "trial.toml", "--table", "--json"]))
            .unwrap();
    assert_eq!(json["runs"].as_array().unwrap().len(), 2);
}
