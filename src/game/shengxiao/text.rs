//! Position and action texts, read and written. Every refusal quotes what was read.
//!
//! A position text has two to four words: rows from the last rank down, the side to act, the turns
//! since the last encirclement (0 if left out) and the marks (`-` if none; see `marks`).

use super::Shengxiao;
use super::action::Deed;
use super::board::{Animal, Phase, Position};
use super::geometry::{Direction, squares};
use super::marks::{marks_of, read_mark};
use crate::game::{Side, TextError};
use std::fmt::Write;

pub(super) fn side_letter(side: Side) -> &'static str {
    ["s", "n"][side.index()]
}

pub(super) fn side_of(letter: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| side_letter(side) == letter)
}

pub(super) fn refuse<T>(message: String) -> Result<T, TextError> {
    Err(TextError::new(message))
}

impl Shengxiao {
    /// Reads a position text.
    pub(super) fn read_position(&self, text: &str) -> Result<Position, TextError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (rows, side, count, marks) = match words[..] {
            [rows, side] => (rows, side, "0", "-"),
            [rows, side, count] => (rows, side, count, "-"),
            [rows, side, count, marks] => (rows, side, count, marks),
            _ => {
                return refuse(format!(
                    "`{text}` has {} words; a position is: rows, side to act (`s` or `n`), and if \
                     need be turns since the last encirclement and marks",
                    words.len()
                ));
            }
        };
        let mut position = self.read_rows(rows)?;
        let Some(acting) = side_of(side) else {
            return refuse(format!("`{side}` is no side; it must be `s` or `n`"));
        };
        position.side = acting;
        if marks != "-" {
            for mark in marks.split(',') {
                read_mark(&mut position, mark)?;
            }
        }
        // In mid-turn the turn is not counted yet.
        let most = match position.phase {
            Phase::Start => self.rules.quiet_turns,
            _ => self.rules.quiet_turns - 1,
        };
        position.quiet = match count.parse() {
            Ok(count) if count <= most => count,
            _ => {
                return refuse(format!(
                    "`{count}` turns since the last encirclement; it must be a number from 0 to \
                     {most}"
                ));
            }
        };
        self.check_rats(&position)?;
        self.check_groups(&position)?;
        self.check_marks(&position, marks)?;
        Ok(position)
    }

    fn read_rows(&self, text: &str) -> Result<Position, TextError> {
        let (width, height) = (self.geometry.width, self.geometry.height);
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != height {
            return refuse(format!("`{text}` has {} rows; there must be {height}", rows.len()));
        }
        let mut position = Position::empty();
        for (row, rank) in rows.into_iter().zip((0..height).rev()) {
            // How far the row reaches, and the number of empty squares that is being read.
            let (mut file, mut run) = (0, 0);
            for letter in row.chars() {
                if let Some(digit) = letter.to_digit(10) {
                    run = (run * 10 + digit as usize).min(1000);
                    continue;
                }
                file += std::mem::take(&mut run);
                let Some((side, animal)) = Animal::from_letter(letter) else {
                    return refuse(format!(
                        "`{letter}` in row `{row}` is no animal; they are R X T H N S O G M K D P \
                         for South and r x t h n s o g m k d p for North"
                    ));
                };
                if position.place(side, animal) != 0 {
                    return refuse(format!(
                        "`{letter}` in row `{row}` stands there twice; a side has one {}",
                        animal.name()
                    ));
                }
                if file < width {
                    position.put(side, animal, (rank * width + file) as u8);
                }
                file += 1;
            }
            file += run;
            if file != width {
                return refuse(format!("row `{row}` has {file} squares; there must be {width}"));
            }
        }
        Ok(position)
    }

    fn check_rats(&self, position: &Position) -> Result<(), TextError> {
        let over = matches!(position.phase, Phase::Over { .. });
        for side in Side::BOTH {
            let letter = Animal::Rat.letter(side);
            let mask = position.place(side, Animal::Rat);
            let Some(square) = squares(mask).next() else {
                if over {
                    continue;
                }
                return refuse(format!("the rat `{letter}` is missing; each side needs its rat"));
            };
            let rank = self.geometry.rank(square) + 1;
            let past = match side {
                Side::First => rank > usize::from(self.rules.goal_south),
                Side::Second => rank < usize::from(self.rules.goal_north),
            };
            let on = mask & self.geometry.goal[side.index()] != 0;
            if past || (on && !over) {
                return refuse(format!(
                    "the rat `{letter}` on {} stands on or past its goal rank; the game would be \
                     over",
                    self.geometry.name(square)
                ));
            }
        }
        Ok(())
    }

    fn check_groups(&self, position: &Position) -> Result<(), TextError> {
        for side in Side::BOTH {
            let dead = self.breathless(position, side);
            if let Some(square) = squares(dead).next() {
                let letter = position.at(square).map_or('?', |(side, animal)| animal.letter(side));
                return refuse(format!(
                    "the group of `{letter}` on {} has no empty square beside it; it would have \
                     been taken off",
                    self.geometry.name(square)
                ));
            }
        }
        Ok(())
    }

    /// Writes the full position text.
    pub(super) fn write_position(&self, position: &Position) -> String {
        let mut text = String::new();
        for rank in (0..self.geometry.height).rev() {
            let mut run = 0;
            for file in 0..self.geometry.width {
                match position.at((rank * self.geometry.width + file) as u8) {
                    None => run += 1,
                    Some((side, animal)) => {
                        if run > 0 {
                            let _ = write!(text, "{run}");
                        }
                        run = 0;
                        text.push(animal.letter(side));
                    }
                }
            }
            if run > 0 {
                let _ = write!(text, "{run}");
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        let _ = write!(text, "{} {} ", side_letter(position.side), position.quiet);
        let marks = marks_of(position);
        text.push_str(if marks.is_empty() { "-" } else { &marks });
        text
    }

    /// Writes an action.
    pub(super) fn write_deed(&self, position: &Position, deed: Deed) -> String {
        match deed {
            Deed::Walk { animal, to } => {
                let from = position.square(position.side, animal);
                format!("{}{}", self.geometry.name(from), self.geometry.name(to))
            }
            Deed::Push { toward, gap } => format!("push{}{}", toward.letter(), u8::from(gap)),
            Deed::Swap { toward } => format!("swap{}", toward.letter()),
            Deed::Bite { toward } => format!("bite{}", toward.letter()),
            Deed::Shift { east, files, exchange } => {
                let side = if east { 'e' } else { 'w' };
                format!("shift{side}{files:+}{}", if exchange { "x" } else { "" })
            }
            Deed::Pull { toward } => format!("pull{}", toward.letter()),
            Deed::End => String::from("end"),
        }
    }

    /// Reads what an action text means, legal or not.
    pub(super) fn read_deed(&self, position: &Position, text: &str) -> Result<Deed, TextError> {
        let unknown = || {
            TextError::new(format!(
                "`{text}` is no action; actions are walks (`a2a3`), `push`, `swap`, `bite` and \
                 `pull` with a direction (`swapn`; a push also with the gap: `pushn0`, `pushn1`), \
                 shifts (`shiftw-3`, `shifte+2x`) and `end`"
            ))
        };
        if text == "end" {
            return Ok(Deed::End);
        }
        let direction = |rest: &str| {
            let mut letters = rest.chars();
            let found = letters.next().and_then(Direction::from_letter);
            found.filter(|_| letters.next().is_none()).ok_or_else(unknown)
        };
        if let Some(rest) = text.strip_prefix("push") {
            return match (rest.strip_suffix('0'), rest.strip_suffix('1')) {
                (Some(rest), _) => Ok(Deed::Push { toward: direction(rest)?, gap: false }),
                (_, Some(rest)) => Ok(Deed::Push { toward: direction(rest)?, gap: true }),
                _ => Err(unknown()),
            };
        }
        if let Some(rest) = text.strip_prefix("swap") {
            return Ok(Deed::Swap { toward: direction(rest)? });
        }
        if let Some(rest) = text.strip_prefix("bite") {
            return Ok(Deed::Bite { toward: direction(rest)? });
        }
        if let Some(rest) = text.strip_prefix("pull") {
            return Ok(Deed::Pull { toward: direction(rest)? });
        }
        if let Some(rest) = text.strip_prefix("shift") {
            let (east, rest) = match (rest.strip_prefix('e'), rest.strip_prefix('w')) {
                (Some(rest), _) => (true, rest),
                (_, Some(rest)) => (false, rest),
                _ => return Err(unknown()),
            };
            let (number, exchange) = match rest.strip_suffix('x') {
                Some(number) => (number, true),
                None => (rest, false),
            };
            let files: i8 = number.parse().map_err(|_| unknown())?;
            let deed = Deed::Shift { east, files, exchange };
            let written = self.write_deed(position, deed);
            if written != text {
                return refuse(format!("`{text}` is written `{written}`"));
            }
            let most = self.geometry.width as u8 - 1;
            if files.unsigned_abs() > most {
                return refuse(format!(
                    "`{text}` slides too far; files go from -{most} to +{most}"
                ));
            }
            return Ok(deed);
        }
        self.read_walk(position, text)?.ok_or_else(unknown)
    }

    /// Reads a walk; `None` if the text does not look like one.
    fn read_walk(&self, position: &Position, text: &str) -> Result<Option<Deed>, TextError> {
        let split = |text: &str| {
            let mut letters = text.chars();
            let file = letters.next().filter(char::is_ascii_lowercase)?;
            let digits = letters.as_str();
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let rank: usize = digits[..end].parse().ok()?;
            Some((file, rank, digits[end..].to_string()))
        };
        let Some((from_file, from_rank, rest)) = split(text) else { return Ok(None) };
        let Some((to_file, to_rank, rest)) = split(&rest) else { return Ok(None) };
        if !rest.is_empty() {
            return Ok(None);
        }
        let on_board = |file: char, rank: usize| {
            self.geometry.square(file, rank).ok_or_else(|| {
                let last = (self.geometry.width * self.geometry.height - 1) as u8;
                TextError::new(format!(
                    "`{text}`: {file}{rank} is not on the board, which goes from a1 to {}",
                    self.geometry.name(last)
                ))
            })
        };
        let (from, to) = (on_board(from_file, from_rank)?, on_board(to_file, to_rank)?);
        match position.at(from) {
            None => refuse(format!("`{text}`: nobody stands on {from_file}{from_rank}")),
            Some((side, animal)) if side != position.side => refuse(format!(
                "`{text}`: the {} on {from_file}{from_rank} is an enemy of the side to act",
                animal.name()
            )),
            Some((_, animal)) => Ok(Some(Deed::Walk { animal, to })),
        }
    }
}
