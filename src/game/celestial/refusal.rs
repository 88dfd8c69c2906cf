//! Reading an action text, and saying in words why one is not legal here.

use super::board::{Animal, Position, Square, home};
use super::moves::{self, Action};
use super::text::{parse_square, side_name};
use crate::game::Side;

const FORMS: &str = "a placement is written `X@a1`, a slide `c3d4`, a jump `c3e5`";

/// Reads an action that is legal in `position`, or says why it is not.
pub(super) fn read_action(position: &Position, text: &str) -> Result<Action, String> {
    if !text.is_ascii() {
        return Err(FORMS.into());
    }
    let action = if let Some((letter, square)) = text.split_once('@') {
        read_placement(position, letter, square)?
    } else if text.len() == 4 {
        read_move(position, &text[..2], &text[2..])?
    } else {
        return Err(FORMS.into());
    };
    let mut legal = Vec::new();
    moves::actions(position, &mut legal);
    // The tests above know every rule; this one makes sure that nothing else slips through.
    if legal.contains(&action) { Ok(action) } else { Err("it is not legal here".into()) }
}

fn read_square(text: &str) -> Result<Square, String> {
    parse_square(text).ok_or_else(|| match *text.as_bytes() {
        [b'a'..=b'h', b'1'..=b'8'] => format!("{text} is a light square, and those are not used"),
        _ => format!("`{text}` is no square; squares are a1 to h8. {FORMS}"),
    })
}

fn read_placement(position: &Position, letter: &str, square: &str) -> Result<Action, String> {
    let mut letters = letter.chars();
    let animal =
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Animal::from_letter(letter).ok_or_else(|| {
                match Animal::from_letter(letter.to_ascii_uppercase()) {
                    Some(animal) => format!(
                        "the letter of a placement is always upper case: write `{}@{square}`",
                        animal.letter()
                    ),
                    None => format!("`{letter}` is no animal; animals are X T N O D G P S K M H R"),
                }
            })?,
            _ => return Err(FORMS.into()),
        };
    let square = read_square(square)?;
    if !position.placing() {
        return Err("the placing is over: animals can only move".into());
    }
    let side = position.turn();
    let who = side_name(side);
    if position.hand(side) >> animal.index() & 1 == 0 {
        return Err(format!("{who}'s {} is placed already", animal.name()));
    }
    if home(side) & square.bit() == 0 {
        let ranks = if side == Side::First { "1 to 3" } else { "6 to 8" };
        return Err(format!("{who} places on ranks {ranks}"));
    }
    if let Some((_, other)) = position.at(square) {
        return Err(format!("{square} is taken by the {}", other.name()));
    }
    Ok(Action::Place { animal, square })
}

fn read_move(position: &Position, from: &str, to: &str) -> Result<Action, String> {
    let (from, to) = (read_square(from)?, read_square(to)?);
    if position.placing() {
        return Err(
            "nobody moves before all animals are placed; a placement is written `X@a1`".to_string()
        );
    }
    if let Some(outcome) = moves::outcome(position) {
        return Err(format!("the game is over: {}", outcome.reason));
    }
    let side = position.turn();
    if let Some(square) = position.continuing().filter(|square| *square != from) {
        let name = position.animal_on(square).name();
        return Err(format!("only the {name} on {square} may act: it must go on jumping"));
    }
    let animal = match position.at(from) {
        None => return Err(format!("no animal stands on {from}")),
        Some((owner, animal)) if owner != side => {
            return Err(format!(
                "the {} on {from} is {}'s, and {} is to act",
                animal.name(),
                side_name(owner),
                side_name(side)
            ));
        }
        Some((_, animal)) => animal,
    };
    let forward = match side {
        Side::First => to.rank() as i32 - from.rank() as i32,
        Side::Second => from.rank() as i32 - to.rank() as i32,
    };
    let sideways = to.file().abs_diff(from.file()) as i32;
    if forward != sideways || !(1..=2).contains(&forward) {
        let way = if side == Side::First { "up" } else { "down" };
        return Err(format!(
            "animals move diagonally forward ({} {way} the board), one square to slide and two to \
             jump",
            side_name(side)
        ));
    }
    if let Some((_, other)) = position.at(to) {
        return Err(format!("{to} is taken by the {}", other.name()));
    }
    if forward == 2 {
        check_jump(position, animal, from, to)
    } else {
        check_slide(position, from, to)
    }
}

fn check_jump(
    position: &Position,
    animal: Animal,
    from: Square,
    to: Square,
) -> Result<Action, String> {
    let over = from.between(to);
    let name = animal.name();
    match position.at(over) {
        None => Err(format!("there is no animal on {over} for the {name} to jump")),
        Some((owner, other)) if owner == position.turn() => {
            Err(format!("the {name} cannot jump the {}: it is its own side's", other.name()))
        }
        Some((_, other)) if other > animal => {
            Err(format!("the {name} cannot jump the {}: it is stronger", other.name()))
        }
        Some(_) => Ok(Action::Jump { from, to }),
    }
}

fn check_slide(position: &Position, from: Square, to: Square) -> Result<Action, String> {
    if let Some(square) = position.continuing() {
        let name = position.animal_on(square).name();
        return Err(format!("the {name} on {square} must go on jumping, so a slide is not legal"));
    }
    let mut legal = Vec::new();
    moves::actions(position, &mut legal);
    match legal.first() {
        Some(Action::Jump { from, to }) => {
            Err(format!("a jump is possible (`{from}{to}`), so the slide is not legal"))
        }
        _ => Ok(Action::Slide { from, to }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::playouts::playout;
    use super::*;
    use crate::game::{Game, Notation, celestial::Celestial};
    use std::collections::BTreeSet;

    fn refusal(position: &str, action: &str) -> String {
        let game = Celestial::default();
        let position = game.parse_position(position).unwrap();
        game.parse_action(&position, action).expect_err(action).to_string()
    }

    #[test]
    fn every_refusal_says_why() {
        let start = "8/8/8/8/8/8/8/8 s 0-0 - placing";
        let placed = "1x6/8/8/8/8/8/8/X7 s 0-0 - placing";
        let moving = "8/8/8/2t5/3x4/2R5/1X1T4/8 s 0-0 -";
        let jumping = "8/8/8/2t5/1r1x4/2R5/1X6/8 s 0-0 -";
        let twice = "8/8/3r4/2T5/1m6/X7/8/8 s 0-0 c5";
        let cases: &[(&str, &str, &str)] = &[
            (start, "", "a placement is written"),
            (start, "ox", "a placement is written"),
            (start, "XX@a1", "a placement is written"),
            (start, "X@é1", "a placement is written"),
            (start, "Q@a1", "`Q` is no animal"),
            (start, "x@a1", "always upper case: write `X@a1`"),
            (start, "X@b1", "b1 is a light square"),
            (start, "X@a9", "`a9` is no square"),
            (start, "X@a5", "South places on ranks 1 to 3"),
            (start, "c3d4", "nobody moves before all animals are placed"),
            (placed, "X@c1", "South's ox is placed already"),
            (placed, "T@a1", "a1 is taken by the ox"),
            (moving, "T@a1", "the placing is over"),
            (moving, "a1b2", "no animal stands on a1"),
            (moving, "c5d6", "the tiger on c5 is North's, and South is to act"),
            (moving, "c3b2", "diagonally forward (South up the board)"),
            (moving, "c3c5", "diagonally forward"),
            (moving, "c3f6", "diagonally forward"),
            (moving, "c3a1", "diagonally forward"),
            (moving, "b2c3", "c3 is taken by the rat"),
            (moving, "c3d4", "d4 is taken by the ox"),
            (moving, "c3e5", "the rat cannot jump the ox: it is stronger"),
            (moving, "c3a5", "there is no animal on b4 for the rat to jump"),
            (moving, "b2d4", "d4 is taken by the ox"),
            (moving, "c3d5", "d5 is a light square"),
            (jumping, "b2a3", "a jump is possible (`c3a5`), so the slide is not legal"),
            (twice, "a3b4", "only the tiger on c5 may act: it must go on jumping"),
            (twice, "c5b6", "the tiger on c5 must go on jumping, so a slide is not legal"),
            ("8/8/8/8/8/2X5/1T6/8 s 0-0 -", "b2d4", "cannot jump the ox: it is its own side's"),
            ("8/8/8/8/8/2X5/1T6/8 n 0-0 -", "c3d4", "the game is over: North had no animal left"),
        ];
        for (position, action, why) in cases {
            let error = refusal(position, action);
            assert!(error.contains(why) && error.contains(&format!("`{action}`")), "{error}");
        }
    }

    /// Whatever is written with two dark squares is accepted exactly if it is legal.
    #[test]
    fn all_texts_of_two_squares_are_judged_as_the_rules_do() {
        let game = Celestial::default();
        let mut judged = 0;
        for index in 0..4 {
            for position in playout(index).positions.iter().skip(24).step_by(7) {
                let mut legal = Vec::new();
                game.actions(position, &mut legal);
                let legal: BTreeSet<String> =
                    legal.iter().map(|action| game.action_text(position, *action)).collect();
                for from in 0..Square::COUNT {
                    for to in 0..Square::COUNT {
                        let text = format!("{}{}", Square::new(from), Square::new(to));
                        match game.parse_action(position, &text) {
                            Ok(_) => assert!(legal.contains(&text), "{text}"),
                            Err(error) => {
                                assert!(!legal.contains(&text), "{text}: {error}");
                                assert!(!error.0.contains("not legal here"), "{text}: {error}");
                            }
                        }
                        judged += 1;
                    }
                }
            }
        }
        assert!(judged > 20_000, "{judged}");
    }
}
