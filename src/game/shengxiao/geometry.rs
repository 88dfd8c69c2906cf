//! The shape of the board as tables and masks: neighbours, steps, zones. Knows no animal that
//! stands on it. Square = rank × width + file, both from 0; a square is a bit of a `u64`.

use super::rules::Rules;
use crate::game::Side;

/// The square of an animal that is off the board, and the step that leads off it.
pub const OFF: u8 = 64;

/// One of the four directions, the same for both sides: north is towards the last rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    North,
    East,
    South,
    West,
}

impl Direction {
    pub const ALL: [Direction; 4] =
        [Direction::North, Direction::East, Direction::South, Direction::West];

    pub fn opposite(self) -> Direction {
        Self::ALL[(self as usize + 2) % 4]
    }

    /// East and west exchanged.
    pub fn mirrored(self) -> Direction {
        match self {
            Direction::East => Direction::West,
            Direction::West => Direction::East,
            straight => straight,
        }
    }

    /// The letter of the action codes.
    pub fn letter(self) -> char {
        ['n', 'e', 's', 'w'][self as usize]
    }

    pub fn word(self) -> &'static str {
        ["north", "east", "south", "west"][self as usize]
    }

    /// The direction of a letter.
    pub fn from_letter(letter: char) -> Option<Direction> {
        Self::ALL.into_iter().find(|direction| direction.letter() == letter)
    }
}

/// File and rank offsets: the four directions in the order of [`Direction`], then the diagonals.
const OFFSETS: [(i32, i32); 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The orthogonal rows of the step table.
pub const STRAIGHT: std::ops::Range<usize> = 0..4;
/// The diagonal rows of the step table.
pub const DIAGONAL: std::ops::Range<usize> = 4..8;

/// The tables of one board.
#[derive(Clone, Debug)]
pub struct Geometry {
    pub width: usize,
    pub height: usize,
    /// All squares.
    pub board: u64,
    /// Squares with a neighbour to the west, to the east.
    has_west: u64,
    has_east: u64,
    /// `step[row][square]`: the next square, or [`OFF`].
    step: [[u8; 64]; 8],
    /// One step up, down, left, right.
    pub beside: [u64; 64],
    /// One step diagonally.
    pub diagonal: [u64; 64],
    /// A chess knight's move.
    pub knight: [u64; 64],
    /// For each side: the last rank before the line.
    pub last: [u64; 2],
    /// For each side: the ranks beyond the line.
    pub beyond: [u64; 2],
    /// For each side: the rank on which its rat wins.
    pub goal: [u64; 2],
}

/// The bit of a square on the board.
#[inline]
pub fn bit(square: u8) -> u64 {
    1 << square
}

/// The squares of a mask, lowest first.
pub fn squares(mut mask: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let square = mask.trailing_zeros() as u8;
        mask &= mask - 1;
        Some(square)
    })
}

impl Geometry {
    /// The tables for a rule record that passed [`Rules::check_board`].
    pub(super) fn new(rules: &Rules) -> Geometry {
        let (width, height) = (i32::from(rules.width), i32::from(rules.height));
        let at = |file: i32, rank: i32| {
            let inside = (0..width).contains(&file) && (0..height).contains(&rank);
            if inside { (rank * width + file) as u8 } else { OFF }
        };
        let mut geometry = Geometry {
            width: width as usize,
            height: height as usize,
            board: 0,
            has_west: 0,
            has_east: 0,
            step: [[OFF; 64]; 8],
            beside: [0; 64],
            diagonal: [0; 64],
            knight: [0; 64],
            last: [0; 2],
            beyond: [0; 2],
            goal: [0; 2],
        };
        for rank in 0..height {
            for file in 0..width {
                let square = at(file, rank);
                let here = usize::from(square);
                geometry.board |= bit(square);
                if file > 0 {
                    geometry.has_west |= bit(square);
                }
                if file + 1 < width {
                    geometry.has_east |= bit(square);
                }
                for (row, (files, ranks)) in OFFSETS.into_iter().enumerate() {
                    let to = at(file + files, rank + ranks);
                    geometry.step[row][here] = to;
                    if to != OFF {
                        let mask = if STRAIGHT.contains(&row) {
                            &mut geometry.beside[here]
                        } else {
                            &mut geometry.diagonal[here]
                        };
                        *mask |= bit(to);
                    }
                }
                for (files, ranks) in KNIGHT {
                    let to = at(file + files, rank + ranks);
                    if to != OFF {
                        geometry.knight[here] |= bit(to);
                    }
                }
            }
        }
        let below: u64 = geometry.ranks(1, rules.border);
        geometry.beyond = [geometry.board & !below, below];
        geometry.last = [
            geometry.ranks(rules.border, rules.border),
            geometry.ranks(rules.border + 1, rules.border + 1),
        ];
        geometry.goal = [
            geometry.ranks(rules.goal_south, rules.goal_south),
            geometry.ranks(rules.goal_north, rules.goal_north),
        ];
        geometry
    }

    /// The squares of the ranks `from` to `to`, counted from 1.
    fn ranks(&self, from: u8, to: u8) -> u64 {
        let rank = |square: u8| self.rank(square) + 1;
        squares(self.board)
            .filter(|&square| (usize::from(from)..=usize::from(to)).contains(&rank(square)))
            .fold(0, |mask, square| mask | bit(square))
    }

    /// The next square in row `row` of the step table, or [`OFF`].
    #[inline]
    pub fn next(&self, row: usize, square: u8) -> u8 {
        self.step[row][usize::from(square)]
    }

    /// The square beside `square` in this direction, or [`OFF`].
    #[inline]
    pub fn step(&self, direction: Direction, square: u8) -> u8 {
        self.next(direction as usize, square)
    }

    /// All squares beside a square of the mask.
    #[inline]
    pub fn spread(&self, mask: u64) -> u64 {
        // Shifts past the last rank leave the board and are masked away; on a board of 64 squares
        // they leave the word.
        let sideways = (mask & self.has_west) >> 1 | (mask & self.has_east) << 1;
        (sideways | mask << self.width | mask >> self.width) & self.board
    }

    /// File from 0.
    pub fn file(&self, square: u8) -> usize {
        usize::from(square) % self.width
    }

    /// Rank from 0.
    pub fn rank(&self, square: u8) -> usize {
        usize::from(square) / self.width
    }

    /// On the last rank before the line or beyond it: where a rat motivates its side.
    #[inline]
    pub fn advanced(&self, side: Side) -> u64 {
        self.last[side.index()] | self.beyond[side.index()]
    }

    /// The square with its file counted from the other edge.
    pub fn mirror(&self, square: u8) -> u8 {
        if square == OFF {
            return OFF;
        }
        (self.rank(square) * self.width + self.width - 1 - self.file(square)) as u8
    }

    /// The square's name: `a1`.
    pub fn name(&self, square: u8) -> String {
        let file = (b'a' + self.file(square) as u8) as char;
        format!("{file}{}", self.rank(square) + 1)
    }

    /// The square of a file letter and a rank counted from 1.
    pub fn square(&self, file: char, rank: usize) -> Option<u8> {
        let file = (file as usize).checked_sub('a' as usize)?;
        let inside = file < self.width && (1..=self.height).contains(&rank);
        inside.then(|| ((rank - 1) * self.width + file) as u8)
    }
}
