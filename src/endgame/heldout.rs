//! Which positions are kept for measuring: one in sixteen, never used in training as starts or
//! targets. A position and its images are kept or used together.

use super::rulebook::Rulebook;
use crate::game::Side;
use crate::game::jungle::{Jungle, Position};

/// Bits of the hash that must be 0.
const BITS: u64 = 15;

impl Rulebook {
    /// Is this position for measuring only? Counts are of no account.
    pub fn is_held_out(&self, position: &Position) -> bool {
        let key = |mirrored: bool, turned: bool| image(self.game(), position, mirrored, turned);
        let mut least = key(false, false);
        if self.mirrored {
            least = least.min(key(true, false));
        }
        if self.turned {
            least = least.min(key(false, true));
        }
        if self.mirrored && self.turned {
            least = least.min(key(true, true));
        }
        // The least of several keys is not evenly spread in its high bits; its low ones are.
        least & BITS == 0
    }
}

/// The key of an image of a position.
fn image(game: &Jungle, position: &Position, mirrored: bool, turned: bool) -> u64 {
    let board = game.board();
    let animals = Side::BOTH.into_iter().flat_map(|side| {
        position.animals(side).map(move |(kind, square)| {
            let square = if mirrored { board.mirrored(square) } else { square };
            let square = if turned { board.turned(square) } else { square };
            (if turned { side.other() } else { side }, kind, square)
        })
    });
    let turn = position.turn();
    let turn = if turned { turn.other() } else { turn };
    game.assemble(animals, 0, turn.index() as u32).key()
}
