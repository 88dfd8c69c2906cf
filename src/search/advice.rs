//! What is known of a position without an evaluator: the end of the game, or an oracle's word.

use super::Wdl;
use super::proven::Proof;
use super::tree::Tree;
use crate::game::{Game, Side};

/// An oracle's answer that holds but for counts and repetition, which can only make it a draw.
#[derive(Clone, Copy, Debug)]
pub struct Hint {
    /// Who wins if nothing comes between.
    winner: Side,
}

impl Hint {
    /// The evaluator's opinion with what is impossible made a draw, and half of the weight on the
    /// oracle's word.
    pub fn weigh(self, opinion: Wdl) -> Wdl {
        let Wdl { first, draw, second } = opinion;
        match self.winner {
            Side::First => {
                Wdl { first: 0.5 + 0.5 * first, draw: 0.5 * (draw + second), second: 0.0 }
            }
            Side::Second => {
                Wdl { first: 0.0, draw: 0.5 * (draw + first), second: 0.5 + 0.5 * second }
            }
        }
    }
}

impl<G: Game> Tree<G> {
    /// What is certain of a position, and what is likely. History stands at the position.
    pub(super) fn known(&self, position: &G::Position) -> (Option<Proof>, Option<Hint>) {
        if let Some(outcome) = self.game.outcome(position, &self.history) {
            return (Some(Proof { winner: outcome.winner, plies: 0 }), None);
        }
        let asked = self.oracle.as_ref().and_then(|oracle| oracle.ask(position, &self.history));
        let Some(advice) = asked else { return (None, None) };
        let winner = advice.exact.value.winner(self.game.turn(position));
        if advice.proven {
            return (Some(Proof { winner, plies: advice.exact.plies }), None);
        }
        (None, winner.map(|winner| Hint { winner }))
    }
}
