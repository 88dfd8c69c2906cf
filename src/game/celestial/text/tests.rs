//! Round trips, every refusal of a position text, words and drawing.

use super::super::playouts::playout;
use super::*;
use crate::game::Game;

fn game() -> Celestial {
    Celestial::default()
}

#[test]
fn texts_of_random_games_round_trip() {
    let game = game();
    let (mut positions, mut actions) = (0, 0);
    for index in 0..150 {
        for position in playout(index).positions {
            let text = game.position_text(&position);
            assert_eq!(game.parse_position(&text), Ok(position), "{text}");
            positions += 1;
            let mut legal = Vec::new();
            game.actions(&position, &mut legal);
            for action in legal {
                let word = game.action_text(&position, action);
                assert_eq!(game.parse_action(&position, &word), Ok(action), "{word} in {text}");
                actions += 1;
            }
        }
    }
    assert!(positions > 10_000 && actions > 100_000, "{positions} positions, {actions} actions");
}

#[test]
fn the_start_is_the_one_of_the_rules() {
    let text = "8/8/8/8/8/8/8/8 s 0-0 - placing";
    assert_eq!(game().position_text(&game().start()), text);
    assert_eq!(game().parse_position(text), Ok(game().start()));
}

#[test]
fn position_texts_that_no_game_reaches_are_refused() {
    let full = "1r1h1m1k/s1p1g1d1/1o1n1t1x/8/8/R1H1M1K1/1S1P1G1D/O1N1T1X1";
    let most = "1r1h1m1k/s1p1g1d1/1o1n1t1x/8/8/R1H1M1K1/1S1P1G1D/O1N1T3";
    let cases: &[(&str, &str, &str)] = &[
        // The form of the fields.
        ("", "has 1 fields", ""),
        ("8/8/8/8/8/8/8/8 s 0-0", "has 3 fields", "`placing` while"),
        ("8/8/8/8/8/8/8/8 s 0-0 - placing x", "has 6 fields", ""),
        ("8/8/8/8/8/8/8/8  s 0-0 -", "side to act", "``"),
        ("8/8/8/8/8/8/8 s 0-0 -", "board", "has 7 rows"),
        ("8/8/8/8/8/8/8/7 s 0-0 -", "board", "row `7` has 7 squares"),
        ("8/8/8/8/8/8/8/8X s 0-0 -", "board", "wider than 8"),
        ("8/8/8/8/8/8/8/X8 s 0-0 -", "board", "has 9 squares"),
        ("8/8/8/8/8/8/8/X34 s 0-0 -", "board", "two digits in a row"),
        ("8/8/8/8/8/8/8/Q7 s 0-0 -", "board", "`Q` in row `Q7` is no animal"),
        ("8/8/8/8/8/8/8/é7 s 0-0 -", "board", "`é`"),
        ("8/8/8/8/8/8/8/09 s 0-0 -", "board", "`0`"),
        ("8/8/8/8/8/8/8/X7 w 0-0 -", "side to act", "`w`; write `s` or `n`"),
        ("8/8/8/8/8/8/8/X7 s 0 -", "score", "12-7"),
        ("8/8/8/8/8/8/8/X7 s 0--1 -", "score", "`-1`"),
        ("8/8/8/8/8/8/8/X7 s +3-1 -", "score", "`+3`"),
        ("8/8/8/8/8/8/8/X7 s 03-1 -", "score", "`03`"),
        ("8/8/8/8/8/8/8/X7 s x-1 -", "score", "`x`"),
        ("8/8/8/8/8/8/8/X7 s 0-0 - moving", "placing field", "`moving`"),
        // What no game reaches.
        ("8/8/8/8/8/8/8/1X6 s 0-0 -", "board", "South's ox stands on the light square b1"),
        ("8/8/8/8/8/r7/8/1r6 s 0-0 -", "board", "light square b1"),
        ("1X6/8/8/8/8/8/8/8 s 0-0 -", "board", "South's ox stands on b8, its own far rank"),
        ("8/8/8/8/8/8/8/2r5 n 0-0 -", "board", "North's rat stands on c1, its own far rank"),
        ("8/8/8/8/8/X7/8/X7 s 0-0 -", "board", "South's ox stands there twice"),
        ("8/8/8/8/8/x1x5/8/8 s 0-0 -", "board", "North's ox stands there twice"),
        ("8/8/8/8/8/8/8/X7 s 79-0 -", "score", "0 to 78 points"),
        ("8/8/8/8/8/8/8/X7 s 0-300 -", "score", "`300`"),
        ("8/8/8/8/8/8/8/X7 s 78-0 -", "score", "South's 78 cannot be made up"),
        ("8/8/8/8/8/r7/8/X7 s 0-67 -", "score", "North's 67 cannot be made up"),
        ("8/8/8/8/8/8/1N1T4/X1O5 s 1-0 -", "score", "South's 1 cannot be made up"),
        ("8/8/8/8/8/8/8/X7 s 0-0 a1 placing", "continuing square", "being placed"),
        ("8/8/8/X7/8/8/8/8 s 0-0 - placing", "placing field", "South has an animal on a5"),
        ("8/8/8/x7/8/8/8/X7 s 0-0 - placing", "placing field", "North places on ranks 6 to 8"),
        ("8/8/8/8/8/8/8/X7 n 1-0 - placing", "score", "nobody has scored"),
        ("8/8/8/8/8/8/8/X7 s 0-0 - placing", "side to act", "South has placed 1 animals"),
        ("8/8/8/8/8/8/8/8 n 0-0 - placing", "side to act", "so the side is `s`"),
        ("8/8/8/8/8/8/8/X1T5 s 0-0 - placing", "board", "South is level or one ahead"),
        ("1x6/8/8/8/8/8/8/8 s 0-0 - placing", "board", "South is level or one ahead"),
        ("8/8/8/8/3x4/2X5/8/8 s 0-0 c4", "continuing square", "`c4` is no dark square"),
        ("8/8/8/8/3x4/2X5/8/8 s 0-0 c9", "continuing square", "`c9`"),
        ("8/8/8/8/3x4/2X5/8/8 s 0-0 e5", "continuing square", "South is to act and has no"),
        ("8/8/8/8/3x4/2X5/8/8 n 0-0 c3", "continuing square", "North is to act and has no"),
        ("8/8/8/8/3x4/2T5/8/8 s 0-0 c3", "continuing square", "South's tiger on c3 cannot jump"),
    ];
    for (text, field, what) in cases {
        let error = game().parse_position(text).expect_err(text).to_string();
        assert!(error.contains(&format!("`{text}`: {field}")), "`{text}`: {error}");
        assert!(error.contains(what), "`{text}`: {error}");
    }
    let error = game().parse_position(&format!("{full} n 0-0 - placing")).unwrap_err().to_string();
    assert!(error.contains("placing field: all 24 animals are placed"), "{error}");
    assert!(game().parse_position(&format!("{full} n 0-0 -")).is_ok());
    assert!(game().parse_position(&format!("{most} s 0-0 -")).is_ok());
    let error = game().parse_position(&format!("{most} s 0-0 - placing")).unwrap_err().to_string();
    assert!(error.contains("board: South has placed 11"), "{error}");
}

#[test]
fn scores_are_sums_of_absent_animals() {
    let accepted = [
        "8/8/8/8/8/8/8/8 s 78-78 -",
        "8/8/8/8/8/8/8/X7 s 77-0 -",
        "8/8/8/8/8/8/1N1T4/X1O5 s 5-0 -",
        "8/8/8/8/3x4/2X5/8/8 s 0-0 c3",
    ];
    for text in accepted {
        assert!(game().parse_position(text).is_ok(), "{text}");
    }
}

#[test]
fn actions_are_described_in_words() {
    let words = |position: &str, action: &str| {
        let position = game().parse_position(position).unwrap();
        let action = game().parse_action(&position, action).unwrap();
        game().describe(&position, action)
    };
    let start = "8/8/8/8/8/8/8/8 s 0-0 - placing";
    assert_eq!(words(start, "R@a1"), "South places the rat on a1");
    let two = "8/8/5h2/8/3r4/2X5/8/8 s 0-0 -";
    assert_eq!(
        words(two, "c3e5"),
        "the ox captures the rat on d4, jumping from c3 to e5, and must jump again"
    );
    assert_eq!(words("8/8/8/8/8/8/1X6/8 s 0-0 -", "b2c3"), "the ox slides from b2 to c3");
    assert_eq!(
        words("8/X7/8/8/8/8/8/8 s 0-0 -", "a7b8"),
        "the ox slides from a7 to b8, and scores 1 point"
    );
    assert_eq!(
        words("8/8/8/8/8/r7/1R6/8 n 0-0 -", "a3c1"),
        "the rat captures the rat on b2, jumping from a3 to c1, and scores 12 points"
    );
}

#[test]
fn the_sketch_shows_animals_light_squares_and_notes() {
    let position = game().parse_position("8/8/5h2/8/3r4/2X5/8/8 s 5-0 c3").unwrap();
    let sketch = game().sketch(&position);
    assert_eq!((sketch.width, sketch.height, sketch.cells.len()), (8, 8, 64));
    assert_eq!(sketch.cells.iter().filter(|cell| cell.ground == Ground::Void).count(), 32);
    assert_eq!(sketch.cells[0].ground, Ground::Void, "a8 is light");
    let ox = sketch.cells[5 * 8 + 2].piece.unwrap();
    assert_eq!((ox.side, ox.letter, ox.emoji, ox.name), (Side::First, 'X', "🐂", "ox"));
    let rat = sketch.cells[4 * 8 + 3].piece.unwrap();
    assert_eq!((rat.side, rat.letter, rat.emoji), (Side::Second, 'r', "🐀"));
    assert_eq!(
        sketch.notes,
        ["South: 5 points", "North: 0 points", "the ox on c3 must jump again"]
    );
    let notes = game().sketch(&game().start()).notes;
    assert_eq!(notes[2], "South has in hand: X T N O D G P S K M H R");
    assert_eq!(notes[3], "North has in hand: x t n o d g p s k m h r");
}
