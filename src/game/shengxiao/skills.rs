//! The skills: what each would move, or what stands in its way. Who may act at all, and what the
//! move brings about, are questions for `turn`.

use super::Shengxiao;
use super::action::Deed;
use super::board::{Animal, Animals, Position};
use super::geometry::{Direction, OFF, bit, squares};
use crate::game::Side;

/// An animal on its way to a square (which may be the one it stands on).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub side: Side,
    pub animal: Animal,
    pub to: u8,
}

/// Why a skill is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The animal whose skill it is was taken off the board.
    Gone,
    /// The way leads off the board.
    Edge,
    /// Nobody stands on this square.
    Nobody(u8),
    /// Somebody stands on this square, which must be empty.
    Taken(u8),
    /// The enemy on this square is joined, and the acting animal is not motivated.
    Joined(u8),
    /// The animal on this square was bitten.
    Bitten(u8),
    /// The animal on this square was displaced in this turn already.
    Displaced(u8),
    /// The side bit in its last turn.
    BiteBan,
    /// The enemy dragon swapped with this one in the last turn.
    SwapBan,
    /// A slide by nothing without a change of places.
    Idle,
    /// Somebody stands beside the two both before and after the slide.
    Watched,
}

impl Shengxiao {
    /// The square of the acting side's animal.
    #[inline]
    fn actor(&self, position: &Position, animal: Animal) -> Result<u8, Obstacle> {
        match position.square(position.side, animal) {
            OFF => Err(Obstacle::Gone),
            square => Ok(square),
        }
    }

    /// The next square in a direction.
    #[inline]
    fn beyond(&self, from: u8, direction: Direction) -> Result<u8, Obstacle> {
        match self.geometry.step(direction, from) {
            OFF => Err(Obstacle::Edge),
            square => Ok(square),
        }
    }

    /// The next square in a direction, if it is on the board and empty.
    #[inline]
    fn free(&self, position: &Position, from: u8, direction: Direction) -> Result<u8, Obstacle> {
        let square = self.beyond(from, direction)?;
        if position.occupied() & bit(square) != 0 {
            return Err(Obstacle::Taken(square));
        }
        Ok(square)
    }

    /// Who stands on `square`, if a skill of the animal on `actor` may move it.
    #[inline]
    fn movable(
        &self,
        position: &Position,
        actor: u8,
        square: u8,
    ) -> Result<(Side, Animal), Obstacle> {
        let (side, animal) = position.at(square).ok_or(Obstacle::Nobody(square))?;
        if position.bitten[side.index()] & animal.flag() != 0 {
            return Err(Obstacle::Bitten(square));
        }
        if side != position.side
            && self.joined(position, side) & bit(square) != 0
            && self.motivated(position, position.side) & bit(actor) == 0
        {
            return Err(Obstacle::Joined(square));
        }
        Ok((side, animal))
    }

    /// The ox and the animal in front of it both move one square.
    pub(crate) fn push(
        &self,
        position: &Position,
        toward: Direction,
        gap: bool,
    ) -> Result<[Step; 2], Obstacle> {
        let ox = self.actor(position, Animal::Ox)?;
        let first = self.beyond(ox, toward)?;
        let target = if gap {
            self.free(position, ox, toward)?;
            self.beyond(first, toward)?
        } else {
            first
        };
        let (side, animal) = self.movable(position, ox, target)?;
        let behind = self.free(position, target, toward)?;
        Ok([
            Step { side, animal, to: behind },
            Step { side: position.side, animal: Animal::Ox, to: first },
        ])
    }

    /// The dragon changes places with the animal beside it.
    pub(crate) fn swap(
        &self,
        position: &Position,
        toward: Direction,
    ) -> Result<[Step; 2], Obstacle> {
        let dragon = self.actor(position, Animal::Dragon)?;
        let target = self.beyond(dragon, toward)?;
        let (side, animal) = self.movable(position, dragon, target)?;
        if position.swap_ban && side != position.side && animal == Animal::Dragon {
            return Err(Obstacle::SwapBan);
        }
        Ok([
            Step { side, animal, to: dragon },
            Step { side: position.side, animal: Animal::Dragon, to: target },
        ])
    }

    /// The dog steps back and drags the animal in front of it onto its old square.
    pub(crate) fn bite(
        &self,
        position: &Position,
        toward: Direction,
    ) -> Result<[Step; 2], Obstacle> {
        let dog = self.actor(position, Animal::Dog)?;
        if position.bite_ban[position.side.index()] {
            return Err(Obstacle::BiteBan);
        }
        let target = self.beyond(dog, toward)?;
        let (side, animal) = self.movable(position, dog, target)?;
        let back = self.free(position, dog, toward.opposite())?;
        Ok([
            Step { side, animal, to: dog },
            Step { side: position.side, animal: Animal::Dog, to: back },
        ])
    }

    /// The pig and the animal to its left or right slide together, and may change places.
    pub(crate) fn shift(
        &self,
        position: &Position,
        east: bool,
        files: i8,
        exchange: bool,
    ) -> Result<[Step; 2], Obstacle> {
        let pig = self.actor(position, Animal::Pig)?;
        let toward = if east { Direction::East } else { Direction::West };
        let partner = self.beyond(pig, toward)?;
        let (side, animal) = self.movable(position, pig, partner)?;
        let way = if files > 0 { Direction::East } else { Direction::West };
        let (mut pig_to, mut partner_to) = (pig, partner);
        let others = position.occupied() & !(bit(pig) | bit(partner));
        for _ in 0..files.unsigned_abs() {
            pig_to = self.beyond(pig_to, way)?;
            partner_to = self.beyond(partner_to, way)?;
            let blocked = others & (bit(pig_to) | bit(partner_to));
            if let Some(square) = squares(blocked).next() {
                return Err(Obstacle::Taken(square));
            }
        }
        if exchange {
            let watched = |pair: u64| self.geometry.spread(pair) & others != 0;
            if watched(bit(pig) | bit(partner)) && watched(bit(pig_to) | bit(partner_to)) {
                return Err(Obstacle::Watched);
            }
            std::mem::swap(&mut pig_to, &mut partner_to);
        } else if files == 0 {
            return Err(Obstacle::Idle);
        }
        Ok([
            Step { side, animal, to: partner_to },
            Step { side: position.side, animal: Animal::Pig, to: pig_to },
        ])
    }

    /// The animal two squares from the hare moves beside it. Joins do not matter.
    pub(crate) fn pull(&self, position: &Position, toward: Direction) -> Result<Step, Obstacle> {
        let hare = self.actor(position, Animal::Hare)?;
        let between = self.free(position, hare, toward)?;
        let target = self.beyond(between, toward)?;
        let (side, animal) = position.at(target).ok_or(Obstacle::Nobody(target))?;
        if position.bitten[side.index()] & animal.flag() != 0 {
            return Err(Obstacle::Bitten(target));
        }
        if position.moved[side.index()] & animal.flag() != 0 {
            return Err(Obstacle::Displaced(target));
        }
        Ok(Step { side, animal, to: between })
    }

    /// Calls `visit` for each possible skill (pulls left aside) of the acting side's `actors`, in
    /// the order of their actions, until it returns true. Returns whether it did.
    pub(crate) fn visit_skills(
        &self,
        position: &Position,
        actors: Animals,
        visit: &mut impl FnMut(Deed, [Step; 2]) -> bool,
    ) -> bool {
        let may = |animal: Animal| actors & animal.flag() != 0;
        if may(Animal::Ox) {
            for toward in Direction::ALL {
                for gap in [false, true] {
                    if let Ok(steps) = self.push(position, toward, gap)
                        && visit(Deed::Push { toward, gap }, steps)
                    {
                        return true;
                    }
                }
            }
        }
        if may(Animal::Dragon) {
            for toward in Direction::ALL {
                if let Ok(steps) = self.swap(position, toward)
                    && visit(Deed::Swap { toward }, steps)
                {
                    return true;
                }
            }
        }
        if may(Animal::Dog) {
            for toward in Direction::ALL {
                if let Ok(steps) = self.bite(position, toward)
                    && visit(Deed::Bite { toward }, steps)
                {
                    return true;
                }
            }
        }
        may(Animal::Pig)
            && [true, false].into_iter().any(|east| self.visit_shifts(position, east, visit))
    }

    /// [`Self::visit_skills`] for the pig and the partner on one side of it.
    fn visit_shifts(
        &self,
        position: &Position,
        east: bool,
        visit: &mut impl FnMut(Deed, [Step; 2]) -> bool,
    ) -> bool {
        // A slide by nothing fails for want of a partner before it fails for being idle.
        match self.shift(position, east, 0, false) {
            Err(Obstacle::Idle) => {}
            _ => return false,
        }
        let most = self.geometry.width as i8 - 2;
        for files in -most..=most {
            for exchange in [false, true] {
                if let Ok(steps) = self.shift(position, east, files, exchange)
                    && visit(Deed::Shift { east, files, exchange }, steps)
                {
                    return true;
                }
            }
        }
        false
    }
}
