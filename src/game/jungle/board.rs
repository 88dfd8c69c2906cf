//! Geometry: squares, their names and ground, steps and lines over water, for any board of at
//! most 64 squares. Knows no animal.
//!
//! Square index: rank × width + file, so a1 = 0, b1 = 1. A set of squares is a `u64`, bit =
//! square index.

use crate::game::Side;

/// A direction as the first player sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Direction {
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

    /// Does it run along a file?
    pub fn along_file(self) -> bool {
        matches!(self, Direction::Up | Direction::Down)
    }
}

/// A distance for squares from which there is no way.
pub const FAR: u8 = u8::MAX;

/// A board: size and ground.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub width: u8,
    pub height: u8,
    pub water: u64,
    /// Dens by owner.
    pub dens: [u64; 2],
    /// Traps by owner.
    pub traps: [u64; 2],
}

impl Board {
    /// Reads the option `board`; the error says what is wrong and what would be right.
    pub fn parse(text: &str) -> Result<Board, String> {
        let rows: Vec<&str> = text.split('/').collect();
        let width = rows[0].chars().count();
        if width == 0 {
            return Err("the first row is empty; at least one square is needed".into());
        }
        if let Some((index, row)) =
            rows.iter().enumerate().find(|(_, row)| row.chars().count() != width)
        {
            return Err(format!(
                "row {} `{row}` has {} squares, the first row has {width}; all rows need the \
                 same number",
                index + 1,
                row.chars().count(),
            ));
        }
        if width * rows.len() > 64 {
            return Err(format!(
                "{} squares ({width} × {}) are too many; at most 64 are possible",
                width * rows.len(),
                rows.len()
            ));
        }
        let mut board = Board {
            width: width as u8,
            height: rows.len() as u8,
            water: 0,
            dens: [0; 2],
            traps: [0; 2],
        };
        for (rank, row) in rows.iter().rev().enumerate() {
            for (file, letter) in row.chars().enumerate() {
                let bit = 1u64 << (rank * width + file);
                match letter {
                    '.' => {}
                    '~' => board.water |= bit,
                    'D' => board.dens[0] |= bit,
                    'd' => board.dens[1] |= bit,
                    'T' => board.traps[0] |= bit,
                    't' => board.traps[1] |= bit,
                    _ => {
                        return Err(format!(
                            "`{letter}` is no ground; `.` is land, `~` water, `D` `d` dens, `T` \
                             `t` traps"
                        ));
                    }
                }
            }
        }
        Ok(board)
    }

    /// Number of squares.
    pub fn squares(&self) -> u8 {
        self.width * self.height
    }

    pub fn file(&self, square: u8) -> u8 {
        square % self.width
    }

    pub fn rank(&self, square: u8) -> u8 {
        square / self.width
    }

    pub fn is_water(&self, square: u8) -> bool {
        self.water >> square & 1 != 0
    }

    /// The next square in a direction.
    pub fn step(&self, square: u8, direction: Direction) -> Option<u8> {
        let (file, rank) = (self.file(square), self.rank(square));
        match direction {
            Direction::Up if rank + 1 < self.height => Some(square + self.width),
            Direction::Down if rank > 0 => Some(square - self.width),
            Direction::Left if file > 0 => Some(square - 1),
            Direction::Right if file + 1 < self.width => Some(square + 1),
            _ => None,
        }
    }

    /// Over all water squares of the line next to `square`: the first land square behind, and the
    /// set of squares crossed. `None` if there is no water next to it, or no land behind.
    pub fn leap(&self, square: u8, direction: Direction) -> Option<(u8, u64)> {
        let mut crossed = 0;
        let mut next = self.step(square, direction)?;
        while self.is_water(next) {
            crossed |= 1 << next;
            next = self.step(next, direction)?;
        }
        (crossed != 0).then_some((next, crossed))
    }

    /// The square with the ranks counted from the other end (how the second player sees it).
    pub fn turned(&self, square: u8) -> u8 {
        (self.height - 1 - self.rank(square)) * self.width + self.file(square)
    }

    /// The square with the files counted from the other end.
    pub fn mirrored(&self, square: u8) -> u8 {
        self.rank(square) * self.width + self.width - 1 - self.file(square)
    }

    /// Is the ground its own left–right mirror image?
    pub fn is_mirror_symmetric(&self) -> bool {
        [self.water, self.dens[0], self.dens[1], self.traps[0], self.traps[1]].into_iter().all(
            |set| {
                (0..self.squares())
                    .all(|square| set >> square & 1 == set >> self.mirrored(square) & 1)
            },
        )
    }

    /// Is the ground its own image with the colours exchanged?
    pub fn is_turn_symmetric(&self) -> bool {
        let turns = |[first, second]: [u64; 2]| {
            (0..self.squares())
                .all(|square| first >> square & 1 == second >> self.turned(square) & 1)
        };
        turns(self.dens) && turns(self.traps) && turns([self.water; 2])
    }

    /// Steps from each square to the nearest den of `owner`, water taken for land; [`FAR`] where
    /// there is no den.
    pub fn den_distances(&self, owner: Side) -> [u8; 64] {
        let mut out = [FAR; 64];
        let dens = self.dens[owner.index()];
        for square in 0..self.squares() {
            for den in (0..self.squares()).filter(|den| dens >> den & 1 != 0) {
                let distance = self.file(square).abs_diff(self.file(den))
                    + self.rank(square).abs_diff(self.rank(den));
                out[square as usize] = out[square as usize].min(distance);
            }
        }
        out
    }

    /// The square's name: `a1`; files go on after `z` with `aa`.
    pub fn square_name(&self, square: u8) -> String {
        let file = self.file(square);
        let mut name = String::new();
        if file >= 26 {
            name.push((b'a' + file / 26 - 1) as char);
        }
        name.push((b'a' + file % 26) as char);
        name + &(self.rank(square) + 1).to_string()
    }

    /// The square of a name: `None` if it is no name or off the board.
    pub fn square(&self, name: &str) -> Option<u8> {
        let digits = name.find(|letter: char| letter.is_ascii_digit())?;
        let (letters, number) = name.split_at(digits);
        if !(1..=2).contains(&letters.len()) || number.starts_with('0') {
            return None;
        }
        let file = letters.bytes().try_fold(0, |file, letter| {
            letter.is_ascii_lowercase().then(|| 26 * file + u16::from(letter - b'a') + 1)
        })?;
        let rank = number.parse::<u8>().ok()?.checked_sub(1)?;
        let on_board = file <= u16::from(self.width) && rank < self.height;
        on_board.then(|| rank * self.width + (file - 1) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::BOARD;
    use super::*;

    #[test]
    fn the_standard_board() {
        let board = Board::parse(BOARD).unwrap();
        assert_eq!((board.width, board.height), (7, 9));
        let at = |name| board.square(name).unwrap();
        assert_eq!(at("a1"), 0);
        assert_eq!(at("b1"), 1);
        assert_eq!(at("g9"), 62);
        assert_eq!(board.dens, [1 << at("d1"), 1 << at("d9")]);
        assert_eq!(board.water.count_ones(), 12);
        let water = |names: [&'static str; 3]| names.map(|name| 1 << at(name)).iter().sum();
        assert_eq!(
            board.leap(at("b3"), Direction::Up),
            Some((at("b7"), water(["b4", "b5", "b6"])))
        );
        assert_eq!(board.leap(at("a4"), Direction::Right).map(|leap| leap.0), Some(at("d4")));
        assert_eq!(board.leap(at("a4"), Direction::Up), None);
        assert_eq!(board.leap(at("b6"), Direction::Up), None);
        assert_eq!(board.turned(at("b1")), at("b9"));
        assert_eq!(board.mirrored(at("b1")), at("f1"));
        assert!(board.is_mirror_symmetric());
        assert_eq!(board.den_distances(Side::Second)[at("b7") as usize], 4);
    }

    #[test]
    fn wide_boards_have_names_for_all_files() {
        let board = Board::parse(&".".repeat(64)).unwrap();
        assert_eq!(board.square_name(25), "z1");
        assert_eq!(board.square_name(26), "aa1");
        assert_eq!(board.square_name(63), "bl1");
        assert_eq!(board.square("bl1"), Some(63));
        for square in 0..64 {
            assert_eq!(board.square(&board.square_name(square)), Some(square));
        }
        for name in ["bm1", "a2", "a0", "a01", "a+1", "A1", "", "a", "1", "aaa1", "a1a", "ä1"] {
            assert_eq!(board.square(name), None, "{name}");
        }
    }

    #[test]
    fn water_at_the_edge_cannot_be_jumped() {
        let board = Board::parse("~~./.~~/.~.").unwrap();
        assert_eq!(board.leap(0, Direction::Right), Some((2, 0b10)));
        assert_eq!(board.leap(3, Direction::Right), None);
        assert_eq!(board.leap(3, Direction::Up), None);
        assert!(!board.is_mirror_symmetric());
    }

    #[test]
    fn boards_that_are_none() {
        let message = |text: &str| Board::parse(text).unwrap_err();
        assert!(message("").contains("empty"));
        assert!(message("../...").contains("row 2 `...` has 3 squares"));
        assert!(message(".x.").contains("`x` is no ground"));
        assert!(message(&vec![".".repeat(13); 5].join("/")).contains("65 squares"));
    }
}
