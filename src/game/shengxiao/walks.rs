//! How the twelve animals walk: the empty squares that each can reach by itself. Walking never
//! captures. Who may act at all is a question for `turn`.

use super::Shengxiao;
use super::board::{Animal, Position};
use super::geometry::{DIAGONAL, OFF, STRAIGHT, bit, squares};
use crate::game::Side;
use std::ops::Range;

impl Shengxiao {
    /// The squares on which a side's animals are motivated: all of them once the rat has come to
    /// the line, else those beside the rooster.
    #[inline]
    pub(crate) fn motivated(&self, position: &Position, side: Side) -> u64 {
        let own = position.stands[side.index()];
        if position.place(side, Animal::Rat) & self.geometry.advanced(side) != 0 {
            return own;
        }
        match position.square(side, Animal::Rooster) {
            OFF => 0,
            rooster => own & self.geometry.beside[usize::from(rooster)],
        }
    }

    /// The squares on which a side's animals have a friend beside them.
    #[inline]
    pub(crate) fn joined(&self, position: &Position, side: Side) -> u64 {
        let own = position.stands[side.index()];
        own & self.geometry.spread(own)
    }

    /// The squares that an animal can walk to; none if it is off the board.
    pub(crate) fn walks(&self, position: &Position, side: Side, animal: Animal) -> u64 {
        let from = position.square(side, animal);
        if from == OFF {
            return 0;
        }
        let (board, here) = (&*self.geometry, usize::from(from));
        let empty = board.board & !position.occupied();
        // A jumping animal is lifted first.
        let taken = position.occupied() & !bit(from);
        let motivated = || self.motivated(position, side) & bit(from) != 0;
        match animal {
            Animal::Rat => {
                let mut reach = board.beside[here];
                if bit(from) & board.last[side.index()] != 0 {
                    reach |= board.diagonal[here] & board.beyond[side.index()];
                } else if bit(from) & board.beyond[side.index()] != 0 {
                    reach |= board.diagonal[here];
                }
                reach & empty
            }
            Animal::Ox | Animal::Rooster => board.beside[here] & empty,
            Animal::Tiger => self.tiger(from, empty, motivated()),
            Animal::Hare => board.diagonal[here] & empty,
            Animal::Dragon => (board.beside[here] | board.diagonal[here]) & empty,
            Animal::Snake => DIAGONAL.fold(0, |reach, row| reach | self.slide(row, from, empty)),
            Animal::Horse => board.knight[here] & empty,
            Animal::Goat => {
                let jumps = if motivated() {
                    self.free_jumps(DIAGONAL, from, taken, true)
                } else {
                    self.straight_jumps(DIAGONAL, from, taken)
                };
                board.beside[here] & empty | jumps
            }
            Animal::Monkey => {
                let jumps = if motivated() {
                    self.free_jumps(STRAIGHT, from, taken, false)
                } else {
                    self.straight_jumps(STRAIGHT, from, taken)
                };
                board.beside[here] & empty | jumps
            }
            Animal::Dog => {
                let enemies = position.stands[side.other().index()];
                // The squares beside both ends of a diagonal step are its two corners.
                let slips = squares(board.diagonal[here] & empty)
                    .filter(|&to| board.beside[here] & board.beside[usize::from(to)] & enemies != 0)
                    .fold(0, |reach, to| reach | bit(to));
                board.beside[here] & empty | slips
            }
            Animal::Pig => {
                let sideways = self.slide(1, from, empty) | self.slide(3, from, empty);
                board.beside[here] & empty | sideways
            }
        }
    }

    /// One or two squares straight; a motivated tiger also jumps over the animal beside it.
    fn tiger(&self, from: u8, empty: u64, motivated: bool) -> u64 {
        let mut reach = 0;
        for row in STRAIGHT {
            let first = self.geometry.next(row, from);
            if first == OFF {
                continue;
            }
            let free = empty & bit(first) != 0;
            if free {
                reach |= bit(first);
            }
            let second = self.geometry.next(row, first);
            if (free || motivated) && second != OFF {
                reach |= bit(second) & empty;
            }
        }
        reach
    }

    /// The empty squares up to the first animal or the edge.
    fn slide(&self, row: usize, from: u8, empty: u64) -> u64 {
        let mut reach = 0;
        let mut at = self.geometry.next(row, from);
        while at != OFF && empty & bit(at) != 0 {
            reach |= bit(at);
            at = self.geometry.next(row, at);
        }
        reach
    }

    /// Where a jump in this direction lands, or [`OFF`]. `string`: any number of animals in an
    /// unbroken row may be jumped at once, else exactly one.
    fn landing(&self, row: usize, from: u8, taken: u64, string: bool) -> u8 {
        let mut at = self.geometry.next(row, from);
        if at == OFF || taken & bit(at) == 0 {
            return OFF;
        }
        loop {
            at = self.geometry.next(row, at);
            if at == OFF || taken & bit(at) == 0 {
                return at;
            }
            if !string {
                return OFF;
            }
        }
    }

    /// Any number of jumps in one straight direction.
    fn straight_jumps(&self, rows: Range<usize>, from: u8, taken: u64) -> u64 {
        let mut reach = 0;
        for row in rows {
            let mut at = self.landing(row, from, taken, false);
            while at != OFF {
                reach |= bit(at);
                at = self.landing(row, at, taken, false);
            }
        }
        reach
    }

    /// Any number of jumps that may change direction; ends on another square than it began.
    fn free_jumps(&self, rows: Range<usize>, from: u8, taken: u64, string: bool) -> u64 {
        let mut reach = bit(from);
        let mut frontier = reach;
        while frontier != 0 {
            let mut landed = 0;
            for at in squares(frontier) {
                for row in rows.clone() {
                    let to = self.landing(row, at, taken, string);
                    if to != OFF {
                        landed |= bit(to);
                    }
                }
            }
            frontier = landed & !reach;
            reach |= landed;
        }
        reach & !bit(from)
    }
}
