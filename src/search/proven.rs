//! MCTS-solver: what is proven of a position, and how proofs travel up.
//!
//! A proof may rest on the history before its node (repetition). It holds in the tree where it was
//! found, where each node has one path, and must never be carried to another.

use super::{Proven, Wdl};
use crate::game::Side;
use std::cmp::Ordering;

/// A result that no play can change, and how far away it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// Actions until the game ends, as far as is known: a shorter win may exist.
    pub plies: u32,
}

impl Proof {
    /// The proof as `actor` sees it.
    pub fn pov(self, actor: Side) -> Proven {
        match self.winner {
            None => Proven::Draw,
            Some(winner) if winner == actor => Proven::Win,
            Some(_) => Proven::Loss,
        }
    }

    /// The certain result.
    pub fn wdl(self) -> Wdl {
        Wdl::of(self.winner)
    }

    /// Which of two proven positions `actor` would rather reach (`Greater`: this one): wins before
    /// draws before losses, a quick win, a slow loss.
    pub fn compare(self, other: Proof, actor: Side) -> Ordering {
        let rank = |proof: Proof| match proof.pov(actor) {
            Proven::Win => (2, -i64::from(proof.plies)),
            Proven::Draw => (1, 0),
            Proven::Loss => (0, i64::from(proof.plies)),
        };
        rank(self).cmp(&rank(other))
    }
}

/// What the proofs after each of `actor`'s actions prove of the position: a win as soon as one
/// action wins, otherwise the best once all are proven.
pub fn combine(actor: Side, children: impl Iterator<Item = Option<Proof>>) -> Option<Proof> {
    let mut best: Option<Proof> = None;
    let mut open = false;
    for child in children {
        let Some(proof) = child else {
            open = true;
            continue;
        };
        if best.is_none_or(|best| proof.compare(best, actor) == Ordering::Greater) {
            best = Some(proof);
        }
    }
    let best = best?;
    if open && best.pov(actor) != Proven::Win {
        return None;
    }
    Some(Proof { winner: best.winner, plies: best.plies + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Option<Side> = Some(Side::First);
    const SECOND: Option<Side> = Some(Side::Second);

    fn proof(winner: Option<Side>, plies: u32) -> Option<Proof> {
        Some(Proof { winner, plies })
    }

    #[test]
    fn one_win_is_enough_and_the_shortest_counts() {
        let children = [None, proof(FIRST, 6), proof(SECOND, 0), proof(FIRST, 2)];
        assert_eq!(combine(Side::First, children.into_iter()), proof(FIRST, 3));
        // For the other side the same children leave all open but a win.
        assert_eq!(combine(Side::Second, children.into_iter()), proof(SECOND, 1));
    }

    #[test]
    fn without_a_win_all_must_be_proven() {
        assert_eq!(combine(Side::First, [None, proof(None, 1)].into_iter()), None);
        assert_eq!(combine(Side::First, [None, proof(SECOND, 1)].into_iter()), None);
        assert_eq!(combine(Side::First, std::iter::empty()), None);
    }

    #[test]
    fn a_draw_before_a_loss_and_the_slowest_loss() {
        let children = [proof(SECOND, 9), proof(None, 1), proof(SECOND, 2)];
        assert_eq!(combine(Side::First, children.into_iter()), proof(None, 2));
        let children = [proof(SECOND, 4), proof(SECOND, 8), proof(SECOND, 2)];
        assert_eq!(combine(Side::First, children.into_iter()), proof(SECOND, 9));
    }
}
