use super::*;
use crate::game::{Line, Notation};
use crate::rng;
use rand::RngExt;
use serde_json::{Value, json};
use std::collections::HashSet;

fn game(options: Value) -> Jungle {
    let mut record = serde_json::to_value(Rules::default()).unwrap();
    for (key, value) in options.as_object().unwrap() {
        record[key] = value.clone();
    }
    Jungle::new(serde_json::from_value(record).unwrap()).unwrap()
}

fn standard() -> Jungle {
    game(json!({}))
}

/// Why a position text is refused.
fn refused(text: &str) -> String {
    standard().parse_position(text).expect_err(text).to_string()
}

/// Why a move is refused.
fn illegal(game: &Jungle, position: &str, text: &str) -> String {
    let position = game.parse_position(position).unwrap();
    game.parse_action(&position, text).expect_err(text).to_string()
}

fn line(game: &Jungle, position: &str, actions: &str) -> Line<Jungle> {
    let mut line = Line::from_position(game, game.parse_position(position).unwrap());
    for text in actions.split_whitespace() {
        line.play(game.parse_action(line.position(), text).unwrap());
    }
    line
}

#[test]
fn records_have_exactly_the_keys_of_the_rules() {
    let rules = standard().rules();
    let keys: HashSet<&str> = rules.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys.len(), 22);
    assert!(rules["max_plies"].is_null());
    let again: Rules = serde_json::from_value(rules).unwrap();
    assert_eq!(again, Rules::default());
    let error = serde_json::from_value::<Rules>(json!({"trap": "all"})).unwrap_err();
    assert!(error.to_string().contains("`trap`"));
    let off: Rules = toml::from_str("no_capture_limit = \"off\"\nmax_plies = 9").unwrap();
    assert_eq!((off.no_capture_limit, off.max_plies), (Limit(None), Limit(Some(9))));
}

#[test]
fn presets_exist_and_differ() {
    let records: HashSet<String> = PRESETS
        .iter()
        .map(|name| Jungle::new(Rules::preset(name).unwrap()).unwrap().rules().to_string())
        .collect();
    assert_eq!(records.len(), PRESETS.len());
    assert_eq!(Rules::preset("standard"), Some(Rules::default()));
    assert_eq!(Rules::preset("Standard"), None);
}

#[test]
fn position_texts_come_back() {
    let game = standard();
    let start = &Rules::default().setup;
    assert_eq!(game.position_text(&game.start()), *start);
    let read = |text: &str| game.position_text(&game.parse_position(text).unwrap());
    assert_eq!(read("l5t/1d3c1/r1j1w1e/7/7/7/E1W1J1R/1C3D1/T5L r"), *start);
    assert_eq!(read("7/7/r6/7/7/7/7/7/R6 b 7"), "7/7/r6/7/7/7/7/7/R6 b 7 1");
    assert_eq!(read("7/7/r6/7/7/7/7/7/R6 b 7 3"), "7/7/r6/7/7/7/7/7/R6 b 7 3");
}

#[test]
fn long_runs_are_split() {
    let wide = game(json!({"board": "........../..........", "setup": "r9/R81 w 0 1"}));
    assert_eq!(wide.position_text(&wide.start()), "r9/R9 w 0 1");
    let wide = game(json!({"board": "............", "setup": "r19R w 0 1"}));
    assert_eq!(wide.position_text(&wide.start()), "r91R w 0 1");
}

#[test]
fn texts_that_are_no_positions() {
    for (text, why) in [
        ("", "four fields"),
        ("7/7/r6/7/7/7/7/7/R6", "four fields"),
        ("7/7/r6/7/7/7/7/7/R6  w 0 1", "four fields"),
        ("7/7/r6/7/7/7/7/7/R6 w 0 1 1", "four fields"),
        ("7/7/r6/7/7/7/7/R6 w 0 1", "8 rows, the board has 9 ranks"),
        ("7/7/r7/7/7/7/7/7/R6 w 0 1", "row `r7` (rank 7) has 8 squares"),
        ("7/7/r6/7/7/7/7/7/R5 w 0 1", "row `R5` (rank 1) has 6 squares"),
        ("7/7/r6/7/7/7/7/7/R06 w 0 1", "has a `0`"),
        ("7/7/x6/7/7/7/7/7/R6 w 0 1", "`x` in row `x6` (rank 7) is no animal"),
        ("7/7/r6/7/7/7/7/7/R6 s 0 1", "the side to move is `s`"),
        ("7/7/r6/7/7/7/7/7/R6 w -1 1", "half-moves is `-1`"),
        ("7/7/r6/7/7/7/7/7/R6 w +1 1", "half-moves is `+1`"),
        ("7/7/r6/7/7/7/7/7/R6 w 0 0", "move number is `0`"),
        ("7/7/r6/7/7/7/7/7/R6 w 0 9999999999", "move number is `9999999999`"),
        ("7/7/r6/7/7/7/7/7/3R3 w 0 1", "the rat on d1 stands on its own den"),
        ("3r3/7/7/7/7/7/7/7/R6 w 0 1", "the rat on d9 stands on its own den"),
        ("3R3/7/7/7/7/7/7/7/3r3 w 0 1", "both dens are occupied"),
        ("7/7/7/7/7/7/7/7/7 w 0 1", "no animal"),
        ("7/7/r6/7/7/7/7/7/RR5 w 0 1", "white has more than 1 of `R`"),
        ("7/7/r6/1C5/7/7/7/7/R6 w 0 1", "the cat on b6 stands in water"),
    ] {
        let message = refused(text);
        assert!(message.contains(why), "{message} lacks {why}");
        assert!(message.contains(&format!("`{text}`")), "{message}");
    }
}

#[test]
fn a_set_up_says_how_many_animals_there_may_be() {
    let game = game(json!({"setup": "rr5/7/7/7/7/7/7/7/L6 w 0 1"}));
    assert!(game.parse_position("rr5/7/7/7/7/7/7/7/L6 w 0 1").is_ok());
    assert!(game.parse_position("e6/7/7/7/7/7/7/7/L6 w 0 1").is_ok(), "one is always allowed");
    assert!(game.parse_position("rrr4/7/7/7/7/7/7/7/L6 w 0 1").is_err());
    assert!(game.parse_position("r6/7/7/7/7/7/7/7/RR5 w 0 1").is_err());
    let ended = Rules { setup: "3R3/7/7/7/7/7/7/7/r6 w 0 1".into(), ..Rules::default() };
    let error = Jungle::new(ended).unwrap_err().to_string();
    assert!(error.contains("`setup`") && error.contains("a den was entered"), "{error}");
}

#[test]
fn illegal_moves_are_explained() {
    let start = Rules::default().setup;
    let weaker = "the dog on b3 cannot take the lion on c3: it is weaker";
    for (position, text, why) in [
        (start.as_str(), "a3", "is no move; a move is written as its two squares"),
        (&start, "a3 a4", "is no move; a move is written as its two squares"),
        (&start, "a3h3", "there is no square `h3`; the squares are a1 to g9"),
        (&start, "a3a10", "there is no square `a10`"),
        (&start, "a4a5", "no animal stands on a4"),
        (&start, "g9g8", "the tiger on g9 is black's, and white is to move"),
        (&start, "a3a3", "the elephant would stay on a3"),
        (&start, "a3b4", "b4 is not next to a3"),
        (&start, "c3c4", "c4 is water, and the wolf does not swim"),
        ("7/7/r6/7/7/7/7/3D3/2L4 w 0 1", "d2d1", "d1 is the own den"),
        ("7/7/r6/7/7/7/7/7/LT5 w 0 1", "a1b1", "the own tiger stands on b1"),
        ("7/7/r6/7/1R5/7/1L5/7/7 w 0 1", "b3b7", "lion is blocked by the own rat on b5"),
        ("7/7/7/7/1r5/7/1L5/7/7 w 0 1", "b3b7", "lion is blocked by the enemy rat on b5"),
        ("7/7/r6/7/7/7/1P5/7/7 w 0 1", "b3b7", "the leopard does not jump along the files"),
        ("7/7/r6/7/7/P6/7/7/7 w 0 1", "a4d4", "the leopard does not jump across the files"),
        ("7/1e5/7/7/7/7/1L5/7/7 w 0 1", "b3b8", "b8 is not next to b3"),
        ("7/7/1e5/7/7/7/1L5/7/7 w 0 1", "b3b7", "the elephant on b7: it is weaker"),
        ("7/7/7/7/7/7/1Dl4/7/7 w 0 1", "b3c3", weaker),
        ("7/7/r6/E6/7/7/7/7/7 w 0 1", "a6a7", "takes only a rat that a trap weakens"),
        ("7/7/7/eR5/7/7/7/7/7 w 0 1", "b6a6", "may not capture from water to land"),
        ("7/7/7/Rr5/7/7/7/7/7 w 0 1", "a6b6", "may not capture from land to water"),
        ("7/3Lc2/7/7/7/7/7/7/7 w 0 1", "d8e8", "that a trap weakens may not capture"),
        ("3L3/7/7/7/7/7/7/7/r6 b 0 1", "a1a2", "ended, because a den was entered"),
    ] {
        let message = illegal(&standard(), position, text);
        assert!(message.contains(why), "{message} lacks {why}");
        assert!(message.contains(&format!("`{text}`")), "{message}");
    }
    let rat_only = game(json!({"den_entry": "rat", "elephant_takes_rat": "never"}));
    let message = illegal(&rat_only, "7/3L3/7/7/7/7/7/7/r6 w 0 1", "d8d9");
    assert!(message.contains("d9 is the enemy den, which only the rat may enter"), "{message}");
    let message = illegal(&rat_only, "7/7/7/7/7/7/7/2Er3/7 w 0 1", "c2d2");
    assert!(message.contains("the elephant never takes the rat"), "{message}");
}

#[test]
fn moves_in_words() {
    let game = game(json!({"equal": "both_die"}));
    for (position, text, words) in [
        ("7/7/r6/7/7/7/7/7/R6 w 0 1", "a1a2", "the rat moves to a2"),
        ("7/7/r6/7/7/7/1L5/7/7 w 0 1", "b3b7", "the lion jumps over the water to b7"),
        (
            "7/7/1c5/7/7/7/1L5/7/7 w 0 1",
            "b3b7",
            "the lion jumps over the water and captures the cat on b7",
        ),
        ("7/7/eR5/7/7/7/7/7/7 w 0 1", "b7a7", "the rat captures the elephant on a7"),
        (
            "7/7/rR5/7/7/7/7/7/7 w 0 1",
            "b7a7",
            "the rat meets the rat on a7 and both leave the board",
        ),
        ("7/3R3/7/7/7/7/7/7/r6 w 0 1", "d8d9", "the rat enters the den on d9"),
    ] {
        let position = game.parse_position(position).unwrap();
        let action = game.parse_action(&position, text).unwrap();
        assert_eq!(game.describe(&position, action), words);
    }
}

#[test]
fn the_sketch_shows_ground_and_animals() {
    use crate::game::{Cell, Ground, Piece};
    let game = standard();
    let sketch = game.sketch(&game.start());
    assert_eq!((sketch.width, sketch.height, sketch.cells.len()), (7, 9, 63));
    let lion = Piece { side: Side::Second, letter: 'l', emoji: "🦁", name: "lion" };
    assert_eq!(sketch.cells[0], Cell { ground: Ground::Land, piece: Some(lion) });
    assert_eq!(sketch.cells[2].ground, Ground::Trap(Side::Second));
    assert_eq!(sketch.cells[59].ground, Ground::Den(Side::First));
    assert_eq!(sketch.cells[22].ground, Ground::Water);
    assert_eq!(sketch.notes[0], "half-moves since the last capture: 0 of 100");
}

#[test]
fn a_forbidden_repetition_is_no_move() {
    let game = game(json!({"repetition": "forbidden", "repetition_count": 2}));
    let line = line(&game, "7/7/r6/6L/7/7/7/7/7 w 0 1", "g6g5 a7a8 g5g6");
    let texts: Vec<String> =
        line.legal().iter().map(|&action| game.action_text(line.position(), action)).collect();
    assert_eq!(texts, ["a8b8", "a8a9"]);
    assert_eq!(line.outcome(), None);
}

#[test]
fn if_every_move_repeats_the_no_move_rule_applies() {
    // Black's rat can only go to and fro between a1 and b1; white's moves are free.
    let board = "../~~/..";
    for (no_move, winner) in [("loss", Some(Side::First)), ("draw", None)] {
        let game = game(json!({
            "board": board, "setup": "R1/2/r1 w 0 1", "swimmers": "", "no_move": no_move,
            "repetition": "forbidden", "repetition_count": 2,
        }));
        // Positions: R a3/b3, r a1/b1, side to move: after three moves the fourth must repeat.
        let line = line(&game, "R1/2/r1 w 0 1", "a3b3 a1b1 b3a3");
        let outcome = line.outcome().unwrap();
        let expected = if winner.is_some() { Some(line.turn().other()) } else { None };
        assert_eq!(outcome.winner, expected);
        assert_eq!(outcome.reason, "the side to move has no move");
        assert!(line.legal().is_empty());
    }
}

#[test]
fn captures_begin_the_history_anew() {
    let game = game(json!({"repetition": "draw", "repetition_count": 2}));
    let there_and_back = "a6a5 g7g8 a5a6 g8g7";
    let position = "7/7/2c3r/L6/7/7/7/7/7 w 50 20";
    let end = line(&game, position, there_and_back).outcome().unwrap();
    assert_eq!((end.winner, end.reason), (None, "a position was repeated"));
    // a6a7 b7 c7 captures the cat in the middle of the same dance.
    let taken = line(&game, "7/7/Lc4r/7/7/7/7/7/7 w 50 20", "a7b7 g7g8 b7c7 g8g7");
    assert_eq!(taken.history().counted().len(), 4);
    assert_eq!(taken.outcome(), None);
    assert_eq!(standard().occurrence(&standard().start()), None);
}

#[test]
fn who_repeats_loses_where_it_is_so() {
    let game = game(json!({"repetition": "loss", "repetition_count": 2}));
    let end = line(&game, "7/7/6r/L6/7/7/7/7/7 w 0 1", "a6a5 g7g8 a5a6 g8g7").outcome().unwrap();
    assert_eq!((end.winner, end.reason), (Some(Side::First), "the opponent repeated a position"));
}

#[test]
fn order_of_tests() {
    let end = |game: &Jungle, position: &str| {
        let outcome = line(game, position, "").outcome()?;
        Some((outcome.winner, outcome.reason))
    };
    let game = standard();
    let den = Some((Some(Side::First), "a den was entered"));
    assert_eq!(end(&game, "3R3/7/7/7/7/7/7/7/r6 b 100 60"), den);
    assert_eq!(end(&game, "3R3/7/7/7/7/7/7/7/7 b 100 60"), den);
    let captured = Some((Some(Side::Second), "the last enemy animal was captured"));
    assert_eq!(end(&game, "7/7/7/7/7/7/7/7/r6 b 100 60"), captured);
    let stuck = Some((Some(Side::First), "the side to move has no move"));
    assert_eq!(end(&game, "cT5/L6/7/7/7/7/7/7/7 b 100 60"), stuck);
    let long = Some((None, "nothing was captured for too long"));
    assert_eq!(end(&game, "7/7/7/7/7/7/7/7/r5R b 100 60"), long);
    let short = Rules { max_plies: Limit(Some(119)), ..Rules::default() };
    let over = Some((None, "the game reached its greatest length"));
    assert_eq!(end(&Jungle::new(short).unwrap(), "7/7/7/7/7/7/7/7/r5R b 1 60"), over);
}

/// Rule mixes for the properties below, odd boards and swimmers among them.
fn mixes() -> Vec<Jungle> {
    vec![
        standard(),
        game(json!({"swimmers": "RLT", "leopard_jump": "both", "jump_blockers": "enemy_rat",
            "traps": "all", "equal": "both_die", "den_entry": "rat", "trapped_takes": true,
            "water_rat_takes_elephant": true, "land_rat_takes_water_rat": true,
            "ranks": "E<R=C<D<W<P<T=L", "repetition": "forbidden"})),
        game(json!({"swimmers": "", "jump_blockers": "none", "capture_all_wins": false,
            "no_move": "draw", "elephant_takes_rat": "always", "repetition": "loss"})),
        game(json!({"board": "..d../.t.t./.~.~./.~.~./.~.~./.T.T./..D..",
            "setup": "lc1lt/rr3/r3e/5/E3R/3RR/TC1LL w 0 1", "equal": "both_die"})),
        game(json!({"board": "d..~......t...~~..T..........D", "setup": "1lrc9E1LR9CT2 w 0 1",
            "swimmers": "RC"})),
        // Land animals that the set-up puts into water.
        game(json!({
            "board": "...d..../...t..../.~~~~~~./.~~~~~~./.~~~~~~./...T..../...D....",
            "setup": "l6t/1d4c1/r1p2w1e/8/E1W2P1R/1C4D1/T6L w 0 1",
            "leopard_jump": "both", "jump_blockers": "enemy_rat"
        })),
    ]
}

#[test]
fn properties_of_all_positions() {
    for game in mixes() {
        let longest = game.longest();
        for index in 0..30 {
            let mut stream = rng::stream(11, "jungle properties", index);
            let mut line = Line::start(&game);
            while line.outcome().is_none() && line.ply() < 400 {
                let position = line.position();
                let mut actions = Vec::new();
                game.actions(position, &mut actions);
                assert!(actions.is_sorted());
                assert_eq!(game.count_actions(position), actions.len() as u64);
                let text = game.position_text(position);
                let read = game.parse_position(&text).unwrap();
                assert_eq!(read, *position, "{text}");
                assert_eq!(game.hash(&read), game.hash(position));
                for &action in &actions {
                    let text = game.action_text(position, action);
                    assert_eq!(game.parse_action(position, &text), Ok(action));
                }
                let legal = line.legal();
                line.play(legal[stream.random_range(0..legal.len())]);
            }
            let mut actions = vec![Action { from: 0, to: 0 }];
            if line.outcome().is_some() && game.forbidden_occurrence().is_none() {
                let finished = game.outcome(line.position(), &History::default()).is_some();
                game.actions(line.position(), &mut actions);
                assert_eq!(actions.is_empty(), finished);
                assert_eq!(game.count_actions(line.position()), actions.len() as u64);
            }
            assert!(longest.is_none_or(|longest| line.ply() <= longest));
        }
    }
}

#[test]
fn every_illegal_pair_of_squares_has_a_reason() {
    for game in mixes() {
        let mut stream = rng::stream(12, "jungle refusals", 0);
        let mut line = Line::start(&game);
        while line.outcome().is_none() && line.ply() < 30 {
            let position = line.position();
            let mut actions = Vec::new();
            game.actions(position, &mut actions);
            let squares = game.board().squares();
            for pair in 0..u16::from(squares) * u16::from(squares) {
                let squares = u16::from(squares);
                let action = Action { from: (pair / squares) as u8, to: (pair % squares) as u8 };
                let read = game.parse_action(position, &game.action_text(position, action));
                assert_eq!(read.is_ok(), actions.contains(&action));
                // The last resort of `refusal` must never be needed.
                assert!(!read.is_err_and(|error| error.0.contains("cannot go from")));
            }
            let legal = line.legal();
            line.play(legal[stream.random_range(0..legal.len())]);
        }
    }
}

#[test]
fn positions_with_the_same_board_have_the_same_key() {
    let game = standard();
    let one = line(&game, &Rules::default().setup, "a3a4 a7a6 g3g4 g7g6");
    let other = line(&game, &Rules::default().setup, "g3g4 g7g6 a3a4 a7a6");
    assert_eq!(one.position(), other.position());
    let later = line(&game, &Rules::default().setup, "a1a2 a7a6 a2a1 g7g6 a3a4 b8b7 g3g4 b7b8");
    assert_eq!(later.position().key(), one.position().key());
    assert_ne!(later.position(), one.position());
    assert_ne!(game.hash(later.position()), game.hash(one.position()));
    let black = game.parse_position(&Rules::default().setup.replace(" w ", " b ")).unwrap();
    assert_ne!(black.key(), game.start().key());
}
