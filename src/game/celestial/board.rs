//! The 32 dark squares, the twelve animals, and a position as bitboards over them.
//!
//! Owns how a position is stored and read; knows nothing of what is legal.

use crate::game::Side;
use std::fmt;

/// A dark square. Number = rank × 4 + place within the rank from the west, so a1 = 0, g1 = 3,
/// b2 = 4, h8 = 31. Turning the board by 180° maps number `n` to `31 - n`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Number of dark squares.
    pub const COUNT: usize = 32;

    /// The square with this number, below [`Square::COUNT`].
    pub fn new(index: usize) -> Square {
        debug_assert!(index < Self::COUNT);
        Square(index as u8)
    }

    /// The square on `file` and `rank` (0 to 7 each); `None` for a light square or one off the
    /// board.
    pub fn at(file: usize, rank: usize) -> Option<Square> {
        (file < 8 && rank < 8 && (file + rank).is_multiple_of(2))
            .then(|| Square((rank * 4 + file / 2) as u8))
    }

    /// The number, 0 to 31.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 for rank 1, 7 for rank 8.
    pub fn rank(self) -> usize {
        self.index() / 4
    }

    /// 0 for file a, 7 for file h.
    pub fn file(self) -> usize {
        self.index() % 4 * 2 + self.rank() % 2
    }

    /// The bitboard of this square alone.
    pub fn bit(self) -> u32 {
        1 << self.0
    }

    /// The square as `side` sees it: as it is for South, turned by 180° for North.
    pub fn seen_by(self, side: Side) -> Square {
        match side {
            Side::First => self,
            Side::Second => Square(31 - self.0),
        }
    }

    /// The square that a jump from here to `to` passes over.
    pub fn between(self, to: Square) -> Square {
        Square((self.0 + to.0 + (self.0 / 4) % 2) / 2)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file() as u8) as char, self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The squares of a bitboard in ascending order.
pub fn squares(mut mask: u32) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let square = Square(mask.trailing_zeros() as u8);
            mask &= mask - 1;
            square
        })
    })
}

/// The twelve squares on which `side` places: its first three ranks.
pub const fn home(side: Side) -> u32 {
    match side {
        Side::First => 0x0000_0FFF,
        Side::Second => 0xFFF0_0000,
    }
}

/// The rank on which an animal of `side` scores.
pub const fn far_rank(side: Side) -> u32 {
    match side {
        Side::First => 0xF000_0000,
        Side::Second => 0x0000_000F,
    }
}

/// The squares one step diagonally forward of `mask` for `side`, to the east or to the west.
///
/// The step that undoes it belongs to the other side in the other direction.
#[inline]
pub fn step(mask: u32, side: Side, east: bool) -> u32 {
    // Ranks 1, 3, 5, 7 begin on file a, the others on file b: a step to the side keeps the place
    // within the rank from one kind of rank and changes it from the other.
    const ODD: u32 = 0x0F0F_0F0F;
    const EVEN: u32 = 0xF0F0_F0F0;
    const NOT_A: u32 = 0x0E0E_0E0E;
    const NOT_H: u32 = 0x7070_7070;
    match (side, east) {
        (Side::First, true) => (mask & ODD) << 4 | (mask & NOT_H) << 5,
        (Side::First, false) => (mask & EVEN) << 4 | (mask & NOT_A) << 3,
        (Side::Second, true) => (mask & ODD) >> 4 | (mask & NOT_H) >> 3,
        (Side::Second, false) => (mask & EVEN) >> 4 | (mask & NOT_A) >> 5,
    }
}

/// An animal of the zodiac; the number is its strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Animal {
    Rat = 1,
    Hare,
    Monkey,
    Rooster,
    Snake,
    Pig,
    Goat,
    Dog,
    Horse,
    Dragon,
    Tiger,
    Ox,
}

use Animal::*;

impl Animal {
    /// All animals, weakest first.
    pub const ALL: [Animal; 12] =
        [Rat, Hare, Monkey, Rooster, Snake, Pig, Goat, Dog, Horse, Dragon, Tiger, Ox];

    /// 1 for the rat to 12 for the ox.
    pub fn strength(self) -> u8 {
        self as u8
    }

    /// The points it scores: 13 minus its strength.
    pub fn intelligence(self) -> u8 {
        13 - self as u8
    }

    /// Strength minus one: 0 for the rat to 11 for the ox.
    pub fn index(self) -> usize {
        self as usize - 1
    }

    /// The upper-case letter of the notation.
    pub fn letter(self) -> char {
        b"RHMKSPGDONTX"[self.index()] as char
    }

    /// The animal with this upper-case letter.
    pub fn from_letter(letter: char) -> Option<Animal> {
        Self::ALL.into_iter().find(|animal| animal.letter() == letter)
    }

    pub fn name(self) -> &'static str {
        [
            "rat", "hare", "monkey", "rooster", "snake", "pig", "goat", "dog", "horse", "dragon",
            "tiger", "ox",
        ][self.index()]
    }

    pub fn emoji(self) -> &'static str {
        ["🐀", "🐇", "🐒", "🐓", "🐍", "🐖", "🐐", "🐕", "🐎", "🐉", "🐅", "🐂"][self.index()]
    }
}

/// All twelve animals as a mask over [`Animal::index`].
pub const ALL_ANIMALS: u16 = 0x0FFF;

/// A position of Celestial Checkers: plain data, 36 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Bit `k` of the strength of whatever stands on a square is in `strength[k]`.
    pub(super) strength: [u32; 4],
    /// Where each side's animals stand.
    pub(super) sides: [u32; 2],
    /// Animals not yet placed, a mask over [`Animal::index`]; both empty once moving has begun.
    pub(super) hand: [u16; 2],
    pub(super) score: [u8; 2],
    pub(super) turn: Side,
    /// The animal that must go on jumping.
    pub(super) continuing: Option<Square>,
}

impl Position {
    /// The empty board with every animal in hand; South places.
    pub fn start() -> Position {
        Position {
            strength: [0; 4],
            sides: [0; 2],
            hand: [ALL_ANIMALS; 2],
            score: [0; 2],
            turn: Side::First,
            continuing: None,
        }
    }

    /// Who acts.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// Is an animal still to be placed?
    pub fn placing(&self) -> bool {
        self.hand != [0; 2]
    }

    /// The animals of `side` not yet placed, a mask over [`Animal::index`].
    pub fn hand(&self, side: Side) -> u16 {
        self.hand[side.index()]
    }

    /// The animals of `side` not yet placed, strongest first.
    pub fn in_hand(&self, side: Side) -> impl Iterator<Item = Animal> {
        let hand = self.hand(side);
        Animal::ALL.into_iter().rev().filter(move |animal| hand >> animal.index() & 1 == 1)
    }

    /// The points of `side`, 0 to 78.
    pub fn score(&self, side: Side) -> u8 {
        self.score[side.index()]
    }

    /// South's points minus North's.
    pub fn margin(&self) -> i16 {
        i16::from(self.score[0]) - i16::from(self.score[1])
    }

    /// The square of the animal that must go on jumping.
    pub fn continuing(&self) -> Option<Square> {
        self.continuing
    }

    /// The squares of `side`'s animals.
    pub fn occupied(&self, side: Side) -> u32 {
        self.sides[side.index()]
    }

    /// The free squares.
    pub fn empty(&self) -> u32 {
        !(self.sides[0] | self.sides[1])
    }

    /// Who and what stands on `square`.
    pub fn at(&self, square: Square) -> Option<(Side, Animal)> {
        let side = if self.sides[0] & square.bit() != 0 {
            Side::First
        } else if self.sides[1] & square.bit() != 0 {
            Side::Second
        } else {
            return None;
        };
        Some((side, self.animal_on(square)))
    }

    /// The animals of `side` with their squares, in the order of the squares.
    pub fn animals(&self, side: Side) -> impl Iterator<Item = (Square, Animal)> {
        squares(self.occupied(side)).map(|square| (square, self.animal_on(square)))
    }

    /// The same position with the scores left out. What can still be won or lost does not depend
    /// on them.
    pub fn without_scores(&self) -> Position {
        Position { score: [0; 2], ..*self }
    }

    /// The animal on an occupied square.
    pub(super) fn animal_on(&self, square: Square) -> Animal {
        let bit = |plane: usize| (self.strength[plane] >> square.0 & 1) as usize;
        let strength = bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3;
        debug_assert!((1..=12).contains(&strength), "no animal on {square}");
        Animal::ALL[strength - 1]
    }

    pub(super) fn put(&mut self, square: Square, side: Side, animal: Animal) {
        self.sides[side.index()] |= square.bit();
        for (plane, mask) in self.strength.iter_mut().enumerate() {
            *mask |= u32::from(animal.strength() >> plane & 1) << square.0;
        }
    }

    pub(super) fn remove(&mut self, square: Square) {
        let keep = !square.bit();
        self.sides.iter_mut().for_each(|mask| *mask &= keep);
        self.strength.iter_mut().for_each(|mask| *mask &= keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_by_rank_and_only_dark() {
        assert_eq!(Square::at(0, 0).unwrap().index(), 0);
        assert_eq!(Square::at(7, 7).unwrap().index(), 31);
        assert_eq!(Square::at(1, 0), None, "b1 is light");
        assert_eq!(Square::at(8, 0), None);
        for index in 0..Square::COUNT {
            let square = Square::new(index);
            assert_eq!(Square::at(square.file(), square.rank()), Some(square));
            let turned = square.seen_by(Side::Second);
            assert_eq!((turned.file(), turned.rank()), (7 - square.file(), 7 - square.rank()));
        }
        assert_eq!(Square::at(2, 4).unwrap().to_string(), "c5");
    }

    #[test]
    fn steps_and_jumps_agree_with_files_and_ranks() {
        for square in squares(u32::MAX) {
            for (side, up) in [(Side::First, 1), (Side::Second, -1)] {
                for (east, right) in [(false, -1), (true, 1)] {
                    let ahead = |far: i32| {
                        let file = usize::try_from(square.file() as i32 + far * right).ok()?;
                        let rank = usize::try_from(square.rank() as i32 + far * up).ok()?;
                        Square::at(file, rank)
                    };
                    let one = step(square.bit(), side, east);
                    assert_eq!(one, ahead(1).map_or(0, Square::bit), "{square} {side:?} {east}");
                    assert_eq!(step(one, side, east), ahead(2).map_or(0, Square::bit));
                    if let Some(two) = ahead(2) {
                        assert_eq!(Some(square.between(two)), ahead(1));
                        assert_eq!(step(one, side.other(), !east), square.bit());
                    }
                }
            }
        }
    }

    #[test]
    fn intelligence_is_thirteen_minus_strength() {
        assert_eq!(Animal::ALL.iter().map(|a| u32::from(a.intelligence())).sum::<u32>(), 78);
        for animal in Animal::ALL {
            assert_eq!(animal.strength() + animal.intelligence(), 13);
            assert_eq!(Animal::from_letter(animal.letter()), Some(animal));
        }
        assert_eq!(Animal::from_letter('x'), None);
    }

    #[test]
    fn what_is_put_can_be_read_and_removed() {
        let mut position = Position::start();
        for (index, animal) in Animal::ALL.into_iter().enumerate() {
            position.put(Square::new(index), Side::First, animal);
            position.put(Square::new(31 - index), Side::Second, animal);
        }
        for (index, animal) in Animal::ALL.into_iter().enumerate() {
            assert_eq!(position.at(Square::new(index)), Some((Side::First, animal)));
            assert_eq!(position.at(Square::new(31 - index)), Some((Side::Second, animal)));
        }
        for square in squares(u32::MAX) {
            position.remove(square);
        }
        assert_eq!(position, Position::start());
    }
}
