//! The rules of shengxiao, the twelve-animal encirclement game: an original game in which the
//! animals of the zodiac walk and use their skills, groups are encircled as in Go, and the rats
//! race for their goals.
//!
//! `geometry` is the board without animals, `board` a position as plain data, `walks`, `skills`
//! and `capture` the parts of a move, `turn` its course, `outcome` the end of the game, `text`
//! and `marks` what is read and written, `words` what a person is told.

mod action;
mod board;
mod capture;
mod geometry;
mod marks;
mod outcome;
mod rules;
mod skills;
#[cfg(test)]
mod tests;
mod text;
mod turn;
mod walks;
mod words;

pub use action::{Action, Deed};
pub use board::{Animal, Animals, Phase, Position, Win};
pub use geometry::{Direction, Geometry, OFF, squares};
pub use rules::{Rules, RulesError, SETUP};

use crate::game::{ActionList, Game, History, Occurrence, Outcome, Side, TextError};
use std::sync::Arc;

/// Shengxiao under one rule record.
#[derive(Clone)]
pub struct Shengxiao {
    rules: Arc<Rules>,
    pub(crate) geometry: Arc<Geometry>,
    start: Position,
}

impl std::fmt::Debug for Shengxiao {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shengxiao").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Shengxiao {
    /// The game under these rules; an error names the key that cannot be played.
    pub fn new(rules: Rules) -> Result<Shengxiao, RulesError> {
        rules.check_board()?;
        let geometry = Arc::new(Geometry::new(&rules));
        let mut game = Shengxiao { rules: Arc::new(rules), geometry, start: Position::empty() };
        let setup = &game.rules.setup;
        if setup.split_whitespace().count() != 2 {
            let message = format!("`{setup}` must be rows and the side to act: `{SETUP}`");
            return Err(RulesError::Setup(TextError::new(message)));
        }
        game.start = game.read_position(setup)?;
        Ok(game)
    }

    /// The options that are played.
    pub fn options(&self) -> &Rules {
        &self.rules
    }
}

impl Game for Shengxiao {
    type Position = Position;
    type Action = Action;

    fn name(&self) -> &'static str {
        "shengxiao"
    }

    fn rules(&self) -> serde_json::Value {
        serde_json::to_value(&*self.rules).unwrap_or_default()
    }

    fn start(&self) -> Position {
        self.start
    }

    fn turn(&self, position: &Position) -> Side {
        position.side
    }

    fn actions(&self, position: &Position, out: &mut ActionList<Action>) {
        out.clear();
        if position.phase != Phase::Start || position.quiet < self.rules.quiet_turns {
            self.generate(position, out);
        }
    }

    fn play(&self, position: &mut Position, action: Action) {
        self.perform(position, action);
    }

    fn occurrence(&self, position: &Position) -> Option<Occurrence> {
        self.occurrence_of(position)
    }

    fn outcome(&self, position: &Position, history: &History) -> Option<Outcome> {
        self.outcome_of(position, history)
    }

    fn hash(&self, position: &Position) -> u64 {
        outcome::full_hash(position)
    }

    /// Each of at most 23 encirclements that do not end the game is preceded by fewer than
    /// `quiet_turns` turns. Every action of a turn but `end` displaces an animal for the first
    /// time, and `end` ends the turn or pulls that one of these actions allowed.
    fn longest(&self) -> Option<u32> {
        let turns = 24 * (u32::from(self.rules.quiet_turns) + 1);
        Some(turns * (24 + 12 + 1))
    }
}
