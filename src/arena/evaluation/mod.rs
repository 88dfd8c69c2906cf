//! The fixed static evaluation behind `greedy` and `alphabeta`: the yardstick of every
//! measurement. Its weights stand in the docs; its version goes onto every measurement.

mod celestial;
mod jungle;
mod shengxiao;

use crate::game::Game;

/// A game with a fixed static evaluation.
pub trait StaticEvaluation: Game {
    /// Changes whenever any position's score or any action's class changes.
    const EVALUATION_VERSION: u32;

    /// The position's score in hundredths of the game's unit (a weak animal, a point), as the
    /// acting side sees it, between -20,000 and 20,000. Asked only of positions that have not
    /// ended.
    fn evaluate(&self, position: &Self::Position) -> i32;

    /// Would leaving this action out of a quiescence search miss something (captures, threats of
    /// an immediate win)? Such actions must run out: they cannot follow each other for ever.
    fn is_forcing(&self, position: &Self::Position, action: Self::Action) -> bool;
}
