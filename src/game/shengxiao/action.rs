//! One action as a compact code that sorts, and as what it means. The code is free of the
//! position: a walk names its animal, not its first square.

use super::board::Animal;
use super::geometry::Direction;

/// One action. `Ord` is the order in which legal actions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(u16);

/// What an action means. Directions are those in which the other animal lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Walk {
        animal: Animal,
        to: u8,
    },
    /// `gap`: one empty square lies between.
    Push {
        toward: Direction,
        gap: bool,
    },
    Swap {
        toward: Direction,
    },
    Bite {
        toward: Direction,
    },
    /// The partner lies to the east or the west; `files` > 0 is to the east.
    Shift {
        east: bool,
        files: i8,
        exchange: bool,
    },
    Pull {
        toward: Direction,
    },
    End,
}

const PUSH: u16 = 12 * 64;
const SWAP: u16 = PUSH + 8;
const BITE: u16 = SWAP + 4;
const SHIFT: u16 = BITE + 4;
/// Slides are stored plus this, so that they are not negative.
const SLIDE: u16 = 32;
const SHIFTS_PER_SIDE: u16 = 2 * 2 * SLIDE;
const PULL: u16 = SHIFT + 2 * SHIFTS_PER_SIDE;
const END: u16 = PULL + 4;

impl Action {
    /// The code, below 1,045.
    pub fn code(self) -> u16 {
        self.0
    }

    /// What the action means.
    pub fn deed(self) -> Deed {
        let direction = |offset: u16| Direction::ALL[usize::from(offset % 4)];
        match self.0 {
            code @ 0..PUSH => {
                Deed::Walk { animal: Animal::ALL[usize::from(code / 64)], to: (code % 64) as u8 }
            }
            code @ PUSH..SWAP => {
                Deed::Push { toward: direction((code - PUSH) / 2), gap: (code - PUSH) % 2 == 1 }
            }
            code @ SWAP..BITE => Deed::Swap { toward: direction(code - SWAP) },
            code @ BITE..SHIFT => Deed::Bite { toward: direction(code - BITE) },
            code @ SHIFT..PULL => {
                let rest = (code - SHIFT) % SHIFTS_PER_SIDE;
                Deed::Shift {
                    east: code - SHIFT < SHIFTS_PER_SIDE,
                    files: (rest / 2) as i8 - SLIDE as i8,
                    exchange: rest % 2 == 1,
                }
            }
            code @ PULL..END => Deed::Pull { toward: direction(code - PULL) },
            _ => Deed::End,
        }
    }
}

impl From<Deed> for Action {
    fn from(deed: Deed) -> Action {
        Action(match deed {
            Deed::Walk { animal, to } => animal as u16 * 64 + u16::from(to),
            Deed::Push { toward, gap } => PUSH + toward as u16 * 2 + u16::from(gap),
            Deed::Swap { toward } => SWAP + toward as u16,
            Deed::Bite { toward } => BITE + toward as u16,
            Deed::Shift { east, files, exchange } => {
                let side = if east { 0 } else { SHIFTS_PER_SIDE };
                let slide = (i16::from(files) + SLIDE as i16) as u16;
                SHIFT + side + slide * 2 + u16::from(exchange)
            }
            Deed::Pull { toward } => PULL + toward as u16,
            Deed::End => END,
        })
    }
}

impl Deed {
    /// The deed on a board whose files are counted from the other edge; `mirror` does that to a
    /// square.
    pub fn mirrored(self, mirror: impl Fn(u8) -> u8) -> Deed {
        match self {
            Deed::Walk { animal, to } => Deed::Walk { animal, to: mirror(to) },
            Deed::Push { toward, gap } => Deed::Push { toward: toward.mirrored(), gap },
            Deed::Swap { toward } => Deed::Swap { toward: toward.mirrored() },
            Deed::Bite { toward } => Deed::Bite { toward: toward.mirrored() },
            Deed::Shift { east, files, exchange } => {
                Deed::Shift { east: !east, files: -files, exchange }
            }
            Deed::Pull { toward } => Deed::Pull { toward: toward.mirrored() },
            Deed::End => Deed::End,
        }
    }

    /// The deed on a board turned by 180° with `squares` squares.
    pub fn turned(self, squares: u8) -> Deed {
        match self {
            Deed::Walk { animal, to } => Deed::Walk { animal, to: squares - 1 - to },
            Deed::Push { toward, gap } => Deed::Push { toward: toward.opposite(), gap },
            Deed::Swap { toward } => Deed::Swap { toward: toward.opposite() },
            Deed::Bite { toward } => Deed::Bite { toward: toward.opposite() },
            Deed::Shift { east, files, exchange } => {
                Deed::Shift { east: !east, files: -files, exchange }
            }
            Deed::Pull { toward } => Deed::Pull { toward: toward.opposite() },
            Deed::End => Deed::End,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_means_one_deed() {
        for code in 0..=END {
            let action = Action(code);
            assert_eq!(Action::from(action.deed()), action, "{code}: {:?}", action.deed());
        }
    }
}
