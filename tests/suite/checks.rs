//! `check`, `perft` and `show` at the command line; output that nobody reads.

use crate::program::Place;
use std::io::Read;
use std::path::Path;

fn cases(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)
}

#[test]
fn the_case_files_agree_and_a_wrong_value_does_not() {
    let place = Place::new();
    let folder = cases("").display().to_string();
    let said = place.run(&["check", &folder]).expect(0, &["jungle/perft", "celestial/positions"]);
    assert_eq!(said.out.matches(" 0 mismatches").count(), said.out.lines().count());

    let text = std::fs::read_to_string(cases("jungle/positions.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().take(3).collect();
    let mut wrong: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
    wrong["moves"].as_array_mut().unwrap().push("a1a1".into());
    let wrong = format!("{}\n{wrong}\n{{oops\n{}\n", lines[0], lines[2]);
    let file = place.write("wrong.jsonl", wrong);
    place
        .run(&["check", &file])
        .expect(1, &["wrong.jsonl:2", "wrong.jsonl:3", "4 read", "2 mismatches"]);
    let mut unknown: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    unknown["colour"] = "red".into();
    let file = place.write("unknown.jsonl", unknown.to_string());
    place.run(&["check", &file]).expect(1, &["unknown.jsonl:1", "colour", "1 mismatches"]);
}

#[test]
fn files_that_are_no_cases_are_told() {
    let place = Place::new();
    place.run(&["check", "none.jsonl"]).expect(1, &["none.jsonl"]);
    place.run(&["check", "."]).expect(1, &["has no case files"]);
    place.run(&["check"]).expect(2, &["<PATHS>"]);
    let binary = place.write("binary.jsonl", [0xff; 100]);
    place.run(&["check", &binary]).expect(1, &["binary.jsonl"]);
    let deep = place.write("deep.jsonl", "[".repeat(100_000));
    place.run(&["check", &deep]).expect(1, &["deep.jsonl:1", "1 mismatches"]);
    place.run(&["show", "none"]).expect(2, &["none is no model, no run and no shard"]);
    place.run(&["show", "."]).expect(4, &["no model, no run and no shard"]);
    let text = place.write("text", "hello");
    place.run(&["show", &text]).expect(4, &["expected a shard of games"]);
    place.run(&["perft", "--depth", "65"]).expect(2, &["65"]);
    place.run(&["perft", "--depth", "2", "--position", ""]).expect(2, &["position ``"]);
    place.run(&["perft", "--depth", "3"]).expect(0, &["depth 3: 12240 leaves"]);
}

#[test]
fn misspelt_variables_of_the_environment_are_told() {
    let place = Place::new();
    for (name, value) in [("MENAGERIE_KERNELS", "foo"), ("MENAGERIE_FAULT", "bogus")] {
        let output = place.command(&["runs"]).env(name, value).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("{name}={value}: no such")), "{told}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    let page = place.run(&["man"]).expect(0, &[]).out;
    for command in ["train", "rules", "play", "experiment"] {
        assert!(page.contains(&format!("menagerie\\-{command}(1)")), "{page}");
        let title = format!(".TH menagerie-{command} 1");
        place.run(&["man", command]).expect(0, &[&title]);
    }
    place.run(&["man", "walk"]).expect(2, &["no command `walk`", "train"]);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let place = Place::new();
    let folder = cases("jungle").display().to_string();
    for words in [
        &["perft", "--depth", "3"][..],
        &["perft", "--depth", "2", "--divide"],
        &["check", &folder],
        &["config"],
        &["runs"],
        &["man"],
        &["completions", "bash"],
        &["match", "random", "random", "--games", "2", "--max-plies", "10", "--json"],
        &["play", "random", "--side", "none"],
        &["--help"],
    ] {
        let mut child = place.command(words).spawn().unwrap();
        drop(child.stdout.take());
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{words:?}: {told}");
        assert!(!told.contains("panicked") && !told.contains("error"), "{words:?}: {told}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full_is_an_error() {
    let place = Place::new();
    for words in [&["perft", "--depth", "1"][..], &["config"], &["completions", "bash"], &["man"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(words).stdout(full).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {told}");
        assert!(told.starts_with("error: ") && told.contains("No space left"), "{told}");
    }
}
