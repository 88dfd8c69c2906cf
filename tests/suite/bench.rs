//! `bench` from outside: what it refuses, what its JSON holds, what it writes.

use crate::program::Place;
use serde_json::Value;

/// The least that can be measured.
const QUICK: &[&str] =
    &["--size", "1x8", "--batch", "1,2", "--threads", "1,2", "--rounds", "2", "--seconds", "0.01"];

fn bench<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&["bench"], words].concat()
}

#[test]
fn what_cannot_be_measured_is_refused_with_what_would_be_right() {
    let place = Place::new();
    for (words, told) in [
        (&["nonsense"][..], &["'nonsense'", "rules, network, search, selfplay"][..]),
        (&["--size", "3y32"], &["`3y32` is no size", "`3x32`"]),
        (&["--size", "3x32,3x33"], &["`3x33`", "a multiple of 8, such as 40"]),
        (&["--batch", "0"], &["'0'", "1..=65536"]),
        (&["--threads", "1,257"], &["'257'", "1..=256"]),
        (&["--rounds", "0"], &["'0'"]),
        (&["--seconds", "0"], &["'0'", "a number of seconds above 0"]),
        (&["--seconds", "NaN"], &["'NaN'", "a number of seconds above 0"]),
        (&["--instructions", "mmx"], &["'mmx'", "this processor has", "portable"]),
        (&["--hours", "2"], &["--tune"]),
        (&["--tune", "--hours=-1"], &["'-1'", "a number of hours above 0"]),
        (&["rules", "--write", "x"], &["`--write` belongs to `--tune` or to the part `network`"]),
        (&["network", "--size", "1x8,2x8", "--write", "x"], &["`--size 1x8,2x8` has more"]),
    ] {
        place.run(&bench(words)).expect(2, told);
    }
    place.run(&["bench", "rules", "--game", "jungel"]).expect(3, &["did you mean `jungle`?"]);
    assert!(place.files(".").is_empty());
}

#[test]
fn nothing_is_overwritten_unasked() {
    let place = Place::new();
    let file = place.write("mine.toml", "mine");
    let told = ["mine.toml` exists already", "`--force`"];
    place.run(&["bench", "--tune", "--write", &file]).expect(2, &told);
    let words = ["bench", "network", "--size", "1x8", "--write", &file];
    place.run(&words).expect(2, &told);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn every_part_is_in_the_json_and_in_the_table() {
    let place = Place::new();
    let words = [&["bench", "--game", "celestial", "--cache-mib", "0,1"], QUICK].concat();
    let said = place.run(&[&words[..], &["--json", "-"]].concat()).expect(0, &[]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert!(report["machine"]["peak_gflops"].as_f64().unwrap() > 0.0);
    for (part, figure, rows) in [
        ("rules", "nodes_per_second", 1),
        ("network", "evaluations_per_second", 4),
        ("search", "simulations_per_second", 1),
        ("selfplay", "evaluations_per_second", 4),
        ("training", "samples_per_second", 2),
    ] {
        let found = report[part].as_array().unwrap();
        let games = found.iter().filter(|row| row["game"] == "celestial").count();
        assert_eq!(games, rows, "{part}: {found:?}");
        for row in found {
            let figure = &row[figure];
            let number = |key: &str| figure[key].as_f64().unwrap();
            assert!(number("min") > 0.0 && number("min") <= number("median"), "{row}");
            assert!(number("median") <= number("max"), "{row}");
        }
    }
    for row in report["network"].as_array().unwrap() {
        assert_eq!(row["size"], "1x8");
        assert!(row["peak_share"].as_f64().unwrap() > 0.0, "{row}");
    }
    let hash = report["signature"]["hash"].as_str().unwrap();
    assert!(hash.len() == 16 && report["signature"]["nodes"].as_u64().unwrap() > 1000);
    assert!(!cfg!(target_os = "linux") || report["memory"]["peak_mib"].as_f64().unwrap() > 0.0);

    // The table, with the JSON in a file; the signature is the same under other kernels.
    let words = ["bench", "signature", "--json", "figures.json", "--instructions", "portable"];
    let said = place.run(&words).expect(0, &["signature  ", hash, "portable kernels"]);
    assert!(!said.out.contains('{'), "{}", said.out);
    let file = std::fs::read_to_string(place.path("figures.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&file).unwrap()["signature"]["hash"], hash);
}

#[test]
fn tuning_writes_a_config_that_is_taken() {
    let place = Place::new();
    let words = [&["bench", "--tune", "--hours", "0.001", "--write", "mine.toml"], QUICK].concat();
    let said = place.run(&words).expect(0, &["[selfplay]\nin_flight = ", "rule of thumb"]);
    let suggested = said.out.lines().find(|line| line.starts_with("in_flight = ")).unwrap();
    let told = [suggested, "hours = 0.001", "look_ahead = \"every\""];
    place.run(&["config", "--resolved", "mine.toml"]).expect(0, &told);
}
