//! Who stands where, and what is remembered of this turn and the last: plain data. The rules that
//! change it live in `turn` and `capture`.

use super::geometry::{OFF, bit};
use crate::game::Side;

/// The animals of the zodiac, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Animal {
    Rat,
    Ox,
    Tiger,
    Hare,
    Dragon,
    Snake,
    Horse,
    Goat,
    Monkey,
    Rooster,
    Dog,
    Pig,
}

impl Animal {
    pub const ALL: [Animal; 12] = [
        Animal::Rat,
        Animal::Ox,
        Animal::Tiger,
        Animal::Hare,
        Animal::Dragon,
        Animal::Snake,
        Animal::Horse,
        Animal::Goat,
        Animal::Monkey,
        Animal::Rooster,
        Animal::Dog,
        Animal::Pig,
    ];

    pub fn index(self) -> usize {
        self as usize
    }

    /// The animal's bit in an [`Animals`] set.
    #[inline]
    pub fn flag(self) -> Animals {
        1 << self as u16
    }

    /// The letter of the position text, in the case of its side.
    pub fn letter(self, side: Side) -> char {
        let letter = ['R', 'X', 'T', 'H', 'N', 'S', 'O', 'G', 'M', 'K', 'D', 'P'][self.index()];
        match side {
            Side::First => letter,
            Side::Second => letter.to_ascii_lowercase(),
        }
    }

    /// The side and animal of a letter.
    pub fn from_letter(letter: char) -> Option<(Side, Animal)> {
        let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
        Self::ALL
            .into_iter()
            .find(|animal| animal.letter(side) == letter)
            .map(|found| (side, found))
    }

    pub fn name(self) -> &'static str {
        [
            "rat", "ox", "tiger", "hare", "dragon", "snake", "horse", "goat", "monkey", "rooster",
            "dog", "pig",
        ][self.index()]
    }

    pub fn emoji(self) -> &'static str {
        ["🐀", "🐂", "🐅", "🐇", "🐉", "🐍", "🐎", "🐐", "🐒", "🐓", "🐕", "🐖"][self.index()]
    }
}

/// A set of one side's animals: bit n is `Animal::ALL[n]`.
pub type Animals = u16;

/// How a game was won on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Win {
    /// The loser's rat was encircled.
    Encircled,
    /// The winner's rat stands on its goal rank.
    Goal,
    /// The loser's rat has an enemy beside it that was brought there.
    Caught,
}

/// Where a turn stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing was done yet.
    Start,
    /// The hare was displaced and may pull: pulls or `end`.
    Pulls,
    /// The rooster was displaced: animals beside it may act, or `end`.
    Chain,
    /// Won; the side to act is the one that acted last.
    Over { winner: Side, win: Win },
}

/// A position: the board, the marks of the last turn, and what was done in this one.
///
/// Arrays of two stand for the sides in the order of [`Side::index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The square of each animal, [`OFF`] where it was taken off.
    pub(crate) squares: [[u8; 12]; 2],
    /// The squares that each side stands on; agrees with `squares`.
    pub(crate) stands: [u64; 2],
    /// Who acts.
    pub(crate) side: Side,
    pub(crate) phase: Phase,
    /// Turns since the last encirclement.
    pub(crate) quiet: u16,
    /// Animals that were displaced in this turn. Whoever acts is displaced, so these are also the
    /// animals that acted.
    pub(crate) moved: [Animals; 2],
    /// Pulled by the enemy: may not act by themselves until their side's next turn is over.
    pub(crate) held: [Animals; 2],
    /// Bitten by the enemy: may neither act nor be moved until their side's next turn is over.
    pub(crate) bitten: [Animals; 2],
    /// The side bit in its last turn and may not bite in its present or next one.
    pub(crate) bite_ban: [bool; 2],
    /// The acting side's dragon was swapped by the enemy dragon and may not swap with it now.
    pub(crate) swap_ban: bool,
    /// The acting side bit in this turn.
    pub(crate) bit: bool,
    /// The acting side's dragon swapped with the enemy dragon in this turn.
    pub(crate) swapped: bool,
    /// A group was taken off in this turn.
    pub(crate) encircled: bool,
}

impl Position {
    /// An empty board.
    pub(crate) fn empty() -> Position {
        Position {
            squares: [[OFF; 12]; 2],
            stands: [0; 2],
            side: Side::First,
            phase: Phase::Start,
            quiet: 0,
            moved: [0; 2],
            held: [0; 2],
            bitten: [0; 2],
            bite_ban: [false; 2],
            swap_ban: false,
            bit: false,
            swapped: false,
            encircled: false,
        }
    }

    /// The square of an animal, [`OFF`] where it was taken off.
    #[inline]
    pub fn square(&self, side: Side, animal: Animal) -> u8 {
        self.squares[side.index()][animal.index()]
    }

    /// The bit of an animal's square, 0 where it was taken off.
    #[inline]
    pub(crate) fn place(&self, side: Side, animal: Animal) -> u64 {
        let square = self.square(side, animal);
        if square == OFF { 0 } else { bit(square) }
    }

    /// All squares that are stood on.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.stands[0] | self.stands[1]
    }

    /// Who stands on a square.
    pub fn at(&self, square: u8) -> Option<(Side, Animal)> {
        if self.occupied() & bit(square) == 0 {
            return None;
        }
        let side = if self.stands[0] & bit(square) != 0 { Side::First } else { Side::Second };
        let found = self.squares[side.index()].iter().position(|&at| at == square)?;
        Some((side, Animal::ALL[found]))
    }

    /// Puts an animal that is off the board onto an empty square.
    #[inline]
    pub(crate) fn put(&mut self, side: Side, animal: Animal, square: u8) {
        self.squares[side.index()][animal.index()] = square;
        self.stands[side.index()] |= bit(square);
    }

    /// Lifts an animal off the board, marks and all else unchanged.
    #[inline]
    pub(crate) fn lift(&mut self, side: Side, animal: Animal) {
        self.stands[side.index()] &= !self.place(side, animal);
        self.squares[side.index()][animal.index()] = OFF;
    }

    /// The squares of a set of animals, those off the board left aside.
    pub(crate) fn places(&self, side: Side, animals: Animals) -> u64 {
        Animal::ALL
            .into_iter()
            .filter(|animal| animals & animal.flag() != 0)
            .fold(0, |mask, animal| mask | self.place(side, animal))
    }

    /// The animals that stand on a set of squares.
    pub(crate) fn animals_on(&self, side: Side, mask: u64) -> Animals {
        Animal::ALL
            .into_iter()
            .filter(|&animal| self.place(side, animal) & mask != 0)
            .fold(0, |animals, animal| animals | animal.flag())
    }

    /// The same board at the start of `side`'s turn, without marks and bans.
    pub(crate) fn unmarked(&self, side: Side) -> Position {
        Position { squares: self.squares, stands: self.stands, side, ..Position::empty() }
    }
}
