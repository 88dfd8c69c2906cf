//! Texts: rules, positions and actions read back as they were written, damaged texts are refused
//! or understood, never taken for something that is none.

use super::walk::Played;
use super::{Whole, place, sight};
use menagerie::game::{Game, Line, registry};
use menagerie::rng::Stream;
use menagerie::with_game;
use rand::RngExt;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The rule record makes the same game again, in the form of TOML too.
pub fn rules_read_back<G: Whole>(game: &G) {
    let Value::Object(rules) = game.rules() else { panic!("the rules are no record") };
    for written in [rules.clone(), registry::without_null(&rules)] {
        let again = registry::build(game.name(), None, &written);
        let again = again.unwrap_or_else(|error| panic!("its own rules were refused: {error}"));
        assert_eq!(with_game!(&again, game => game.rules()), game.rules());
    }
    let known = registry::options(game.name()).unwrap();
    let known: HashSet<&str> = known.iter().map(|option| option.key).collect();
    assert_eq!(rules.keys().map(String::as_str).collect::<HashSet<_>>(), known);
    let unknown = Map::from_iter([("no_such_option".to_string(), Value::Null)]);
    let refusal = registry::build(game.name(), None, &unknown).unwrap_err().to_string();
    assert!(refusal.contains("`no_such_option`"), "{refusal}");
}

/// Position and action texts read back; actions have texts of their own.
pub fn texts_read_back<G: Whole>(line: &Line<G>, legal: &[G::Action]) {
    let (game, position) = (line.game(), line.position());
    let text = game.position_text(position);
    match game.parse_position(&text) {
        Ok(again) => {
            assert_eq!(&again, position, "read back: {}", place(line));
            assert_eq!(game.hash(&again), game.hash(position), "hash: {}", place(line));
            assert_eq!(game.position_text(&again), text);
        }
        Err(error) => {
            assert!(!game.has_text(position), "its own text was refused: {error}");
            assert!(legal.is_empty(), "without a text, yet not ended: {}", place(line));
        }
    }
    let mut texts = HashSet::new();
    for &action in legal {
        let text = game.action_text(position, action);
        assert_eq!(game.parse_action(position, &text).as_ref(), Ok(&action), "{}", place(line));
        assert!(!game.describe(position, action).is_empty(), "{text} {}", place(line));
        assert!(texts.insert(text.clone()), "two actions are `{text}`: {}", place(line));
    }
    let sketch = game.sketch(position);
    assert_eq!(sketch.cells.len(), sketch.width * sketch.height, "{}", place(line));
}

/// Texts with a letter changed: what is refused is quoted, what is understood is a position or an
/// action like any other.
pub fn damaged_texts_are_refused_or_understood<G: Whole>(
    game: &G,
    played: &Played<G>,
    random: &mut Stream,
) {
    for _ in 0..12 {
        let position = &played.positions[random.random_range(0..played.positions.len())];
        let text = damaged(&game.position_text(position), random);
        match game.parse_position(&text) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(position) => {
                let line = Line::from_position(game, position);
                let legal = line.legal();
                assert_eq!(legal.is_empty(), line.outcome().is_some(), "{}", place(&line));
                texts_read_back(&line, &legal);
                sight::check_codes(&line, &legal);
                sight::check_evaluation(&line);
                for action in legal {
                    line.clone().play(action);
                }
            }
        }
        let mut legal = Vec::new();
        game.actions(position, &mut legal);
        let mut text = String::from("x");
        if !legal.is_empty() {
            let action = legal[random.random_range(0..legal.len())];
            text = damaged(&game.action_text(position, action), random);
        }
        match game.parse_action(position, &text) {
            Ok(action) => assert!(legal.contains(&action), "`{text}` was taken for {action:?}"),
            Err(error) => assert!(error.0.contains(&text), "`{text}` is not quoted: {error}"),
        }
    }
}

/// The text with one letter left out, put in or changed.
fn damaged(text: &str, random: &mut Stream) -> String {
    const LETTERS: &[u8] = b"RrCdEe XxTtn/-~.,:@+0123456789abhws\xE4";
    let mut letters: Vec<char> = text.chars().collect();
    let at = random.random_range(0..letters.len());
    let letter = char::from(LETTERS[random.random_range(0..LETTERS.len())]);
    match random.random_range(0..3) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letter),
        _ => letters[at] = letter,
    }
    letters.into_iter().collect()
}
