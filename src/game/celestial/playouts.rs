//! Seeded random games for the tests of this game's rooms, and the replay of the case files.

use super::{Action, Celestial, Position};
use crate::game::{Game, Line, Notation, Outcome, Side};
use crate::rng;
use rand::Rng;
use std::path::PathBuf;

/// A random game.
pub(crate) struct Playout {
    /// All positions, the first and the last included.
    pub positions: Vec<Position>,
    /// The actions between them.
    pub actions: Vec<Action>,
    pub outcome: Outcome,
}

/// Random game number `index`.
pub(crate) fn playout(index: u64) -> Playout {
    let game = Celestial::default();
    let mut stream = rng::stream(1, "celestial playout", index);
    let mut line = Line::start(&game);
    let (mut positions, mut actions) = (vec![*line.position()], Vec::new());
    loop {
        if let Some(outcome) = line.outcome() {
            assert!(line.legal().is_empty());
            return Playout { positions, actions, outcome };
        }
        let legal = line.legal();
        assert!(!legal.is_empty(), "no action and no outcome in {:?}", line.position());
        assert!(legal.is_sorted_by(|a, b| a < b), "{legal:?}");
        let action = legal[stream.next_u32() as usize % legal.len()];
        line.play(action);
        actions.push(action);
        positions.push(*line.position());
    }
}

fn cases(name: &str) -> Vec<serde_json::Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/celestial").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn words(value: &serde_json::Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

fn winner_letter(game: &Celestial, outcome: Option<Outcome>) -> Option<&'static str> {
    outcome.map(|outcome| outcome.winner.map_or("draw", |side| game.side_letter(side)))
}

fn perft(game: &Celestial, position: &Position, depth: u64) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut legal = Vec::new();
    game.actions(position, &mut legal);
    let after = |action| {
        let mut next = *position;
        game.play(&mut next, action);
        perft(game, &next, depth - 1)
    };
    legal.into_iter().map(after).sum()
}

#[test]
fn the_case_games_replay() {
    let game = Celestial::default();
    let mut actions = 0;
    let cases = cases("playthroughs.jsonl");
    for case in &cases {
        let mut line = Line::start(&game);
        let counts = case["legal_counts"].as_array().unwrap();
        let texts = words(&case["actions"]);
        assert_eq!(counts.len(), texts.len());
        for (text, count) in texts.iter().zip(counts) {
            assert_eq!(line.legal().len() as u64, count.as_u64().unwrap(), "before {text}");
            line.play(game.parse_action(line.position(), text).unwrap());
            actions += 1;
        }
        assert_eq!(game.position_text(line.position()), case["end"].as_str().unwrap());
        assert_eq!(winner_letter(&game, line.outcome()), case["outcome"].as_str());
    }
    assert_eq!((cases.len(), actions), (100, 8_938));
}

#[test]
fn the_case_positions_hold() {
    let game = Celestial::default();
    let mut nodes = 0;
    let cases = cases("positions.jsonl");
    for case in &cases {
        let text = case["position"].as_str().unwrap();
        let position = game.parse_position(text).unwrap();
        assert_eq!(game.position_text(&position), text);
        let line = Line::from_position(&game, position);
        let mut moves: Vec<String> =
            line.legal().into_iter().map(|action| game.action_text(&position, action)).collect();
        moves.sort();
        assert_eq!(moves, words(&case["moves"]), "{text}");
        assert_eq!(winner_letter(&game, line.outcome()), case["outcome"].as_str(), "{text}");
        for (depth, expected) in (1..).zip(case["perft"].as_array().unwrap()) {
            let count = perft(&game, &position, depth);
            assert_eq!(count, expected.as_u64().unwrap(), "{text} depth {depth}");
            nodes += count;
        }
    }
    assert_eq!((cases.len(), nodes), (400, 327_675));
}

#[test]
fn perft_of_the_placing() {
    let game = Celestial::default();
    let start = game.start();
    assert_eq!(perft(&game, &start, 1), 144);
    assert_eq!(perft(&game, &start, 2), 144 * 144);
    assert_eq!(perft(&game, &start, 3), 144 * 144 * 121);
}

#[test]
fn random_games_end_in_time_and_add_up() {
    let (mut longest, mut again) = (0, 0);
    let mut winners = [0; 3];
    for index in 0..400 {
        let game = playout(index);
        longest = longest.max(game.actions.len());
        let last = game.positions[game.positions.len() - 1];
        assert_eq!(game.outcome.margin, last.margin());
        assert_eq!(
            game.outcome.winner,
            [Some(Side::Second), None, Some(Side::First)][(last.margin().signum() + 1) as usize]
        );
        winners[game.outcome.winner.map_or(2, Side::index)] += 1;
        let turns: Vec<Side> = game.positions.iter().map(Position::turn).collect();
        for (at, action) in game.actions.iter().enumerate() {
            let same = turns[at] == turns[at + 1];
            let jumping = game.positions[at + 1].continuing();
            // A side acts again after a jump that goes on, and North after the last placement.
            assert_eq!(same, jumping.is_some() || at == 23, "action {at} {action:?}");
            if let Some(square) = jumping {
                assert_eq!(action.path().map(|(_, to)| to), Some(square));
                assert_eq!(game.actions[at + 1].path().map(|(from, _)| from), Some(square));
                again += 1;
            }
        }
    }
    assert!(longest <= 168 && longest > 80, "{longest}");
    assert!(again > 300, "multi-jumps: {again}");
    assert!(winners[0] > 100 && winners[1] > 100 && winners[2] > 0, "{winners:?}");
}
