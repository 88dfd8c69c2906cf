//! Squares of a signature's animals ↔ a number.
//!
//! The number is written in mixed radix, one digit for each animal: the place of its square in its
//! ground. Where the board is its own mirror image, the first animal (the lead) stands on the left
//! half or the middle file; a position with the lead on the middle file and its mirror image have
//! two numbers. Animals of one side and kind are told apart, so exchanged ones have two numbers,
//! too.

use super::MOST_ANIMALS;
use super::rulebook::Rulebook;
use crate::game::Side;
use crate::game::jungle::Kind;

/// Squares of up to [`MOST_ANIMALS`] animals.
pub type Squares = [u8; MOST_ANIMALS];

/// What a square that an animal cannot stand on adds: beyond every index.
const NOWHERE: usize = 1 << 56;

/// Where a lead stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// On the left, or anywhere on a board without a mirror image.
    Left,
    Middle,
    Right,
}

/// The index of one signature.
#[derive(Debug)]
pub struct Index {
    count: usize,
    entries: usize,
    /// Squares by digit, and the weight of the digit, for each animal.
    digits: Vec<(Vec<u8>, usize)>,
    /// What an animal on a square adds, by animal.
    adds: Vec<[usize; 64]>,
    /// The same for its mirror image.
    adds_mirrored: Vec<[usize; 64]>,
    halves: [Half; 64],
}

impl Index {
    pub fn new(book: &Rulebook, animals: &[(Side, Kind)]) -> Index {
        let board = book.game().board();
        let mut halves = [Half::Left; 64];
        if book.mirrored {
            for square in 0..board.squares() {
                halves[usize::from(square)] =
                    match board.file(square).cmp(&board.file(board.mirrored(square))) {
                        std::cmp::Ordering::Less => Half::Left,
                        std::cmp::Ordering::Equal => Half::Middle,
                        std::cmp::Ordering::Greater => Half::Right,
                    };
            }
        }
        let mut digits = Vec::with_capacity(animals.len());
        let mut entries = 1;
        for (index, &(_, kind)) in animals.iter().enumerate().rev() {
            let mut squares = book.grounds[kind.index()].clone();
            if index == 0 {
                squares.retain(|&square| halves[usize::from(square)] != Half::Right);
            }
            let weight = entries;
            entries *= squares.len();
            digits.push((squares, weight));
        }
        digits.reverse();
        let mut adds = vec![[NOWHERE; 64]; animals.len()];
        let mut adds_mirrored = adds.clone();
        for (animal, (squares, weight)) in digits.iter().enumerate() {
            for (digit, &square) in squares.iter().enumerate() {
                adds[animal][usize::from(square)] = digit * weight;
                if book.mirrored {
                    adds_mirrored[animal][usize::from(board.mirrored(square))] = digit * weight;
                }
            }
        }
        Index { count: animals.len(), entries, digits, adds, adds_mirrored, halves }
    }

    /// Numbers in all, holes among them.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Entries for each square of the lead.
    pub fn stripe(&self) -> usize {
        self.digits[0].1
    }

    /// The half on which a square lies.
    #[inline]
    pub fn half(&self, square: u8) -> Half {
        self.halves[usize::from(square & 63)]
    }

    /// The number of a position, or of its mirror image; `None` if an animal stands where it
    /// cannot.
    #[inline]
    pub fn of(&self, squares: &[u8]) -> Option<usize> {
        let index = match self.half(squares[0]) {
            Half::Right => self.mirrored(squares),
            _ => self.plain(squares),
        };
        (index < self.entries).then_some(index)
    }

    /// The number of a position as it stands; the lead is not on the right.
    #[inline]
    pub fn plain(&self, squares: &[u8]) -> usize {
        sum(&self.adds, squares)
    }

    /// The number of the mirror image; the lead is not on the left.
    #[inline]
    pub fn mirrored(&self, squares: &[u8]) -> usize {
        sum(&self.adds_mirrored, squares)
    }

    /// What animal `animal` on `square` adds to [`Index::plain`].
    #[inline]
    pub fn adds(&self, animal: usize, square: u8) -> usize {
        self.adds[animal][usize::from(square & 63)]
    }

    /// The squares of a number.
    #[inline]
    pub fn squares(&self, mut index: usize) -> Squares {
        let mut out = Squares::default();
        for (square, (squares, weight)) in out.iter_mut().zip(&self.digits) {
            *square = squares[index / weight];
            index %= weight;
        }
        out
    }

    /// How many positions an entry stands for, counted plainly.
    #[inline]
    pub fn stands_for(&self, lead: u8, mirrored: bool) -> u64 {
        if mirrored && self.half(lead) == Half::Left { 2 } else { 1 }
    }

    /// Do two animals stand on one square?
    #[inline]
    pub fn is_hole(&self, squares: &Squares) -> bool {
        let mut occupied = 0u64;
        for &square in &squares[..self.count] {
            occupied |= 1 << (square & 63);
        }
        occupied.count_ones() as usize != self.count
    }
}

#[inline]
fn sum(adds: &[[usize; 64]], squares: &[u8]) -> usize {
    adds.iter().zip(squares).map(|(adds, &square)| adds[usize::from(square & 63)]).sum()
}
