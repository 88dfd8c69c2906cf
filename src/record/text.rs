//! Games as text, for other programs and for people: one JSON object a line, and a transcript.
//!
//! The keys of a line are those of the project's case files (`game`, `rules`, `start`, `actions`,
//! `legal_counts`, `end`, `outcome`), so that an exported game is a test of any other engine.
//! What a line claims is checked against the rules when it is read. Searches are not exported.

use super::game::{Counters, End, FORMAT, GameRecord};
use super::replay::ReplayError;
use super::rules::RulesHash;
use crate::game::{Line, Notation, Outcome, Side, TextError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of a case file. Keys that are not listed are passed over.
#[derive(Serialize, Deserialize)]
struct Playthrough {
    game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<Value>,
    /// Position text, or `start` for the rules' own.
    start: String,
    actions: Vec<String>,
    /// Number of legal actions before each action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    legal_counts: Option<Vec<usize>>,
    /// The legal actions before each action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    legal: Option<Vec<Legal>>,
    /// Position text after the last action; its last fields may be left out.
    end: String,
    /// Letter of the winner, `draw`, or null while the game goes on by the rules.
    outcome: Option<String>,
    /// The legal actions at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<Legal>,
    /// Points of the first side minus points of the second, where there are points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    margin: Option<i16>,
    /// The result of a game that was decided early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    adjudicated: Option<Adjudicated>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generation: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opening_plies: Option<u32>,
}

/// Legal actions: sorted as texts, or only their number where they are many.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Legal {
    Count(usize),
    Texts(Vec<String>),
}

#[derive(Serialize, Deserialize)]
struct Adjudicated {
    outcome: String,
    margin: Option<i16>,
    by: String,
}

/// A game as one line of JSON, without the line's end.
pub fn export<G: Notation>(game: &G, record: &GameRecord) -> Result<String, ReplayError> {
    let mut legal_counts = Vec::with_capacity(record.actions.len());
    let mut end = String::new();
    let mut legal = Vec::new();
    let mut outcome = None;
    record.replay_with(game, |line| {
        line.actions(&mut legal);
        legal_counts.push(legal.len());
        end = game.position_text(line.position());
        outcome = line.outcome();
    })?;
    legal_counts.pop();
    let rules = game.rules();
    let has_options = rules.as_object().is_some_and(|rules| !rules.is_empty());
    let playthrough = Playthrough {
        game: record.game.clone(),
        rules: has_options.then_some(rules),
        start: record.start.clone().unwrap_or_else(|| game.position_text(&game.start())),
        actions: record.actions.clone(),
        legal_counts: Some(legal_counts),
        legal: None,
        end,
        outcome: outcome.map(|outcome| outcome_text(game, outcome.winner)),
        next: None,
        margin: record.end.margin().filter(|&margin| margin != 0),
        adjudicated: match &record.end {
            End::Adjudicated { winner, margin, by } => Some(Adjudicated {
                outcome: outcome_text(game, *winner),
                margin: *margin,
                by: by.clone(),
            }),
            _ => None,
        },
        index: Some(record.index),
        generation: Some(record.generation),
        seed: Some(record.seed),
        opening_plies: Some(record.opening_plies),
    };
    // Strings, numbers and lists of them: there is nothing that JSON could not hold.
    Ok(serde_json::to_string(&playthrough).unwrap_or_default())
}

/// Reads a game from one line of JSON and checks everything that the line claims. `rules` may be
/// missing; where it is given it must be the rules of `game`.
pub fn import<G: Notation>(game: &G, line: &str) -> Result<GameRecord, TextError> {
    let case: Playthrough = serde_json::from_str(line)
        .map_err(|error| TextError::new(format!("not a game in JSON: {error}")))?;
    let rules = RulesHash::of(game);
    if case.rules.as_ref().is_some_and(|r| RulesHash::of_record(&case.game, r) != rules) {
        return Err(TextError::new(format!(
            "played by other rules than {}: {}",
            game.rules(),
            case.rules.unwrap_or_default()
        )));
    }
    for counted in [case.legal_counts.as_ref().map(Vec::len), case.legal.as_ref().map(Vec::len)] {
        if let Some(count) = counted.filter(|&count| count != case.actions.len()) {
            let plies = case.actions.len();
            return Err(TextError::new(format!(
                "legal actions of {count} plies, but {plies} plies"
            )));
        }
    }
    let mut record = GameRecord {
        format: FORMAT,
        game: case.game.clone(),
        rules,
        index: case.index.unwrap_or(0),
        generation: case.generation.unwrap_or(0),
        seed: case.seed.unwrap_or(0),
        opening_plies: case.opening_plies.unwrap_or(0),
        start: (case.start != "start").then(|| case.start.clone()),
        actions: case.actions.clone(),
        searched: Vec::new(),
        end: End::Cut,
        counters: Counters::default(),
    };
    record.end = ruled_end(game, &record, &case)?;
    let mut claims = Ok(());
    let replayed = record.replay_with(game, |line| {
        if claims.is_ok() {
            claims = check_claims(game, line, &case);
        }
    });
    replayed.map_err(|error| TextError::new(error.to_string()))?;
    claims.map(|()| record)
}

/// The end that the line states, or the one by the rules where it states none of its own.
fn ruled_end<G: Notation>(
    game: &G,
    record: &GameRecord,
    case: &Playthrough,
) -> Result<End, TextError> {
    if let Some(Adjudicated { outcome, margin, by }) = &case.adjudicated {
        let winner = parse_outcome(game, outcome)?;
        return Ok(End::Adjudicated { winner, margin: *margin, by: by.clone() });
    }
    // A first walk with an unknown end finds the outcome; errors are told by the second.
    let mut outcome = None;
    let _ = record.replay_with(game, |line| outcome = line.outcome());
    Ok(match outcome {
        None => End::Cut,
        Some(Outcome { winner, margin, reason }) => {
            End::Finished { winner, margin, reason: reason.to_string() }
        }
    })
}

fn check_claims<G: Notation>(
    game: &G,
    line: &Line<G>,
    case: &Playthrough,
) -> Result<(), TextError> {
    let ply = line.ply() as usize;
    let last = ply == case.actions.len();
    let legal = line.legal();
    let differ = |what: &str, stated: String, ruled: String| {
        Err(TextError::new(format!("ply {ply}: {what}: the line says {stated}, the rules {ruled}")))
    };
    if let Some(&count) = case.legal_counts.as_ref().and_then(|counts| counts.get(ply))
        && count != legal.len()
    {
        return differ("number of legal actions", count.to_string(), legal.len().to_string());
    }
    let stated = if last {
        case.next.as_ref()
    } else {
        case.legal.as_ref().and_then(|lists| lists.get(ply))
    };
    match stated {
        Some(&Legal::Count(count)) if count != legal.len() => {
            return differ("number of legal actions", count.to_string(), legal.len().to_string());
        }
        Some(Legal::Texts(stated)) => {
            let text = |&action| game.action_text(line.position(), action);
            let mut ruled: Vec<String> = legal.iter().map(text).collect();
            ruled.sort();
            if *stated != ruled {
                return differ("legal actions", stated.join(" "), ruled.join(" "));
            }
        }
        _ => {}
    }
    if last {
        let end = game.position_text(line.position());
        let rest = end.strip_prefix(case.end.as_str());
        if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) {
            return differ("final position", format!("\"{}\"", case.end), format!("\"{end}\""));
        }
        let outcome = line.outcome().map(|outcome| outcome_text(game, outcome.winner));
        if case.outcome != outcome {
            let text = |outcome: &Option<String>| outcome.clone().unwrap_or("null".to_string());
            return differ("outcome", text(&case.outcome), text(&outcome));
        }
    }
    Ok(())
}

fn outcome_text<G: Notation>(game: &G, winner: Option<Side>) -> String {
    winner.map_or("draw", |side| game.side_letter(side)).to_string()
}

fn parse_outcome<G: Notation>(game: &G, text: &str) -> Result<Option<Side>, TextError> {
    if text == "draw" {
        return Ok(None);
    }
    let side = Side::BOTH.into_iter().find(|&side| game.side_letter(side) == text);
    side.map(Some).ok_or_else(|| {
        let [first, second] = Side::BOTH.map(|side| game.side_letter(side));
        TextError::new(format!("\"{text}\" is no result; expected {first}, {second} or draw"))
    })
}

/// A game for people: what it was, every action in words with the search's value beside it, and
/// how it ended.
pub fn transcript<G: Notation>(game: &G, record: &GameRecord) -> Result<String, ReplayError> {
    let replayed = record.replay(game)?;
    let mut line = replayed.line(game);
    let mut text = format!(
        "game {} of {}, generation {}, rules {}\nstart {}\n",
        record.index,
        record.game,
        record.generation,
        record.rules,
        game.position_text(line.position())
    );
    let mut searches = replayed.searched.iter().peekable();
    for &action in &replayed.actions {
        let side = line.turn();
        let words = game.describe(line.position(), action);
        let short = game.action_text(line.position(), action);
        let name = game.side_name(side);
        text += &format!("{:>4} {name} {short}: {words}", line.ply() + 1);
        if let Some(searched) = searches.next_if(|searched| searched.ply == line.ply()) {
            let value = searched.root.pov(side).value();
            text += &format!(" (value {value:+.2}, {} visits)", searched.visits);
        }
        text += "\n";
        line.play(action);
    }
    let result = |winner: &Option<Side>, margin: Option<i16>| {
        let points = match margin {
            None | Some(0) => String::new(),
            Some(margin) => format!(" by {}", margin.abs()),
        };
        winner
            .map_or(String::from("a draw"), |side| format!("{} wins{points}", game.side_name(side)))
    };
    text += &match &record.end {
        End::Finished { winner, margin, reason } => {
            format!("{}, because {reason}\n", result(winner, Some(*margin)))
        }
        End::Adjudicated { winner, margin, by } => {
            format!("{}, adjudicated by {by}\n", result(winner, *margin))
        }
        End::Cut => String::from("stopped without a result\n"),
    };
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::toy::{self, Heap};

    #[test]
    fn an_exported_game_is_read_back() {
        let game = Heap::default();
        let mut record = toy::record(3);
        let line = export(&game, &record).unwrap();
        assert!(line.starts_with(r#"{"game":"heap","rules":{"#), "{line}");
        record.searched.clear();
        record.counters = Counters::default();
        let read = import(&game, &line).unwrap();
        record.start = Some(String::from("12 0 0 0"));
        assert_eq!(read, record);
    }

    #[test]
    fn an_adjudicated_game_keeps_its_result() {
        let game = Heap::default();
        let mut record = toy::record(3);
        record.actions.truncate(2);
        record.searched.truncate(2);
        record.end = End::Adjudicated {
            winner: Some(Side::Second),
            margin: Some(-1),
            by: String::from("a table"),
        };
        let line = export(&game, &record).unwrap();
        assert!(line.contains(r#""outcome":null"#), "{line}");
        assert_eq!(import(&game, &line).unwrap().end, record.end);
    }

    #[test]
    fn a_case_is_read_and_every_claim_is_checked() {
        let game = Heap { stones: 4, ..Heap::default() };
        let case = r#"{"game":"heap","start":"start","actions":["3","1"],"legal_counts":[3,1],
            "legal":[["1","2","3"],["1"]],"end":"0 3 1 0","outcome":"o","next":[]}"#;
        let record = import(&game, case).unwrap();
        assert_eq!((record.start, record.end.margin()), (None, Some(2)));
        let shorter = case.replace("0 3 1 0", "0 3 1").replace(r#"["1"]],"#, "1],");
        assert_eq!(import(&game, &shorter).unwrap().actions, ["3", "1"]);
        for (from, to, told) in [
            ("[3,1]", "[3,2]", "ply 1: number of legal actions: the line says 2, the rules 1"),
            (r#"["1"]]"#, r#"["2"]]"#, "ply 1: legal actions: the line says 2, the rules 1"),
            (r#"["1"]],"#, "2],", "ply 1: number of legal actions: the line says 2, the rules 1"),
            ("0 3 1 0", "0 3 1 ", "final position: the line says \"0 3 1 \", the rules"),
            ("0 3 1 0", "0 1 3 0", "final position: the line says \"0 1 3 0\", the rules"),
            (r#""o""#, r#""t""#, "ply 2: outcome: the line says t, the rules o"),
            (r#"["3","1"]"#, r#"["3","2"]"#, "ply 1: \"2\" is not legal"),
            ("[3,1]", "[3]", "legal actions of 1 plies, but 2 plies"),
            ("heap", "hep", "a game of hep, expected one of heap"),
            (r#""start":"start""#, r#""rules":{},"start":"start""#, "played by other rules than"),
        ] {
            assert!(case.contains(from));
            let error = import(&game, &case.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert!(import(&game, "{").unwrap_err().to_string().starts_with("not a game in JSON: "));
    }

    #[test]
    fn a_transcript_tells_actions_and_end() {
        let record = toy::record(3);
        let text = transcript(&Heap::default(), &record).unwrap();
        assert!(text.contains("   1 one "), "{text}");
        assert!(text.contains(" stones are taken (value "), "{text}");
        assert!(text.trim_end().ends_with("because the heap is empty"), "{text}");
    }
}
