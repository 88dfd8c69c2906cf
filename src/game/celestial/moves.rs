//! What is legal, what an action does, and when a game has ended.
//!
//! All animals of a side are asked at once: a bitboard answers who can slide or jump which way.

use super::board::{Animal, Position, Square, far_rank, home, squares, step};
use crate::game::{ActionList, Outcome, Side};

/// One action. The order is that of the variants, then of their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Puts an animal from the hand onto a home square.
    Place { animal: Animal, square: Square },
    /// One step diagonally forward onto an empty square.
    Slide { from: Square, to: Square },
    /// Over an adjacent enemy, which is captured, onto the empty square behind it.
    Jump { from: Square, to: Square },
}

impl Action {
    /// From where to where an animal moves; `None` for a placement.
    pub fn path(self) -> Option<(Square, Square)> {
        match self {
            Action::Place { .. } => None,
            Action::Slide { from, to } | Action::Jump { from, to } => Some((from, to)),
        }
    }
}

/// Who can go which way: the squares of the animals that can, to the west and to the east.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    pub west: u32,
    pub east: u32,
}

impl Ways {
    fn any(self) -> bool {
        self.west | self.east != 0
    }
}

/// Animals of `side` that could slide, whether or not a jump forbids it.
#[inline]
pub fn slides(position: &Position, side: Side) -> Ways {
    let own = position.occupied(side);
    let empty = position.empty();
    let way = |east: bool| own & step(empty, side.other(), !east);
    Ways { west: way(false), east: way(true) }
}

/// Animals of `side` that could jump.
#[inline]
pub fn jumps(position: &Position, side: Side) -> Ways {
    let own = position.occupied(side);
    let enemy = position.occupied(side.other());
    let empty = position.empty();
    let way = |east: bool| {
        let back = |mask| step(mask, side.other(), !east);
        let candidates = own & back(enemy & back(empty));
        if candidates == 0 {
            return 0;
        }
        // Compares, on every square at once, the strength there with that of the animal ahead,
        // from the highest bit down.
        let (mut stronger, mut equal) = (0, u32::MAX);
        for &bits in position.strength.iter().rev() {
            let ahead = back(bits);
            stronger |= equal & bits & !ahead;
            equal &= !(bits ^ ahead);
        }
        candidates & (stronger | equal)
    };
    Ways { west: way(false), east: way(true) }
}

/// The squares of `side`'s animals that the other side could capture if it were to act.
pub fn threatened(position: &Position, side: Side) -> u32 {
    let ways = jumps(position, side.other());
    step(ways.west, side.other(), false) | step(ways.east, side.other(), true)
}

/// Where the animal on `from` arrives when it goes `steps` squares (1 or 2) in a way it can.
fn ahead(from: Square, side: Side, east: bool, steps: u32) -> Square {
    let mask = (0..steps).fold(from.bit(), |mask, _| step(mask, side, east));
    Square::new(mask.trailing_zeros() as usize)
}

/// Clears `out` and fills it with the legal actions, sorted.
pub(super) fn actions(position: &Position, out: &mut ActionList<Action>) {
    out.clear();
    let side = position.turn;
    if position.placing() {
        let free = home(side) & position.empty();
        let hand = position.hand(side);
        for animal in Animal::ALL.into_iter().filter(|animal| hand >> animal.index() & 1 == 1) {
            out.extend(squares(free).map(|square| Action::Place { animal, square }));
        }
        return;
    }
    let able = position.continuing.map_or(u32::MAX, Square::bit);
    let jumps = jumps(position, side);
    if jumps.any() {
        for from in squares((jumps.west | jumps.east) & able) {
            for (ways, east) in [(jumps.west, false), (jumps.east, true)] {
                if ways & from.bit() != 0 {
                    out.push(Action::Jump { from, to: ahead(from, side, east, 2) });
                }
            }
        }
        return;
    }
    let slides = slides(position, side);
    for from in squares(slides.west | slides.east) {
        for (ways, east) in [(slides.west, false), (slides.east, true)] {
            if ways & from.bit() != 0 {
                out.push(Action::Slide { from, to: ahead(from, side, east, 1) });
            }
        }
    }
}

/// Plays a legal action.
pub(super) fn play(position: &mut Position, action: Action) {
    let side = position.turn;
    let (from, to) = match action {
        Action::Place { animal, square } => {
            position.put(square, side, animal);
            position.hand[side.index()] &= !(1 << animal.index());
            // North places last and moves first.
            position.turn = if position.placing() { side.other() } else { Side::Second };
            return;
        }
        Action::Slide { from, to } => (from, to),
        Action::Jump { from, to } => {
            position.remove(from.between(to));
            (from, to)
        }
    };
    let animal = position.animal_on(from);
    position.remove(from);
    position.continuing = None;
    if far_rank(side) & to.bit() != 0 {
        position.score[side.index()] += animal.intelligence();
    } else {
        position.put(to, side, animal);
        if matches!(action, Action::Jump { .. }) && can_jump(position, to) {
            position.continuing = Some(to);
            return;
        }
    }
    position.turn = side.other();
}

/// Can the animal of the acting side on `square` jump?
pub(super) fn can_jump(position: &Position, square: Square) -> bool {
    let ways = jumps(position, position.turn);
    (ways.west | ways.east) & square.bit() != 0
}

/// The result, once the side to move has no legal move.
pub(super) fn outcome(position: &Position) -> Option<Outcome> {
    let side = position.turn;
    if position.placing() || slides(position, side).any() || jumps(position, side).any() {
        return None;
    }
    let reason = match (side, position.occupied(side) == 0) {
        (Side::First, true) => "South had no animal left to move",
        (Side::First, false) => "South's animals were all blocked",
        (Side::Second, true) => "North had no animal left to move",
        (Side::Second, false) => "North's animals were all blocked",
    };
    let margin = position.margin();
    let winner = match margin {
        1.. => Some(Side::First),
        0 => None,
        _ => Some(Side::Second),
    };
    Some(Outcome { winner, margin, reason })
}
