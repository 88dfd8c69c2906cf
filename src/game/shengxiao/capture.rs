//! Encirclement, as in Go: groups without an empty square beside them are taken off.

use super::Shengxiao;
use super::board::{Animal, Position};
use crate::game::Side;

/// A group of one side's orthogonally connected animals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The squares it stands on.
    pub members: u64,
    /// The empty squares beside it.
    pub liberties: u64,
}

impl Shengxiao {
    /// The squares of a side's groups that have no liberty.
    #[inline]
    pub(crate) fn breathless(&self, position: &Position, side: Side) -> u64 {
        let own = position.stands[side.index()];
        let empty = self.geometry.board & !position.occupied();
        let mut alive = own & self.geometry.spread(empty);
        loop {
            let more = alive | own & self.geometry.spread(alive);
            if more == alive {
                return own & !alive;
            }
            alive = more;
        }
    }

    /// Takes off what is encircled after an action of the acting side: enemy groups first, then
    /// own ones. Marks of taken animals go with them.
    #[inline]
    pub(super) fn encircle(&self, position: &mut Position) {
        for side in [position.side.other(), position.side] {
            let dead = self.breathless(position, side);
            if dead != 0 {
                take_off(position, side, dead);
            }
        }
    }

    /// The groups of a side.
    pub(crate) fn groups(&self, position: &Position, side: Side) -> impl Iterator<Item = Group> {
        let empty = self.geometry.board & !position.occupied();
        let mut left = position.stands[side.index()];
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let mut members = left & left.wrapping_neg();
            loop {
                let more = members | left & self.geometry.spread(members);
                if more == members {
                    break;
                }
                members = more;
            }
            left &= !members;
            Some(Group { members, liberties: self.geometry.spread(members) & empty })
        })
    }
}

#[cold]
fn take_off(position: &mut Position, side: Side, dead: u64) {
    for animal in Animal::ALL {
        if position.place(side, animal) & dead == 0 {
            continue;
        }
        position.lift(side, animal);
        for marks in [&mut position.moved, &mut position.held, &mut position.bitten] {
            marks[side.index()] &= !animal.flag();
        }
    }
    position.encircled = true;
}
