//! One byte for a value and its distance.
//!
//! Where only the winner can make the last move, wins have odd distances and losses even ones, so
//! the distance alone tells them apart and reaches twice as far. With `equal: both_die` a side can
//! give away its last animal, and wins and losses get half of the bytes each.

use super::{Exact, Value};

/// No position: two animals on one square.
pub const HOLE: u8 = 0;
pub const DRAW: u8 = 1;
/// Drawn because the side to move has no move: counted apart.
pub const STUCK: u8 = 2;
/// Not yet known; never in a finished table.
pub const UNKNOWN: u8 = 3;
/// The code of distance 0.
const ZERO: u8 = 4;
/// Distances of wins, and as many of losses, where both parities occur.
const HALF: u8 = 126;

/// How bytes are read under a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Wins odd, losses even.
    Alternating,
    /// Wins first, losses behind them.
    Free,
}

impl Code {
    /// The longest distance that fits.
    pub fn longest(self) -> u32 {
        match self {
            Code::Alternating => u32::from(u8::MAX - ZERO),
            Code::Free => u32::from(HALF) - 1,
        }
    }

    /// The byte of a win in `plies`, at most [`Code::longest`] (odd if alternating).
    pub fn win(self, plies: u32) -> u8 {
        debug_assert!(self == Code::Free || plies % 2 == 1, "a win in {plies}");
        ZERO + plies as u8
    }

    /// The byte of a loss in `plies`, at most [`Code::longest`] (even if alternating).
    pub fn loss(self, plies: u32) -> u8 {
        match self {
            Code::Alternating => {
                debug_assert!(plies.is_multiple_of(2), "a loss in {plies}");
                ZERO + plies as u8
            }
            Code::Free => ZERO + HALF + plies as u8,
        }
    }

    /// What a byte says; `None` for holes and what is unknown.
    #[inline]
    pub fn read(self, byte: u8) -> Option<Exact> {
        let far = u32::from(byte.wrapping_sub(ZERO));
        let (value, plies) = match (byte, self) {
            (HOLE | UNKNOWN, _) => return None,
            (DRAW | STUCK, _) => (Value::Draw, 0),
            (_, Code::Alternating) if far % 2 == 1 => (Value::Win, far),
            (_, Code::Alternating) => (Value::Loss, far),
            (_, Code::Free) if far < u32::from(HALF) => (Value::Win, far),
            (_, Code::Free) => (Value::Loss, far - u32::from(HALF)),
        };
        Some(Exact { value, plies })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_fits_is_read_back() {
        for code in [Code::Alternating, Code::Free] {
            for plies in 0..=code.longest() {
                if code == Code::Free || plies % 2 == 1 {
                    let win = Some(Exact { value: Value::Win, plies });
                    assert_eq!(code.read(code.win(plies)), win);
                }
                if code == Code::Free || plies % 2 == 0 {
                    let loss = Some(Exact { value: Value::Loss, plies });
                    assert_eq!(code.read(code.loss(plies)), loss);
                }
            }
            for byte in [DRAW, STUCK] {
                assert_eq!(code.read(byte), Some(Exact { value: Value::Draw, plies: 0 }));
            }
            assert_eq!((code.read(HOLE), code.read(UNKNOWN)), (None, None));
        }
        assert_eq!((Code::Alternating.longest(), Code::Free.longest()), (251, 125));
    }
}
