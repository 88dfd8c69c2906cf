//! Tree search that stops at every leaf it wants evaluated: no threads, no device, no clock inside.
//!
//! Values are kept for a fixed side ([`Wdl`]) and turned to the actor's view ([`WdlPov`]) in one
//! typed place.

mod advice;
pub mod cache;
pub mod driver;
pub mod evaluator;
mod expand;
pub mod formulas;
pub mod gumbel;
mod node;
pub mod noise;
pub mod proven;
pub mod puct;
mod report;
pub mod rollout;
pub mod settings;
mod simulate;
mod standing;
mod tree;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod toy;

pub use driver::{Round, make, make_with, search_once};
pub use settings::{LookAhead, SearchKind, SearchSettings};
pub use tree::tree_bytes;

use crate::game::{Game, Line, Side};
use evaluator::{Evaluation, Leaf};

/// Chances of win, draw and loss as the acting side sees them; they sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WdlPov {
    pub win: f32,
    pub draw: f32,
    pub loss: f32,
}

impl WdlPov {
    pub const WIN: WdlPov = WdlPov { win: 1.0, draw: 0.0, loss: 0.0 };
    pub const DRAW: WdlPov = WdlPov { win: 0.0, draw: 1.0, loss: 0.0 };
    pub const LOSS: WdlPov = WdlPov { win: 0.0, draw: 0.0, loss: 1.0 };

    /// Value from -1 (lost) to 1 (won); a draw is exactly 0.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// The same chances for a fixed side, seen from `actor`.
    pub fn fixed(self, actor: Side) -> Wdl {
        match actor {
            Side::First => Wdl { first: self.win, draw: self.draw, second: self.loss },
            Side::Second => Wdl { first: self.loss, draw: self.draw, second: self.win },
        }
    }
}

/// Chances that `First` wins, that the game is drawn, that `Second` wins; they sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Wdl {
    pub first: f32,
    pub draw: f32,
    pub second: f32,
}

impl Wdl {
    /// The certain result of a finished game.
    pub fn of(winner: Option<Side>) -> Wdl {
        match winner {
            Some(Side::First) => Wdl { first: 1.0, draw: 0.0, second: 0.0 },
            Some(Side::Second) => Wdl { first: 0.0, draw: 0.0, second: 1.0 },
            None => Wdl { first: 0.0, draw: 1.0, second: 0.0 },
        }
    }

    /// The same chances as `actor` sees them.
    pub fn pov(self, actor: Side) -> WdlPov {
        match actor {
            Side::First => WdlPov { win: self.first, draw: self.draw, loss: self.second },
            Side::Second => WdlPov { win: self.second, draw: self.draw, loss: self.first },
        }
    }
}

/// How much to search, and how.
///
/// Visits count the simulations after the root's own evaluation, so the visits of the root's
/// actions sum to them unless the root is proven first, or has one action only and nothing is to be
/// explored. With 0 visits the prior decides, beside actions that end the game at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Simulations in all.
    pub visits: u32,
    /// Leaves that one gather may ask for (k > 1 uses virtual loss). The result depends on it.
    pub leaves: u32,
    /// Exploration noise at the root: on in self-play, off in play.
    pub explore: bool,
    /// Seed of the search's own stream.
    pub seed: u64,
}

/// What a search wants after `gather`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has added this many leaves (at least one) and waits for their evaluations.
    Waiting(usize),
    /// It is done (visits spent, or the root proven): ask for the report.
    Done,
}

/// A search that stops at every leaf it wants evaluated.
pub trait Search<G: Game>: Send {
    /// Starts anew at `root`, which must not have ended.
    fn begin(&mut self, root: &Line<G>, plan: &Plan);

    /// Runs until leaves are wanted or the search is done; adds the leaves to `leaves`.
    fn gather(&mut self, leaves: &mut Vec<Leaf<G>>) -> Status;

    /// Takes the evaluations of the leaves of the last `gather`, in their order.
    fn apply(&mut self, evaluations: &[Evaluation]);

    /// What was found.
    fn report(&self) -> Report<G>;

    /// Evaluations since the search was made that could not be used as they were (no finite logit
    /// on a legal action, chances that are none): the policy was taken as uniform, or the value as
    /// even.
    fn fallbacks(&self) -> u64 {
        0
    }
}

/// What is proven of a position, as the actor sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Proven {
    Win,
    Draw,
    Loss,
}

/// What a search found at its root. Actions stand in the order of [`Line::actions`].
#[derive(Clone, Debug)]
pub struct Report<G: Game> {
    pub actions: Vec<ActionReport<G::Action>>,
    /// Index of the action to play when playing to win (with [`Plan::explore`] in a Gumbel search:
    /// the sampled action that came out best).
    pub best: usize,
    /// Value of the root after the search, as the actor sees it: that of playing by the policy
    /// target, exact once proven.
    pub root: WdlPov,
    /// The evaluator's own opinion of the root, as the actor sees it.
    pub raw: WdlPov,
    pub proven: Option<Proven>,
    /// The evaluator's guess of the plies left until the end.
    pub plies_left: f32,
    /// Simulations done.
    pub visits: u32,
    /// The line both sides are expected to play, from the root.
    pub expected: Vec<G::Action>,
}

/// What a search found about one root action.
#[derive(Clone, Copy, Debug)]
pub struct ActionReport<A> {
    pub action: A,
    pub visits: u32,
    pub prior: f32,
    /// Share of the policy target; sums to 1 over all actions.
    pub target: f32,
    /// Value after this action as the root's actor sees it, if it was visited.
    pub value: Option<WdlPov>,
    /// What is proven of the action, as the root's actor sees it.
    pub proven: Option<Proven>,
}
