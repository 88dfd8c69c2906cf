//! "What do you think of these positions?", many at a time.

use super::WdlPov;
use crate::game::Game;

/// A position that a search wants evaluated. It has not ended.
#[derive(Clone, Debug)]
pub struct Leaf<G: Game> {
    pub position: G::Position,
    /// How often the position occurred before.
    pub repetitions: u32,
    /// [`Game::actions`] of the position: history is left aside, so that the answer can be cached.
    /// The search masks what history forbids.
    pub actions: Vec<G::Action>,
}

/// An evaluator's answer about one leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Chances as the leaf's actor sees them.
    pub value: WdlPov,
    /// Plies left until the end, a guess.
    pub plies_left: f32,
    /// Points of the actor minus points of the opponent at the end, a guess; 0 without points.
    pub margin: f32,
    /// One unnormalised log-probability for each of the leaf's actions, in their order.
    pub logits: Vec<f32>,
}

/// Why a batch could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[error("the evaluator failed: {0}")]
pub struct EvalError(pub String);

/// Gives its opinion on positions, many at a time. The opinion of a position depends on nothing
/// but the leaf: not on the batch, not on what was asked before.
pub trait Evaluator<G: Game>: Send {
    /// Clears `out` and fills it with one evaluation for each leaf, in their order.
    fn evaluate(&mut self, leaves: &[Leaf<G>], out: &mut Vec<Evaluation>) -> Result<(), EvalError>;
}

/// Knows nothing: every action alike, every position even. The anchor of tests and of the
/// untrained player.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<G: Game> Evaluator<G> for Uniform {
    fn evaluate(&mut self, leaves: &[Leaf<G>], out: &mut Vec<Evaluation>) -> Result<(), EvalError> {
        out.clear();
        out.extend(leaves.iter().map(|leaf| Evaluation {
            value: WdlPov { win: 0.25, draw: 0.5, loss: 0.25 },
            plies_left: 50.0,
            margin: 0.0,
            logits: vec![0.0; leaf.actions.len()],
        }));
        Ok(())
    }
}
