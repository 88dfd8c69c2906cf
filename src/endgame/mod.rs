//! Exact knowledge of endgames: tables by retrograde analysis, and probing them.
//!
//! Tables leave out what a position's past and its counts decide (repetition, `no_capture_limit`,
//! `max_plies`), as the literature does; an [`Oracle`] says for each answer whether it holds all
//! the same. Owns no search and no networks.

pub mod celestial;
mod code;
pub mod coverage;
mod index;
mod material;
pub mod probe;
mod reach;
mod rulebook;
pub mod solve;
pub mod speed;
pub mod store;
pub mod sweep;
#[cfg(test)]
mod tests;

pub use material::{Signature, SignatureError};
pub use probe::Tables;
pub use rulebook::{Rulebook, RulebookError};
pub use store::{Counts, Table};

use crate::game::{Game, History, Side, jungle};
use serde::{Deserialize, Serialize};

/// The most animals a table can have. Positions for measuring are reserved up to as many.
pub const MOST_ANIMALS: usize = jungle::MOST_RESERVED;

/// The result that the side to act can reach, and must accept, against perfect play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    Win,
    Draw,
    Loss,
}

impl Value {
    /// The same result as the opponent sees it.
    pub fn turned(self) -> Value {
        match self {
            Value::Win => Value::Loss,
            Value::Draw => Value::Draw,
            Value::Loss => Value::Win,
        }
    }

    /// Who wins when `actor` is to act; `None` is a draw.
    pub fn winner(self, actor: Side) -> Option<Side> {
        match self {
            Value::Win => Some(actor),
            Value::Draw => None,
            Value::Loss => Some(actor.other()),
        }
    }

    /// `won`, `drawn` or `lost`.
    pub fn word(self) -> &'static str {
        match self {
            Value::Win => "won",
            Value::Draw => "drawn",
            Value::Loss => "lost",
        }
    }
}

/// What a table says of a position, as the side to act sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exact {
    pub value: Value,
    /// Plies until the end when the winner hurries and the loser holds out; 0 for a draw.
    pub plies: u32,
}

impl Exact {
    /// The position before a move that led to this one, as its mover sees it.
    pub fn before(self) -> Exact {
        let plies = if self.value == Value::Draw { 0 } else { self.plies + 1 };
        Exact { value: self.value.turned(), plies }
    }

    /// How much a player likes to be here: wins before draws before losses, a quick win, a slow
    /// loss.
    pub fn rank(self) -> (i8, i64) {
        match self.value {
            Value::Win => (1, -i64::from(self.plies)),
            Value::Draw => (0, 0),
            Value::Loss => (-1, i64::from(self.plies)),
        }
    }
}

/// An oracle's answer in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    pub exact: Exact,
    /// Does it hold in this game, its past and its counts considered? If not it is a hint.
    pub proven: bool,
}

/// Someone who knows the truth about some positions.
pub trait Oracle<G: Game>: Send + Sync + std::fmt::Debug {
    /// What is known of a position that has not ended, reached with this history (which ends with
    /// the position itself); `None` if nothing is, or nothing that could be used under the rules.
    fn ask(&self, position: &G::Position, history: &History) -> Option<Advice>;
}
