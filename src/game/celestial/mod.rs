//! Celestial Checkers: twelve zodiac animals a side on the dark squares of a checkerboard, all
//! going forward only, jumping what is not stronger, and scoring their wits on the far rank.
//!
//! No repetition and no counters: a game has at most 24 placements and 144 moves.

pub mod board;
pub mod moves;
mod refusal;
mod rules;
mod text;

#[cfg(test)]
pub(crate) mod playouts;

pub use board::{Animal, Position, Square};
pub use moves::Action;
pub use rules::Rules;

use super::{ActionList, Game, History, Occurrence, Outcome, Side};

/// The game of Celestial Checkers.
#[derive(Clone, Debug, Default)]
pub struct Celestial {
    rules: Rules,
}

impl Celestial {
    /// The game with these options.
    pub fn new(rules: Rules) -> Self {
        Self { rules }
    }
}

impl Game for Celestial {
    type Position = Position;
    type Action = Action;

    fn name(&self) -> &'static str {
        "celestial"
    }

    fn rules(&self) -> serde_json::Value {
        serde_json::to_value(self.rules).unwrap_or_default()
    }

    fn start(&self) -> Position {
        Position::start()
    }

    fn turn(&self, position: &Position) -> Side {
        position.turn()
    }

    fn actions(&self, position: &Position, out: &mut ActionList<Action>) {
        moves::actions(position, out);
    }

    fn play(&self, position: &mut Position, action: Action) {
        moves::play(position, action);
    }

    fn occurrence(&self, _position: &Position) -> Option<Occurrence> {
        None
    }

    fn outcome(&self, position: &Position, _history: &History) -> Option<Outcome> {
        moves::outcome(position)
    }

    fn longest(&self) -> Option<u32> {
        Some(168)
    }
}
