//! Every case file of every game, replayed against the engine.

use menagerie::game::{check, registry};
use std::path::Path;

fn cases_of(game: &str) -> Vec<check::Report> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(game);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let check_file = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        check::check(&path.display().to_string(), &text, None)
    };
    files.into_iter().map(check_file).collect()
}

#[test]
fn every_case_of_every_game_agrees() {
    for game in registry::names() {
        let reports = cases_of(game);
        let mismatches: Vec<String> = reports
            .iter()
            .flat_map(|report| report.mismatches.iter().map(ToString::to_string))
            .collect();
        assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
        let checked: usize = reports.iter().map(|report| report.checked).sum();
        assert!(checked >= 100, "{game}: only {checked} cases");
    }
}

#[test]
fn all_cases_of_jungle_are_there() {
    let checked: Vec<usize> = cases_of("jungle").iter().map(|report| report.checked).collect();
    assert_eq!(checked, [208, 43, 50, 400, 15]);
}
