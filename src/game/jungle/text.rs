//! Texts of positions and moves, and what a person is shown. Every refusal quotes the text.

use super::animal::Kind;
use super::board::Board;
use super::position::Position;
use super::{Action, Jungle};
use crate::game::{Cell, Game, Ground, History, Notation, Piece, Side, Sketch, TextError};

/// Counts above this are refused in texts.
const LARGEST_COUNT: u32 = 1_000_000;

/// The letter of an animal in position texts.
fn letter(side: Side, kind: Kind) -> char {
    match side {
        Side::First => kind.letter(),
        Side::Second => kind.letter().to_ascii_lowercase(),
    }
}

/// The animal of a letter; `J` stands for the leopard too.
fn animal(letter: char) -> Option<(Side, Kind)> {
    let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
    let kind = match letter.to_ascii_uppercase() {
        'J' => Kind::Leopard,
        upper => Kind::from_letter(upper)?,
    };
    Some((side, kind))
}

/// Reads the rows of a position text.
fn read_rows(board: &Board, rows: &str) -> Result<Vec<(Side, Kind, u8)>, String> {
    let (width, height) = (u32::from(board.width), board.height);
    let count = rows.split('/').count();
    if count != usize::from(height) {
        return Err(format!("it has {count} rows, the board has {height} ranks"));
    }
    let mut animals = Vec::new();
    for (index, row) in rows.split('/').enumerate() {
        let rank = height - 1 - index as u8;
        let mut file = 0;
        for letter in row.chars() {
            match letter.to_digit(10) {
                Some(0) => return Err(format!("row `{row}` (rank {}) has a `0`", rank + 1)),
                Some(run) => file += run,
                None => {
                    let (side, kind) = animal(letter).ok_or_else(|| {
                        format!(
                            "`{letter}` in row `{row}` (rank {}) is no animal; the animals are \
                             RCDWPTLE, lower case for the second player",
                            rank + 1
                        )
                    })?;
                    if file < width {
                        animals.push((side, kind, rank * board.width + file as u8));
                    }
                    file += 1;
                }
            }
        }
        if file != width {
            return Err(format!(
                "row `{row}` (rank {}) has {file} squares, the board has {width} files",
                rank + 1
            ));
        }
    }
    Ok(animals)
}

/// Reads a count.
fn read_count(field: &str, what: &str, least: u32) -> Result<u32, String> {
    let digits = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    match field.parse() {
        Ok(number) if digits && (least..=LARGEST_COUNT).contains(&number) => Ok(number),
        _ => Err(format!("{what} is `{field}`; a number from {least} to {LARGEST_COUNT} is right")),
    }
}

impl Jungle {
    /// Reads a position text and checks all that the rules refuse. `is_setup`: the text is the
    /// set-up itself, which may have any number of animals, and land animals in water.
    pub(super) fn read_position(&self, text: &str, is_setup: bool) -> Result<Position, TextError> {
        let refuse = |problem: String| TextError(format!("position `{text}`: {problem}"));
        let fields: Vec<&str> = text.split(' ').collect();
        if !(2..=4).contains(&fields.len()) || fields.contains(&"") {
            return Err(refuse(
                "four fields separated by one space are right: rows, side to move, half-moves \
                 since the last capture, move number"
                    .into(),
            ));
        }
        let animals = read_rows(self.board(), fields[0]).map_err(refuse)?;
        let second = match fields[1] {
            "w" | "r" => 0,
            "b" => 1,
            other => {
                return Err(refuse(format!("the side to move is `{other}`; `w` or `b` is right")));
            }
        };
        let no_capture = fields
            .get(2)
            .map_or(Ok(0), |field| read_count(field, "the count of half-moves", 0))
            .map_err(refuse)?;
        let number = fields
            .get(3)
            .map_or(Ok(1), |field| read_count(field, "the move number", 1))
            .map_err(refuse)?;
        self.check_animals(&animals, is_setup).map_err(refuse)?;
        Ok(self.assemble(animals, no_capture, 2 * (number - 1) + second))
    }

    /// What a position text must not hold.
    fn check_animals(&self, animals: &[(Side, Kind, u8)], is_setup: bool) -> Result<(), String> {
        let board = self.board();
        if animals.is_empty() {
            return Err("there is no animal on the board".into());
        }
        let mut in_den = [false; 2];
        let mut numbers = [[0; 8]; 2];
        for &(side, kind, square) in animals {
            let (name, at) = (kind.name(), board.square_name(square));
            if board.dens[side.index()] >> square & 1 != 0 {
                return Err(format!("the {name} on {at} stands on its own den"));
            }
            in_den[side.index()] |= board.dens[side.other().index()] >> square & 1 != 0;
            // What the set-up put into water may still stand there.
            let at_start = is_setup || self.0.start.animal(square) == Some((side, kind));
            if board.is_water(square) && !self.swims(kind) && !at_start {
                return Err(format!("the {name} on {at} stands in water and does not swim"));
            }
            let number = &mut numbers[side.index()][kind.index()];
            *number += 1;
            let most = self.0.most[side.index()][kind.index()];
            if *number > most && !is_setup {
                return Err(format!(
                    "{} has more than {most} of `{}` ({name}), the most that the set-up allows",
                    self.side_name(side),
                    letter(side, kind)
                ));
            }
        }
        if in_den == [true; 2] {
            return Err("both dens are occupied".into());
        }
        Ok(())
    }
}

impl Notation for Jungle {
    fn parse_position(&self, text: &str) -> Result<Position, TextError> {
        self.read_position(text, false)
    }

    fn position_text(&self, position: &Position) -> String {
        let board = self.board();
        let mut text = String::new();
        for rank in (0..board.height).rev() {
            let mut run = 0;
            for file in 0..board.width {
                let animal = position.animal(rank * board.width + file);
                if run == 9 || (run > 0 && animal.is_some()) {
                    text.push_str(&run.to_string());
                    run = 0;
                }
                match animal {
                    Some((side, kind)) => text.push(letter(side, kind)),
                    None => run += 1,
                }
            }
            if run > 0 {
                text.push_str(&run.to_string());
            }
            if rank > 0 {
                text.push('/');
            }
        }
        let side = self.side_letter(position.turn());
        format!("{text} {side} {} {}", position.no_capture(), position.ply() / 2 + 1)
    }

    fn action_text(&self, _: &Position, action: Action) -> String {
        let board = self.board();
        board.square_name(action.from) + &board.square_name(action.to)
    }

    fn parse_action(&self, position: &Position, text: &str) -> Result<Action, TextError> {
        // The second square begins at the first letter after a digit.
        let bytes = text.as_bytes();
        let split = (1..bytes.len())
            .find(|&at| bytes[at - 1].is_ascii_digit() && bytes[at].is_ascii_lowercase());
        let Some((from, to)) = split.map(|at| text.split_at(at)) else {
            return Err(TextError(format!(
                "`{text}` is no move; a move is written as its two squares, `a3a4`"
            )));
        };
        let square = |name: &str| {
            let board = self.board();
            board.square(name).ok_or_else(|| {
                TextError(format!(
                    "`{text}`: there is no square `{name}`; the squares are a1 to {}",
                    board.square_name(board.squares() - 1)
                ))
            })
        };
        let action = Action { from: square(from)?, to: square(to)? };
        let mut actions = Vec::new();
        self.actions(position, &mut actions);
        if actions.binary_search(&action).is_ok() {
            return Ok(action);
        }
        let why = match self.outcome(position, &History::default()) {
            Some(outcome) => format!("the game has ended, because {}", outcome.reason),
            None => self.refusal(position, action),
        };
        Err(TextError(format!("`{text}` is not legal: {why}")))
    }

    fn describe(&self, position: &Position, action: Action) -> String {
        let board = self.board();
        let to = board.square_name(action.to);
        let Some((side, kind)) = position.animal(action.from) else {
            return format!("nothing moves to {to}");
        };
        let leaps = board.file(action.from).abs_diff(board.file(action.to))
            + board.rank(action.from).abs_diff(board.rank(action.to))
            > 1;
        let how = if leaps { "jumps over the water" } else { "moves" };
        let name = kind.name();
        match position.animal(action.to) {
            Some((_, victim)) if self.0.tables.both_die && victim == kind => {
                format!("the {name} meets the {name} on {to} and both leave the board")
            }
            Some((_, victim)) if leaps => {
                format!("the {name} {how} and captures the {} on {to}", victim.name())
            }
            Some((_, victim)) => format!("the {name} captures the {} on {to}", victim.name()),
            None if board.dens[side.other().index()] >> action.to & 1 != 0 => {
                format!("the {name} enters the den on {to}")
            }
            None => format!("the {name} {how} to {to}"),
        }
    }

    fn sketch(&self, position: &Position) -> Sketch {
        let board = self.board();
        let cell = |square: u8| {
            let on = |set: u64| set >> square & 1 != 0;
            let owned = |sets: [u64; 2]| Side::BOTH.into_iter().find(|side| on(sets[side.index()]));
            let ground = match (owned(board.dens), owned(board.traps)) {
                (Some(side), _) => Ground::Den(side),
                (_, Some(side)) => Ground::Trap(side),
                _ if on(board.water) => Ground::Water,
                _ => Ground::Land,
            };
            let piece = position.animal(square).map(|(side, kind)| Piece {
                side,
                letter: letter(side, kind),
                emoji: kind.emoji(),
                name: kind.name(),
            });
            Cell { ground, piece }
        };
        let ranks = (0..board.height).rev();
        let cells =
            ranks.flat_map(|rank| (0..board.width).map(move |file| rank * board.width + file));
        let count = |made: u32, limit: Option<u32>| match limit {
            Some(limit) => format!("{made} of {limit}"),
            None => made.to_string(),
        };
        let rules = self.options();
        Sketch {
            width: usize::from(board.width),
            height: usize::from(board.height),
            cells: cells.map(cell).collect(),
            notes: vec![
                format!(
                    "half-moves since the last capture: {}",
                    count(position.no_capture(), rules.no_capture_limit.0)
                ),
                format!("half-moves of the game: {}", count(position.ply(), rules.max_plies.0)),
            ],
        }
    }

    /// Those that the set-up has, weakest first in the usual order.
    fn animals(&self) -> Vec<(char, &'static str)> {
        let at_start = |kind: &Kind| {
            let mut animals = (0..self.board().squares()).filter_map(|at| self.0.start.animal(at));
            animals.any(|animal| animal.1 == *kind)
        };
        let kinds = Kind::ALL.into_iter().filter(at_start);
        kinds.map(|kind| (kind.letter(), kind.name())).collect()
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "white",
            Side::Second => "black",
        }
    }

    fn side_letter(&self, side: Side) -> &'static str {
        match side {
            Side::First => "w",
            Side::Second => "b",
        }
    }
}
