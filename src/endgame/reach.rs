//! Where animals may go, as sets for pairs of animals.
//!
//! Whatever keeps an animal from a square is one other animal: one that stands there, or one that
//! blocks a jump. So its moves among many are the intersection of its moves beside each one alone,
//! and those are asked of the rules engine once. No rule is written down here.

use crate::game::Side;
use crate::game::jungle::{Jungle, Kind, bits};

const SQUARES: usize = 64;

/// The sets for the animals of one signature.
#[derive(Debug)]
pub struct Reach {
    count: usize,
    /// By mover, other, square of the mover, square of the other: where the mover may go.
    targets: Vec<u64>,
    /// By mover, other, square of the mover, square of the other: from where it may have come
    /// without capturing.
    origins: Vec<u64>,
}

impl Reach {
    /// For animals that stand on these grounds.
    pub fn new(game: &Jungle, animals: &[(Side, Kind)], grounds: &[Vec<u8>; 8]) -> Reach {
        let count = animals.len();
        let mut targets = vec![0; count * count * SQUARES * SQUARES];
        let mut origins = vec![0; count * count * SQUARES * SQUARES];
        for (mover, &(side, kind)) in animals.iter().enumerate() {
            for (other, &(other_side, other_kind)) in animals.iter().enumerate() {
                if mover == other {
                    continue;
                }
                let base = (mover * count + other) * SQUARES * SQUARES;
                for &there in &grounds[other_kind.index()] {
                    for &from in grounds[kind.index()].iter().filter(|&&from| from != there) {
                        let pair = [(side, kind, from), (other_side, other_kind, there)];
                        let reached = game.targets(&game.assemble(pair, 0, 0), side, from);
                        targets[base + usize::from(from) * SQUARES + usize::from(there)] = reached;
                        for to in bits(reached & !(1 << there)) {
                            origins[base + usize::from(to) * SQUARES + usize::from(there)] |=
                                1 << from;
                        }
                    }
                }
            }
        }
        Reach { count, targets, origins }
    }

    /// Bytes of the sets for so many animals.
    pub fn bytes(count: usize) -> u64 {
        let sets = 2 * count * count * SQUARES * SQUARES;
        (sets * size_of::<u64>()) as u64
    }

    /// Where animal `mover` may go, captures and dens included. There are at least two animals.
    #[inline]
    pub fn targets(&self, squares: &[u8], mover: usize) -> u64 {
        self.meet(&self.targets, squares, mover)
    }

    /// From where animal `mover` may have come by its last move, had it not captured.
    #[inline]
    pub fn origins(&self, squares: &[u8], mover: usize) -> u64 {
        self.meet(&self.origins, squares, mover)
    }

    #[inline]
    fn meet(&self, sets: &[u64], squares: &[u8], mover: usize) -> u64 {
        let mut set = u64::MAX;
        let at = usize::from(squares[mover]);
        for (other, &there) in squares.iter().enumerate().take(self.count) {
            if other != mover {
                let pair = (mover * self.count + other) * SQUARES * SQUARES;
                set &= sets[pair + at * SQUARES + usize::from(there)];
            }
        }
        set
    }
}
