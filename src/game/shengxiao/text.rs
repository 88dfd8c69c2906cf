//! Position and action texts, read and written. Every refusal quotes what was read.
//!
//! A position text has two to four words: rows from the last rank down, the side to act, the turns
//! since the last encirclement (0 if left out) and the marks (`-` if none). Marks are joined by
//! commas, in any order:
//!
//! | mark | meaning |
//! |---|---|
//! | `held:Xd` | South's ox and North's dog were pulled by the enemy and may not act |
//! | `bitten:S` | South's snake was bitten and may neither act nor be moved |
//! | `nobite:sn` | South and North bit in their last turns |
//! | `noswap` | the acting side's dragon may not swap with the enemy dragon |
//! | `pulls` | in mid-turn: the hare may pull |
//! | `chain` | in mid-turn: animals beside the rooster may act |
//! | `moved:HKx` | in mid-turn: these animals were displaced in this turn |
//! | `bit`, `swapped`, `encircled` | in mid-turn: what happened in this turn |
//! | `over:s-goal` | South has won (`encircled`, `goal` or `caught`); the side is the last to act |

use super::Shengxiao;
use super::action::Deed;
use super::board::{Animal, Animals, Phase, Position, Win};
use super::geometry::{Direction, squares};
use crate::game::{Side, TextError};
use std::fmt::Write;

/// The names of the wins in a marks field.
const WINS: [(&str, Win); 3] =
    [("encircled", Win::Encircled), ("goal", Win::Goal), ("caught", Win::Caught)];

pub(super) fn side_letter(side: Side) -> &'static str {
    ["s", "n"][side.index()]
}

fn side_of(letter: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| side_letter(side) == letter)
}

fn refuse<T>(message: String) -> Result<T, TextError> {
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

    /// Marks must name animals on the board and agree with each other.
    fn check_marks(&self, position: &Position, marks: &str) -> Result<(), TextError> {
        let wrong = |why: &str| refuse(format!("marks `{marks}`: {why}"));
        let (acting, other) = (position.side.index(), position.side.other().index());
        for side in Side::BOTH {
            let index = side.index();
            let marked = position.held[index] | position.bitten[index] | position.moved[index];
            for animal in Animal::ALL {
                if marked & animal.flag() != 0 && position.place(side, animal) == 0 {
                    let letter = animal.letter(side);
                    return wrong(&format!("`{letter}` does not stand on the board"));
                }
            }
        }
        let done = position.bit
            || position.swapped
            || position.encircled
            || position.moved != [0; 2]
            || position.held[other] | position.bitten[other] != 0;
        match position.phase {
            Phase::Start if done => wrong(
                "at the start of a turn only the acting side is held or bitten, and nothing was \
                 done yet",
            ),
            Phase::Pulls if position.moved[acting] & Animal::Hare.flag() == 0 => {
                wrong("`pulls` needs the acting side's hare among the moved")
            }
            Phase::Pulls if !self.can_pull(position) => wrong("the hare can pull nobody"),
            Phase::Chain if position.moved[acting] & Animal::Rooster.flag() == 0 => {
                wrong("`chain` needs the acting side's rooster among the moved")
            }
            Phase::Chain if !self.can_act(position, self.actors(position)) => {
                wrong("nobody beside the rooster can act")
            }
            Phase::Over { winner, win } if !self.could_be_won(position, winner, win) => {
                wrong("the board shows no such win")
            }
            _ => Ok(()),
        }
    }

    /// Is this the first of the wins that the board shows?
    fn could_be_won(&self, position: &Position, winner: Side, win: Win) -> bool {
        let (acting, other) = (position.side, position.side.other());
        let rat = |side: Side| position.place(side, Animal::Rat);
        let on_goal = |side: Side| rat(side) & self.geometry.goal[side.index()] != 0;
        let shown = if rat(other) == 0 {
            (acting, Win::Encircled)
        } else if rat(acting) == 0 {
            (other, Win::Encircled)
        } else if on_goal(acting) {
            (acting, Win::Goal)
        } else if on_goal(other) {
            (other, Win::Goal)
        } else {
            (acting, Win::Caught)
        };
        let near = self.geometry.spread(rat(other)) & position.stands[acting.index()];
        shown == (winner, win) && (win != Win::Caught || near != 0)
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
            let most = self.geometry.width as i8 - 1;
            if files.abs() > most {
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

/// Reads one mark into the position; agreement with the others is checked later.
fn read_mark(position: &mut Position, mark: &str) -> Result<(), TextError> {
    let (key, value) = match mark.split_once(':') {
        Some((key, value)) => (key, Some(value)),
        None => (mark, None),
    };
    let again = || TextError::new(format!("mark `{mark}`: `{key}` is given twice"));
    let set = |flag: &mut bool| {
        if std::mem::replace(flag, true) { Err(again()) } else { Ok(()) }
    };
    match (key, value) {
        ("held", Some(letters)) => read_animals(&mut position.held, mark, letters),
        ("bitten", Some(letters)) => read_animals(&mut position.bitten, mark, letters),
        ("moved", Some(letters)) => read_animals(&mut position.moved, mark, letters),
        ("nobite", Some(sides)) if !sides.is_empty() => {
            for letter in sides.chars() {
                match side_of(letter.encode_utf8(&mut [0; 4])) {
                    Some(side) => set(&mut position.bite_ban[side.index()])?,
                    None => {
                        return refuse(format!("mark `{mark}`: `{letter}` must be `s` or `n`"));
                    }
                }
            }
            Ok(())
        }
        ("noswap", None) => set(&mut position.swap_ban),
        ("bit", None) => set(&mut position.bit),
        ("swapped", None) => set(&mut position.swapped),
        ("encircled", None) => set(&mut position.encircled),
        ("pulls" | "chain", None) | ("over", Some(_)) if position.phase != Phase::Start => {
            refuse(format!("mark `{mark}`: only one of `pulls`, `chain` and `over` can be given"))
        }
        ("pulls", None) => {
            position.phase = Phase::Pulls;
            Ok(())
        }
        ("chain", None) => {
            position.phase = Phase::Chain;
            Ok(())
        }
        ("over", Some(how)) => {
            let found = how.split_once('-').and_then(|(side, win)| {
                let winner = side_of(side)?;
                WINS.into_iter().find(|(name, _)| *name == win).map(|(_, win)| (winner, win))
            });
            let Some((winner, win)) = found else {
                return refuse(format!(
                    "mark `{mark}`: it must be `over:`, `s` or `n`, `-`, and `encircled`, `goal` \
                     or `caught`"
                ));
            };
            position.phase = Phase::Over { winner, win };
            Ok(())
        }
        _ => refuse(format!(
            "`{mark}` is no mark; marks are `held:`, `bitten:` and `moved:` with letters of \
             animals, `nobite:` with sides, `noswap`, `pulls`, `chain`, `bit`, `swapped`, \
             `encircled` and `over:`; `-` if there are none"
        )),
    }
}

fn read_animals(set: &mut [Animals; 2], mark: &str, letters: &str) -> Result<(), TextError> {
    if letters.is_empty() {
        return refuse(format!("mark `{mark}` names no animal"));
    }
    for letter in letters.chars() {
        let Some((side, animal)) = Animal::from_letter(letter) else {
            return refuse(format!("mark `{mark}`: `{letter}` is no animal"));
        };
        if set[side.index()] & animal.flag() != 0 {
            return refuse(format!("mark `{mark}`: `{letter}` is given twice"));
        }
        set[side.index()] |= animal.flag();
    }
    Ok(())
}

/// The marks of a position, joined by commas.
fn marks_of(position: &Position) -> String {
    let mut marks = Vec::new();
    let sets = [("held", position.held), ("bitten", position.bitten)];
    for (key, set) in sets {
        if set != [0; 2] {
            marks.push(format!("{key}:{}", letters_of(set)));
        }
    }
    if position.bite_ban != [false; 2] {
        let banned = Side::BOTH.into_iter().filter(|side| position.bite_ban[side.index()]);
        marks.push(format!("nobite:{}", banned.map(side_letter).collect::<String>()));
    }
    if position.swap_ban {
        marks.push(String::from("noswap"));
    }
    match position.phase {
        Phase::Start => {}
        Phase::Pulls => marks.push(String::from("pulls")),
        Phase::Chain => marks.push(String::from("chain")),
        Phase::Over { winner, win } => {
            let name =
                WINS.into_iter().find(|&(_, known)| known == win).map_or("", |(name, _)| name);
            marks.push(format!("over:{}-{name}", side_letter(winner)));
        }
    }
    if position.moved != [0; 2] {
        marks.push(format!("moved:{}", letters_of(position.moved)));
    }
    let flags =
        [("bit", position.bit), ("swapped", position.swapped), ("encircled", position.encircled)];
    marks.extend(flags.into_iter().filter(|flag| flag.1).map(|flag| flag.0.to_string()));
    marks.join(",")
}

fn letters_of(set: [Animals; 2]) -> String {
    Side::BOTH
        .into_iter()
        .flat_map(|side| Animal::ALL.map(|animal| (side, animal)))
        .filter(|(side, animal)| set[side.index()] & animal.flag() != 0)
        .map(|(side, animal)| animal.letter(side))
        .collect()
}
