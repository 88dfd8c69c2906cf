//! Position and action texts, actions in words, and the board to draw.
//!
//! Reading accepts only what some game could bring about in its form; every refusal names the
//! field. Why an action is illegal is worked out in `refusal`.

use super::board::{ALL_ANIMALS, Animal, Position, Square, far_rank, home, squares};
use super::moves::{Action, can_jump};
use super::{Celestial, refusal};
use crate::game::{Cell, Ground, Notation, Piece, Side, Sketch, TextError};
use std::fmt::Write;

/// South or North.
pub(super) fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "South",
        Side::Second => "North",
    }
}

fn letter(side: Side, animal: Animal) -> char {
    match side {
        Side::First => animal.letter(),
        Side::Second => animal.letter().to_ascii_lowercase(),
    }
}

/// Reads a square such as `c3`, light ones and ones off the board left out.
pub(super) fn parse_square(text: &str) -> Option<Square> {
    match *text.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Square::at((file - b'a').into(), (rank - b'1').into())
        }
        _ => None,
    }
}

/// Reads the board field into `position`.
fn parse_board(text: &str, position: &mut Position) -> Result<(), String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != 8 {
        return Err(format!("has {} rows; write 8 rows, rank 8 first", rows.len()));
    }
    for (rank, row) in (0..8).rev().zip(rows) {
        let mut file = 0;
        let mut after_digit = false;
        for symbol in row.chars() {
            if let Some(count @ 1..=8) = symbol.to_digit(10) {
                if after_digit {
                    return Err(format!("row `{row}` has two digits in a row; write their sum"));
                }
                after_digit = true;
                file += count as usize;
                continue;
            }
            after_digit = false;
            let Some(animal) = Animal::from_letter(symbol.to_ascii_uppercase()) else {
                return Err(format!(
                    "`{symbol}` in row `{row}` is no animal; animals are X T N O D G P S K M H R, \
                     North's in lower case, empty squares a digit 1 to 8"
                ));
            };
            let side = if symbol.is_ascii_uppercase() { Side::First } else { Side::Second };
            let who = format!("{}'s {}", side_name(side), animal.name());
            if file > 7 {
                return Err(format!("row `{row}` is wider than 8 squares"));
            }
            let Some(square) = Square::at(file, rank) else {
                let name = (b'a' + file as u8) as char;
                return Err(format!("{who} stands on the light square {name}{}", rank + 1));
            };
            if far_rank(side) & square.bit() != 0 {
                return Err(format!(
                    "{who} stands on {square}, its own far rank, where it would have scored"
                ));
            }
            if position.animals(side).any(|(_, other)| other == animal) {
                return Err(format!("{who} stands there twice"));
            }
            position.put(square, side, animal);
            file += 1;
        }
        if file != 8 {
            return Err(format!("row `{row}` has {file} squares; each row has 8"));
        }
    }
    Ok(())
}

/// Reads the score field; both numbers without sign or leading zeros.
fn parse_score(text: &str) -> Result<[u8; 2], String> {
    let number = |text: &str| {
        let value = text.parse::<u8>().ok().filter(|value| value.to_string() == text);
        match value {
            Some(value @ 0..=78) => Ok(value),
            _ => Err(format!("`{text}` is no score; a side scores 0 to 78 points")),
        }
    };
    let (south, north) =
        text.split_once('-').ok_or("write South's points, `-`, North's points: `12-7`")?;
    Ok([number(south)?, number(north)?])
}

/// Can some of the animals in `missing` have scored exactly `score` points together?
fn can_have_scored(missing: u16, score: u8) -> bool {
    let absent = Animal::ALL.into_iter().filter(|animal| missing >> animal.index() & 1 == 1);
    // Bit k: some of them sum to k points.
    let sums = absent.fold(1u128, |sums, animal| sums | sums << animal.intelligence());
    sums >> score & 1 == 1
}

/// The animals of `side` on the board, a mask over [`Animal::index`].
fn on_board(position: &Position, side: Side) -> u16 {
    position.animals(side).fold(0, |mask, (_, animal)| mask | 1 << animal.index())
}

/// The placing phase: animals at home, and South to act exactly when both have placed equally many.
fn check_placing(position: &mut Position, continuing: &str) -> Result<(), (&'static str, String)> {
    for side in Side::BOTH {
        if let Some(square) = squares(position.occupied(side) & !home(side)).next() {
            let ranks = if side == Side::First { "1 to 3" } else { "6 to 8" };
            let who = side_name(side);
            return Err((
                "placing field",
                format!("{who} has an animal on {square}; {who} places on ranks {ranks}"),
            ));
        }
        position.hand[side.index()] = ALL_ANIMALS & !on_board(position, side);
    }
    if !position.placing() {
        let what = "all 24 animals are placed, so `placing` must be left out";
        return Err(("placing field", what.into()));
    }
    if position.score != [0, 0] {
        return Err(("score", "nobody has scored while animals are being placed: `0-0`".into()));
    }
    if continuing != "-" {
        let what = format!("`{continuing}` while animals are being placed; write `-`");
        return Err(("continuing square", what));
    }
    let placed = Side::BOTH.map(|side| position.occupied(side).count_ones());
    let due = match placed {
        [south, north] if south == north => Side::First,
        [south, north] if south == north + 1 => Side::Second,
        [south, north] => {
            let what = format!("South has placed {south} animals and North {north}");
            return Err(("board", what + "; South is level or one ahead"));
        }
    };
    if position.turn != due {
        let what = format!("South has placed {} animals and North {}", placed[0], placed[1]);
        let next = if due == Side::First { "`s`" } else { "`n`" };
        return Err(("side to act", format!("{what}, so the side is {next}")));
    }
    Ok(())
}

/// The moving phase: scores that the absent animals allow, a jumper that can jump.
fn check_moving(position: &mut Position, continuing: &str) -> Result<(), (&'static str, String)> {
    for side in Side::BOTH {
        let score = position.score(side);
        if !can_have_scored(ALL_ANIMALS & !on_board(position, side), score) {
            let who = side_name(side);
            return Err((
                "score",
                format!(
                    "{who}'s {score} cannot be made up from the animals {who} has off the board"
                ),
            ));
        }
    }
    if continuing == "-" {
        return Ok(());
    }
    let refuse = |what: String| Err(("continuing square", what));
    let Some(square) = parse_square(continuing) else {
        return refuse(format!("`{continuing}` is no dark square; write one like `c5`, or `-`"));
    };
    let who = side_name(position.turn);
    match position.at(square) {
        Some((side, _)) if side == position.turn => {}
        _ => return refuse(format!("{who} is to act and has no animal on {square}")),
    }
    if !can_jump(position, square) {
        let name = position.animal_on(square).name();
        return refuse(format!("{who}'s {name} on {square} cannot jump"));
    }
    position.continuing = Some(square);
    Ok(())
}

fn parse_position(text: &str) -> Result<Position, TextError> {
    let refuse =
        |field: &str, what: String| TextError::new(format!("position `{text}`: {field}: {what}"));
    let fields: Vec<&str> = text.split(' ').collect();
    let (board, turn, score, continuing, placing) = match fields[..] {
        [board, turn, score, continuing] => (board, turn, score, continuing, None),
        [board, turn, score, continuing, word] => (board, turn, score, continuing, Some(word)),
        _ => {
            return Err(TextError::new(format!(
                "position `{text}`: has {} fields; write board, side to act, score, continuing \
                 square, each after one space, and `placing` while animals are being placed",
                fields.len()
            )));
        }
    };
    let mut position = Position { hand: [0; 2], ..Position::start() };
    parse_board(board, &mut position).map_err(|what| refuse("board", what))?;
    position.turn = match turn {
        "s" => Side::First,
        "n" => Side::Second,
        _ => return Err(refuse("side to act", format!("`{turn}`; write `s` or `n`"))),
    };
    position.score = parse_score(score).map_err(|what| refuse("score", what))?;
    let checked = match placing {
        None => check_moving(&mut position, continuing),
        Some("placing") => check_placing(&mut position, continuing),
        Some(word) => {
            let what = format!("`{word}`; write `placing` or leave the field out");
            return Err(refuse("placing field", what));
        }
    };
    checked.map_err(|(field, what)| refuse(field, what))?;
    Ok(position)
}

fn position_text(position: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match Square::at(file, rank).and_then(|square| position.at(square)) {
                Some((side, animal)) => {
                    if empty > 0 {
                        let _ = write!(text, "{empty}");
                    }
                    empty = 0;
                    text.push(letter(side, animal));
                }
                None => empty += 1,
            }
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
        if rank > 0 {
            text.push('/');
        }
    }
    let turn = if position.turn() == Side::First { 's' } else { 'n' };
    let [south, north] = position.score;
    let _ = write!(text, " {turn} {south}-{north} ");
    match position.continuing() {
        Some(square) => {
            let _ = write!(text, "{square}");
        }
        None => text.push('-'),
    }
    if position.placing() {
        text.push_str(" placing");
    }
    text
}

/// An action in words, as the action is before it is played.
fn describe(position: &Position, action: Action) -> String {
    let (from, to) = match action {
        Action::Place { animal, square } => {
            let who = side_name(position.turn());
            return format!("{who} places the {} on {square}", animal.name());
        }
        Action::Slide { from, to } | Action::Jump { from, to } => (from, to),
    };
    let animal = position.animal_on(from);
    let mut words = format!("the {} ", animal.name());
    if matches!(action, Action::Jump { .. }) {
        let over = from.between(to);
        let victim = position.animal_on(over).name();
        let _ = write!(words, "captures the {victim} on {over}, jumping from {from} to {to}");
    } else {
        let _ = write!(words, "slides from {from} to {to}");
    }
    let mut after = *position;
    super::moves::play(&mut after, action);
    if after.score(position.turn()) > position.score(position.turn()) {
        let points = animal.intelligence();
        let unit = if points == 1 { "point" } else { "points" };
        let _ = write!(words, ", and scores {points} {unit}");
    } else if after.continuing().is_some() {
        words.push_str(", and must jump again");
    }
    words
}

fn sketch(position: &Position) -> Sketch {
    let mut cells = Vec::with_capacity(64);
    for rank in (0..8).rev() {
        for file in 0..8 {
            let square = Square::at(file, rank);
            let piece = square.and_then(|square| position.at(square)).map(|(side, animal)| Piece {
                side,
                letter: letter(side, animal),
                emoji: animal.emoji(),
                name: animal.name(),
            });
            let ground = if square.is_some() { Ground::Land } else { Ground::Void };
            cells.push(Cell { ground, piece });
        }
    }
    let mut notes = Vec::new();
    for side in Side::BOTH {
        notes.push(format!("{}: {} points", side_name(side), position.score(side)));
    }
    if position.placing() {
        for side in Side::BOTH {
            let hand: Vec<String> =
                position.in_hand(side).map(|animal| letter(side, animal).to_string()).collect();
            let hand = if hand.is_empty() { "nothing".into() } else { hand.join(" ") };
            notes.push(format!("{} has in hand: {hand}", side_name(side)));
        }
    }
    if let Some(square) = position.continuing() {
        let name = position.animal_on(square).name();
        notes.push(format!("the {name} on {square} must jump again"));
    }
    Sketch { width: 8, height: 8, cells, notes }
}

impl Notation for Celestial {
    fn parse_position(&self, text: &str) -> Result<Position, TextError> {
        parse_position(text)
    }

    fn position_text(&self, position: &Position) -> String {
        position_text(position)
    }

    fn action_text(&self, _position: &Position, action: Action) -> String {
        match action {
            Action::Place { animal, square } => format!("{}@{square}", animal.letter()),
            Action::Slide { from, to } | Action::Jump { from, to } => format!("{from}{to}"),
        }
    }

    fn parse_action(&self, position: &Position, text: &str) -> Result<Action, TextError> {
        refusal::read_action(position, text)
            .map_err(|why| TextError::new(format!("`{text}` is refused: {why}")))
    }

    fn describe(&self, position: &Position, action: Action) -> String {
        describe(position, action)
    }

    fn sketch(&self, position: &Position) -> Sketch {
        sketch(position)
    }

    /// The board is empty at the start.
    fn animals(&self) -> Vec<(char, &'static str)> {
        Animal::ALL.into_iter().map(|animal| (animal.letter(), animal.name())).collect()
    }

    fn side_name(&self, side: Side) -> &'static str {
        side_name(side)
    }

    fn side_letter(&self, side: Side) -> &'static str {
        match side {
            Side::First => "s",
            Side::Second => "n",
        }
    }
}

#[cfg(test)]
mod tests;
