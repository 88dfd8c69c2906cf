//! Replay of the case files, and properties over random games.

mod marks;
mod texts;

use super::*;
use crate::game::{Line, Notation};
use crate::rng::{Stream, stream};
use rand::RngExt;
use std::collections::BTreeMap;

fn game() -> Shengxiao {
    Shengxiao::new(Rules::default()).unwrap()
}

fn at(text: &str) -> Position {
    game().parse_position(text).unwrap()
}

fn texts(game: &Shengxiao, line: &Line<Shengxiao>) -> Vec<String> {
    let mut texts: Vec<String> =
        line.legal().into_iter().map(|action| game.action_text(line.position(), action)).collect();
    texts.sort();
    texts
}

/// Replays a case file and returns its numbers of games and actions.
fn replay(cases: &str) -> (usize, usize) {
    let game = game();
    let (mut games, mut actions) = (0, 0);
    for (number, case) in cases.lines().enumerate() {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let name = format!("case {}: {}", number + 1, case["start"]);
        let start = game.parse_position(case["start"].as_str().unwrap()).unwrap();
        let mut line = Line::from_position(&game, start);
        let legal = case["legal"].as_array().unwrap();
        for (ply, action) in case["actions"].as_array().unwrap().iter().enumerate() {
            let found = texts(&game, &line);
            match legal[ply].as_u64() {
                Some(count) => assert_eq!(found.len() as u64, count, "{name}, ply {ply}"),
                None => assert_eq!(serde_json::json!(found), legal[ply], "{name}, ply {ply}"),
            }
            let action = game.parse_action(line.position(), action.as_str().unwrap());
            line.play(action.unwrap());
            actions += 1;
        }
        let end = game.position_text(line.position());
        assert!(
            end.starts_with(&format!("{} ", case["end"].as_str().unwrap())),
            "{name}: {end} is not {}",
            case["end"]
        );
        let outcome = line.outcome().map(|outcome| match outcome.winner {
            Some(side) => game.side_letter(side),
            None => "draw",
        });
        assert_eq!(serde_json::json!(outcome), case["outcome"], "{name}: {:?}", line.outcome());
        if let Some(next) = case.get("next") {
            assert_eq!(serde_json::json!(texts(&game, &line)), *next, "{name}");
        }
        games += 1;
    }
    (games, actions)
}

#[test]
fn playthroughs_replay() {
    let cases = include_str!("../../../../tests/cases/shengxiao/playthroughs.jsonl");
    assert_eq!(replay(cases), (133, 4868));
}

#[test]
fn special_cases_replay() {
    let cases = include_str!("../../../../tests/cases/shengxiao/special.jsonl");
    assert_eq!(replay(cases), (11, 37));
}

/// A start position with few animals thrown onto the board, or the usual one.
fn random_start(game: &Shengxiao, random: &mut Stream) -> Position {
    if random.random_range(0..3) == 0 {
        return game.start();
    }
    loop {
        let mut position = Position::empty();
        let share = random.random_range(2..=10);
        for side in Side::BOTH {
            for animal in Animal::ALL {
                let square = random.random_range(0..60);
                let wanted = animal == Animal::Rat || random.random_range(0..10) < share;
                if wanted && position.at(square).is_none() {
                    position.put(side, animal, square);
                }
            }
        }
        if let Ok(position) = game.parse_position(&game.position_text(&position)) {
            return position;
        }
    }
}

/// Plays random games and shows each position with its legal actions; returns the plies of each.
fn random_games(
    seed: u64,
    games: u64,
    mut visit: impl FnMut(&Shengxiao, &Line<Shengxiao>, &[Action]),
) -> Vec<u32> {
    let game = game();
    let mut lengths = Vec::new();
    for index in 0..games {
        let mut random = stream(seed, "shengxiao", index);
        let mut line = Line::from_position(&game, random_start(&game, &mut random));
        let mut legal = Vec::new();
        while line.outcome().is_none() {
            line.actions(&mut legal);
            visit(&game, &line, &legal);
            line.play(legal[random.random_range(0..legal.len())]);
        }
        visit(&game, &line, &[]);
        lengths.push(line.ply());
    }
    lengths
}

#[test]
fn every_game_ends_within_the_bound() {
    let longest = game().longest().unwrap();
    let mut reasons = BTreeMap::new();
    let lengths = random_games(1, 400, |game, line, legal| {
        assert_eq!(legal.is_empty(), line.outcome().is_some());
        assert!(legal.is_sorted_by(|one, other| one < other));
        if let Some(outcome) = line.outcome() {
            *reasons.entry(outcome.reason).or_insert(0) += 1;
        }
        let mut alone = Vec::new();
        game.actions(line.position(), &mut alone);
        if game.outcome(line.position(), &History::default()).is_some() {
            assert!(alone.is_empty());
        } else {
            assert!(!alone.is_empty());
        }
    });
    assert!(lengths.iter().all(|&length| length < longest));
    assert!(reasons.len() >= 4, "{reasons:?}");
}

#[test]
fn texts_read_back_at_every_ply() {
    let (mut pulls, mut chains) = (0, 0);
    random_games(2, 120, |game, line, legal| {
        let position = line.position();
        let text = game.position_text(position);
        assert_eq!(game.parse_position(&text).as_ref(), Ok(position), "{text}");
        pulls += u32::from(position.phase == Phase::Pulls);
        chains += u32::from(position.phase == Phase::Chain);
        for &action in legal {
            let text = game.action_text(position, action);
            assert_eq!(game.parse_action(position, &text), Ok(action), "{text}");
            assert!(!game.describe(position, action).contains("nobody"));
        }
    });
    assert!(pulls > 20 && chains > 20, "{pulls} pulls, {chains} chains");
}

#[test]
fn the_board_agrees_with_itself_and_hashes_with_equality() {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut hashes = std::collections::HashMap::new();
    random_games(3, 60, |game, line, _| {
        let position = line.position();
        for side in Side::BOTH {
            assert_eq!(position.places(side, (1 << 12) - 1), position.stands[side.index()]);
            assert_eq!(game.breathless(position, side), 0);
        }
        let (text, hash) = (game.position_text(position), game.hash(position));
        assert_eq!(*seen.entry(text.clone()).or_insert(hash), hash);
        assert_eq!(*hashes.entry(hash).or_insert(text.clone()), text);
    });
    assert!(seen.len() > 1000);
}

#[test]
fn illegal_actions_are_refused_in_words() {
    // Every code there is, tried in every position of a few games.
    let deeds: Vec<String> = ["n", "e", "s", "w"]
        .into_iter()
        .flat_map(|d| {
            ["push@0", "push@1", "swap@", "bite@", "pull@"].map(|code| code.replace('@', d))
        })
        .chain(["end", "shifte+0", "shifte+2x", "shiftw-5", "shiftw+1"].map(String::from))
        .chain(["a1a2", "d4e5", "f10f9", "c3c8", "b7b7"].map(String::from))
        .collect();
    let mut refused = 0;
    random_games(4, 10, |game, line, _| {
        let legal = texts(game, line);
        for deed in &deeds {
            match game.parse_action(line.position(), deed) {
                // A repetition ends the game, but the rules without history do not know of it.
                Ok(_) => assert!(legal.contains(deed) || line.outcome().is_some()),
                Err(error) => {
                    assert!(!legal.contains(deed), "{error}");
                    assert!(error.to_string().starts_with(&format!("`{deed}`: ")), "{error}");
                    assert!(!error.to_string().contains("cannot walk now"), "{error}");
                    refused += 1;
                }
            }
        }
    });
    assert!(refused > 1000);
}

#[test]
fn another_board_plays() {
    let rules = Rules {
        width: 5,
        height: 8,
        border: 4,
        goal_south: 7,
        goal_north: 2,
        setup: String::from("r1k1p/5/5/5/5/5/5/P1K1R s"),
        repetitions: 2,
        quiet_turns: 10,
    };
    let game = Shengxiao::new(rules).unwrap();
    let mut line = Line::start(&game);
    let mut random = stream(5, "shengxiao", 0);
    while line.outcome().is_none() {
        let legal = line.legal();
        line.play(legal[random.random_range(0..legal.len())]);
    }
    assert!(line.position().quiet <= 10);
}

#[test]
fn repeated_threats_lose_and_other_repetitions_draw() {
    let game = game();
    let play = |start: &str, cycle: [&str; 4]| {
        let mut line = Line::from_position(&game, at(start));
        for action in cycle.into_iter().cycle() {
            if let Some(outcome) = line.outcome() {
                return (outcome.winner, line.ply());
            }
            line.play(game.parse_action(line.position(), action).unwrap());
        }
        (None, 0)
    };
    // The rats go to and fro, and nobody threatens: the third occurrence draws.
    let quiet = play("6/6/6/r5/6/6/5R/6/6/6 s", ["f4f3", "a7b7", "f3f4", "b7a7"]);
    assert_eq!(quiet, (None, 8));
    // The tiger threatens the rat wherever it goes.
    let start = "6/6/6/r5/6/6/T4R/6/6/6 n";
    let chase = play(start, ["a7b7", "a4b4", "b7a7", "b4a4"]);
    assert_eq!(chase, (Some(Side::Second), 8));
}
