//! Replaying case files (JSON lines) against the engine. Takes texts; reading files is the
//! caller's.
//!
//! A line is a *position* (`position`, sorted `moves`, `outcome`, `perft` by depth or null) or a
//! *playthrough* (`start`, `actions`, the legal actions before each as `legal` or their number as
//! `legal_counts`, the `end` text, `outcome`, and `next`, the legal actions at the end). Both name
//! their `game` and its `rules`; `preset` names the rule set that the rules must equal. `start` is
//! a position text, or the word `start`. An `end` text may leave out fields at its end.

use super::perft::perft;
use super::registry::{self, AnyGame};
use super::{Game, Line, Notation, Outcome};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::fmt;

/// What became of one case file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub file: String,
    /// Lines that hold a case or should.
    pub read: usize,
    /// Cases that were compared with the engine.
    pub checked: usize,
    /// Cases of other games than the one asked for.
    pub skipped: usize,
    pub mismatches: Vec<Mismatch>,
}

/// A place where engine and case disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub file: String,
    /// Line number from 1.
    pub line: usize,
    /// What was compared: `moves`, `perft at depth 2`, `the line` if it could not be read.
    pub what: String,
    pub expected: String,
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Mismatch { file, line, what, expected, found } = self;
        write!(formatter, "{file}:{line}: {what}: expected {expected}, found {found}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Report { file, read, checked, skipped, mismatches } = self;
        let wrong = mismatches.len();
        write!(
            formatter,
            "{file}: {read} read, {checked} checked, {skipped} skipped, {wrong} mismatches"
        )
    }
}

/// Checks the lines of a case file; `only` names the one game to check.
pub fn check(file: &str, text: &str, only: Option<&str>) -> Report {
    let mut report = Report { file: file.into(), ..Report::default() };
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        report.read += 1;
        match check_line(line, only) {
            Ok(true) => report.checked += 1,
            Ok(false) => report.skipped += 1,
            Err(Wrong { what, expected, found }) => {
                report.checked += 1;
                let line = index + 1;
                report.mismatches.push(Mismatch { file: file.into(), line, what, expected, found });
            }
        }
    }
    report
}

/// A position with what the engine should say of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionCase {
    position: String,
    moves: Vec<String>,
    #[serde(deserialize_with = "present")]
    outcome: Option<String>,
    #[serde(deserialize_with = "present")]
    perft: Option<Vec<u64>>,
}

/// A game played action by action.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Playthrough {
    start: String,
    actions: Vec<String>,
    legal: Option<Vec<Legal>>,
    legal_counts: Option<Vec<usize>>,
    end: String,
    #[serde(deserialize_with = "present")]
    outcome: Option<String>,
    next: Option<Vec<String>>,
    // What an exported game says beside the case. Nothing the rules could agree or disagree with.
    #[serde(rename = "margin")]
    _margin: Option<IgnoredAny>,
    #[serde(rename = "adjudicated")]
    _adjudicated: Option<IgnoredAny>,
    #[serde(rename = "index")]
    _index: Option<IgnoredAny>,
    #[serde(rename = "generation")]
    _generation: Option<IgnoredAny>,
    #[serde(rename = "seed")]
    _seed: Option<IgnoredAny>,
    #[serde(rename = "opening_plies")]
    _opening_plies: Option<IgnoredAny>,
}

/// The legal actions before an action, or only their number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Legal {
    Number(usize),
    Actions(Vec<String>),
}

/// `null` is a value, an absent key is an error.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// A mismatch that does not know its line yet.
struct Wrong {
    what: String,
    expected: String,
    found: String,
}

impl Wrong {
    fn new(what: impl Into<String>, expected: impl ToString, found: impl ToString) -> Wrong {
        Wrong { what: what.into(), expected: expected.to_string(), found: found.to_string() }
    }
}

fn unreadable(found: impl ToString) -> Wrong {
    Wrong::new("the line", "a case", found)
}

fn same<T: PartialEq + fmt::Debug>(
    what: impl Into<String>,
    expected: &T,
    found: &T,
) -> Result<(), Wrong> {
    match expected == found {
        true => Ok(()),
        false => Err(Wrong::new(what, format!("{expected:?}"), format!("{found:?}"))),
    }
}

/// Checks one line; `false` if it is of another game than `only`.
fn check_line(line: &str, only: Option<&str>) -> Result<bool, Wrong> {
    let mut case: Map<String, Value> = serde_json::from_str(line).map_err(unreadable)?;
    let Some(Value::String(name)) = case.remove("game") else {
        return Err(unreadable("no `game`"));
    };
    if only.is_some_and(|only| only != name) {
        return Ok(false);
    }
    let any = build(&name, &mut case)?;
    if case.contains_key("position") {
        let case = serde_json::from_value(Value::Object(case)).map_err(unreadable)?;
        crate::with_game!(&any, game => check_position(game, &case))?;
    } else {
        let case = serde_json::from_value(Value::Object(case)).map_err(unreadable)?;
        crate::with_game!(&any, game => check_playthrough(game, &case))?;
    }
    Ok(true)
}

/// The game of a case, with `rules` and `preset` taken out of it.
fn build(name: &str, case: &mut Map<String, Value>) -> Result<AnyGame, Wrong> {
    let rules = match case.remove("rules") {
        None => Map::new(),
        Some(Value::Object(rules)) => rules,
        Some(other) => return Err(unreadable(format!("`rules` is {other}"))),
    };
    let any = registry::build(name, None, &rules).map_err(unreadable)?;
    let resolved = crate::with_game!(&any, game => game.rules());
    if let Some(preset) = case.remove("preset") {
        let Value::String(preset) = preset else {
            return Err(unreadable(format!("`preset` is {preset}")));
        };
        let named = registry::build(name, Some(&preset), &Map::new()).map_err(unreadable)?;
        let named = crate::with_game!(&named, game => game.rules());
        same(format!("the rules of the preset `{preset}`"), &Value::Object(rules), &named)?;
        same("the rules", &resolved, &named)?;
    }
    Ok(any)
}

/// The legal actions of a line as sorted texts.
fn legal_texts<G: Notation>(line: &Line<G>) -> Vec<String> {
    let text = |action| line.game().action_text(line.position(), action);
    let mut texts: Vec<String> = line.legal().into_iter().map(text).collect();
    texts.sort();
    texts
}

/// An outcome as case files write it.
fn outcome_text<G: Notation>(game: &G, outcome: Option<Outcome>) -> Option<String> {
    outcome.map(|outcome| outcome.winner.map_or("draw", |side| game.side_letter(side)).into())
}

fn check_position<G: Game + Notation>(game: &G, case: &PositionCase) -> Result<(), Wrong> {
    let position = game
        .parse_position(&case.position)
        .map_err(|error| Wrong::new("the position", &case.position, error))?;
    let again = game.position_text(&position);
    let read_again = game.parse_position(&again).map_err(|error| {
        Wrong::new("the position written and read again", &case.position, error)
    })?;
    same("the position written and read again", &position, &read_again)?;
    let line = Line::from_position(game, position);
    same("outcome", &case.outcome, &outcome_text(game, line.outcome()))?;
    same("moves", &case.moves, &legal_texts(&line))?;
    for (index, leaves) in case.perft.iter().flatten().enumerate() {
        let depth = index as u32 + 1;
        let found = perft(game, line.position(), depth);
        same(format!("perft at depth {depth}"), leaves, &found)?;
    }
    Ok(())
}

fn check_playthrough<G: Game + Notation>(game: &G, case: &Playthrough) -> Result<(), Wrong> {
    let start = match case.start.as_str() {
        "start" => game.start(),
        text => game.parse_position(text).map_err(|error| Wrong::new("start", text, error))?,
    };
    let expected: Vec<&Legal> = case.legal.iter().flatten().collect();
    let counts: Vec<usize> = case.legal_counts.iter().flatten().copied().collect();
    for (key, given, length) in [
        ("legal", case.legal.is_some(), expected.len()),
        ("legal_counts", case.legal_counts.is_some(), counts.len()),
    ] {
        if given && length != case.actions.len() {
            let problem =
                format!("`{key}` has {length} entries for {} actions", case.actions.len());
            return Err(unreadable(problem));
        }
    }
    if case.legal.is_none() && case.legal_counts.is_none() {
        return Err(unreadable("neither `legal` nor `legal_counts`"));
    }
    let mut line = Line::from_position(game, start);
    for (index, text) in case.actions.iter().enumerate() {
        let before = format!("before action {} (`{text}`)", index + 1);
        let legal = legal_texts(&line);
        match expected.get(index) {
            Some(Legal::Actions(texts)) => same(format!("legal actions {before}"), texts, &legal)?,
            Some(Legal::Number(number)) => {
                same(format!("number of legal actions {before}"), number, &legal.len())?;
            }
            None => {}
        }
        if let Some(count) = counts.get(index) {
            same(format!("number of legal actions {before}"), count, &legal.len())?;
        }
        let action = game
            .parse_action(line.position(), text)
            .map_err(|error| Wrong::new(before.as_str(), "a legal action", error))?;
        if !line.legal().contains(&action) {
            return Err(Wrong::new(before, "a legal action", format!("{legal:?}")));
        }
        line.play(action);
    }
    let end = game.position_text(line.position());
    let fields = case.end.split(' ').count();
    let comparable = end.split(' ').take(fields).collect::<Vec<_>>().join(" ");
    same("end", &case.end, &comparable)?;
    same("outcome", &case.outcome, &outcome_text(game, line.outcome()))?;
    if let Some(next) = &case.next {
        same("next", next, &legal_texts(&line))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITION: &str = r#"{"game":"jungle","position":"7/7/7/7/7/7/6r/7/R6 w 0 1","outcome":null,"moves":["a1a2","a1b1"],"perft":[2,6]}"#;
    const PLAY: &str = r#"{"game":"jungle","start":"start","actions":["a3a4"],"legal_counts":[24],"end":"l5t/1d3c1/r1p1w1e/7/7/E6/2W1P1R/1C3D1/T5L b 1 1","outcome":null}"#;

    fn found(line: &str) -> Option<String> {
        check("x.jsonl", line, None).mismatches.first().map(Mismatch::to_string)
    }

    #[test]
    fn right_cases_pass() {
        let report = check("x.jsonl", &format!("{POSITION}\n\n{PLAY}\n"), Some("jungle"));
        assert_eq!(report.to_string(), "x.jsonl: 2 read, 2 checked, 0 skipped, 0 mismatches");
        let report = check("x.jsonl", PLAY, Some("celestial"));
        assert_eq!(report.to_string(), "x.jsonl: 1 read, 0 checked, 1 skipped, 0 mismatches");
    }

    #[test]
    fn each_wrong_entry_is_found() {
        for (case, right, wrong, what) in [
            (POSITION, "[2,6]", "[2,7]", "perft at depth 2: expected 7, found 6"),
            (POSITION, "\"a1a2\",", "", "moves"),
            (POSITION, "null", "\"w\"", "outcome"),
            (POSITION, "w 0 1", "x 0 1", "the position"),
            (POSITION, "\"perft\":[2,6]", "\"perft\":[2],\"extra\":1", "extra"),
            (POSITION, "\"outcome\":null,", "", "outcome"),
            (POSITION, "\"game\"", "\"gane\"", "no `game`"),
            (POSITION, "jungle", "jumble", "no game `jumble`"),
            (POSITION, "{\"game\"", "{\"rules\":{\"x\":1},\"game\"", "no option `x`"),
            (POSITION, "{\"game\"", "{\"preset\":\"leiden\",\"game\"", "preset `leiden`"),
            (PLAY, "[24]", "[23]", "number of legal actions before action 1"),
            (PLAY, "[24]", "[24,24]", "2 entries for 1 actions"),
            (PLAY, "\"legal_counts\":[24]", "\"legal\":[[\"a3a4\"]]", "legal actions before"),
            (PLAY, "\"legal_counts\":[24],", "", "neither"),
            (PLAY, "a3a4", "a3a5", "`a3a5` is not legal"),
            (PLAY, "b 1 1", "b 0 1", "end"),
            (PLAY, "null}", "null,\"next\":[]}", "next"),
            (PLAY, "}", "", "the line"),
        ] {
            let line = case.replacen(right, wrong, 1);
            assert_ne!(line, case);
            let found = found(&line).unwrap_or_else(|| panic!("nothing wrong with {line}"));
            assert!(found.contains(what), "{found} lacks {what}");
            assert!(found.starts_with("x.jsonl:1: "), "{found}");
        }
    }
}
