//! How a game ends at the start of a turn: repetition, the count, no action, in this order. Wins on
//! the board are found by `turn` when they happen.

use super::Shengxiao;
use super::board::{Phase, Position, Win};
use crate::game::{History, Occurrence, Outcome, Side};

/// Note of an occurrence: Second is to act (else First).
const SECOND_ACTS: u8 = 1;
/// Note of an occurrence: the side that is not to act threatens the rat of the one that is.
const THREATENED: u8 = 2;

/// Folds a word into a hash; for a fixed hash, different words give different results.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    let mut x = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Four sets of twelve animals, or fewer, as a word.
#[inline]
fn pack(first: [u16; 2], second: [u16; 2]) -> u64 {
    [first[0], first[1], second[0], second[1]]
        .into_iter()
        .fold(0, |word, set| word << 16 | u64::from(set))
}

/// What repetition compares: animals, side to act, marks and bans.
pub(super) fn repetition_key(position: &Position) -> u64 {
    let [south, north] = position.squares;
    let mut hash = 0;
    for chunk in south.chunks(8).chain(north.chunks(8)) {
        hash = mix(hash, chunk.iter().fold(0, |word, &at| word << 8 | u64::from(at)));
    }
    hash = mix(hash, pack(position.held, position.bitten));
    let bans = u64::from(position.bite_ban[0])
        | u64::from(position.bite_ban[1]) << 1
        | u64::from(position.swap_ban) << 2;
    mix(hash, bans << 1 | position.side.index() as u64)
}

/// A hash of everything in the position.
pub(super) fn full_hash(position: &Position) -> u64 {
    let phase = match position.phase {
        Phase::Start => 0,
        Phase::Pulls => 1,
        Phase::Chain => 2,
        Phase::Over { winner, win } => 3 + 2 * win as u64 + winner.index() as u64,
    };
    let flags = u64::from(position.bit)
        | u64::from(position.swapped) << 1
        | u64::from(position.encircled) << 2;
    let hash = mix(repetition_key(position), pack(position.moved, [0, position.quiet]));
    mix(hash, phase << 3 | flags)
}

impl Shengxiao {
    /// See [`crate::game::Game::occurrence`]; the note says who acts and whether it is threatened.
    pub(super) fn occurrence_of(&self, position: &Position) -> Option<Occurrence> {
        if position.phase != Phase::Start {
            return None;
        }
        let acts = if position.side == Side::Second { SECOND_ACTS } else { 0 };
        let threatened = self.threatens(position, position.side.other());
        Some(Occurrence {
            key: repetition_key(position),
            // An encirclement leaves fewer animals than any position before it had.
            fresh: position.quiet == 0,
            note: acts | if threatened { THREATENED } else { 0 },
        })
    }

    /// See [`crate::game::Game::outcome`].
    pub(super) fn outcome_of(&self, position: &Position, history: &History) -> Option<Outcome> {
        match position.phase {
            Phase::Over { winner, win } => {
                let reason = match win {
                    Win::Encircled => "the rat was encircled",
                    Win::Goal => "the rat reached its goal",
                    Win::Caught => "the rat was caught",
                };
                return Some(Outcome::win(winner, reason));
            }
            Phase::Pulls | Phase::Chain => return None,
            Phase::Start => {}
        }
        if let Some(outcome) = self.repetition(history.counted()) {
            return Some(outcome);
        }
        if position.quiet >= self.rules.quiet_turns {
            return Some(Outcome::draw("nothing was encircled for too long"));
        }
        if !self.can_act(position, self.actors(position)) {
            return Some(Outcome::win(position.side.other(), "the other side has no action"));
        }
        None
    }

    /// The result by repetition of the last of these occurrences.
    fn repetition(&self, occurrences: &[Occurrence]) -> Option<Outcome> {
        let (last, before) = occurrences.split_last()?;
        let times = 1 + before.iter().filter(|entry| entry.key == last.key).count();
        if times < usize::from(self.rules.repetitions) {
            return None;
        }
        let previous = before.iter().rposition(|entry| entry.key == last.key)?;
        let between = &occurrences[previous..];
        let threatened_always = |side: Side| {
            let acts = if side == Side::Second { SECOND_ACTS } else { 0 };
            between
                .iter()
                .filter(|entry| entry.note & SECOND_ACTS == acts)
                .all(|entry| entry.note & THREATENED != 0)
        };
        Some(match Side::BOTH.map(threatened_always) {
            [true, false] => {
                Outcome::win(Side::First, "the other side repeated its threats to the rat")
            }
            [false, true] => {
                Outcome::win(Side::Second, "the other side repeated its threats to the rat")
            }
            _ => Outcome::draw("the position was repeated"),
        })
    }
}
