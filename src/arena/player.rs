//! Who chooses actions. The one trait behind duels, ladders and play; knows neither threads nor
//! files.

use crate::game::{Game, Line};
use crate::search::Report;
use crate::search::evaluator::EvalError;

/// An action, and what the player thought of it: for people to read, never for scoring.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<A> {
    pub action: A,
    /// Expected result from -1 (loss) to 1 (win), as the actor sees it.
    pub value: Option<f32>,
    /// Score in hundredths of the static evaluation's unit, as the actor sees it.
    pub score: Option<i32>,
    /// The line both sides are expected to play, this action first; may be empty.
    pub expected: Vec<A>,
    /// Positions looked at (a search's visits, an alpha-beta's nodes); 0 if not counted.
    pub nodes: u64,
}

impl<A> Choice<A> {
    /// A choice without reasons.
    pub fn plain(action: A) -> Self {
        Self { action, value: None, score: None, expected: Vec::new(), nodes: 0 }
    }
}

/// Why a player could not choose.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    #[error("{0} was asked for an action in a game that has ended")]
    Ended(String),
    #[error("{name}: {source}")]
    Evaluator { name: String, source: EvalError },
    #[error("{name} could not be made ready: {reason}")]
    NotReady { name: String, reason: String },
    #[error("{name} chose an action that is not legal in ply {ply}: {action}")]
    Illegal { name: String, ply: u32, action: String },
    #[error("{name}: {reason}")]
    Failed { name: String, reason: String },
}

/// Someone who chooses actions.
///
/// What is chosen depends on the seed of the last `begin` and on the line alone, never on other
/// games, on threads or on time: duels rely on it.
pub trait Player<G: Game>: Send {
    /// As it stands in tables: `alphabeta:4`.
    fn name(&self) -> String;

    /// A new game: forgets everything, takes a new seed.
    fn begin(&mut self, seed: u64);

    /// Chooses a legal action for the side to act. An error if the game has ended.
    fn choose(&mut self, line: &Line<G>) -> Result<Choice<G::Action>, PlayerError>;

    /// What the player thinks of every action; `None` if it is not of the kind that can say.
    fn analyze(&mut self, _line: &Line<G>) -> Result<Option<Report<G>>, PlayerError> {
        Ok(None)
    }

    /// Sets how many visits a choice may take; false if the player has no such level.
    fn set_visits(&mut self, _visits: u32) -> bool {
        false
    }

    /// Visits of a choice, if the player has such a level.
    fn visits(&self) -> Option<u32> {
        None
    }
}
