//! The rule record of shengxiao: board, border, goals, set-up and limits as data, so that whoever
//! owns the original can correct them without touching code. Checked here, played elsewhere.

use crate::game::TextError;
use crate::settings::{OutOfRange, Settings};

/// The zodiac dealt in its traditional pairs, North turned by 180°.
pub const SETUP: &str = "pkgshx/dmontr/6/6/6/6/6/6/RTNOMD/XHSGKP s";

settings! {
    /// The options of shengxiao.
    pub struct Rules {
        /// Files of the board; the board has at most 64 squares.
        width: u8 = 6, in 2..=26;
        /// Ranks of the board.
        height: u8 = 10, in 2..=32;
        /// The last rank below the border line: the line runs between it and the next rank.
        border: u8 = 5, in 1..=31;
        /// The rank on which South's rat wins, beyond the line.
        goal_south: u8 = 8, in 2..=32;
        /// The rank on which North's rat wins, below the line.
        goal_north: u8 = 3, in 1..=31;
        /// The board before the first action, rows from the far rank down, then the side to act.
        setup: String = SETUP.to_string(), words "a position text without counter and marks";
        /// The occurrence of a position at which the game ends.
        repetitions: u8 = 3, in 2..=100;
        /// So many turns in a row without an encirclement draw.
        quiet_turns: u16 = 100, in 1..=10000;
    }
}

/// Why a rule record cannot be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RulesError {
    /// A value outside its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// The squares do not fit.
    #[error("a board of {width} × {height} has {squares} squares; at most 64 are possible")]
    Squares { width: u8, height: u8, squares: u32 },
    /// The border must lie between two ranks.
    #[error("`border` is {border} on a board of {height} ranks; it must lie below the last rank")]
    Border { border: u8, height: u8 },
    /// South's goal must lie beyond the line.
    #[error("`goal_south` is {goal}; it must be a rank from {from} to {to}, beyond the line")]
    GoalSouth { goal: u8, from: u8, to: u8 },
    /// North's goal must lie beyond the line, seen from North.
    #[error("`goal_north` is {goal}; it must be a rank from 1 to {to}, beyond the line")]
    GoalNorth { goal: u8, to: u8 },
    /// The set-up cannot be read.
    #[error("`setup`: {0}")]
    Setup(#[from] TextError),
}

impl Rules {
    /// Checks everything but the set-up, which needs the board to be read.
    pub(super) fn check_board(&self) -> Result<(), RulesError> {
        self.check()?;
        let squares = u32::from(self.width) * u32::from(self.height);
        if squares > 64 {
            return Err(RulesError::Squares { width: self.width, height: self.height, squares });
        }
        if self.border >= self.height {
            return Err(RulesError::Border { border: self.border, height: self.height });
        }
        if self.goal_south <= self.border || self.goal_south > self.height {
            return Err(RulesError::GoalSouth {
                goal: self.goal_south,
                from: self.border + 1,
                to: self.height,
            });
        }
        if self.goal_north > self.border {
            return Err(RulesError::GoalNorth { goal: self.goal_north, to: self.border });
        }
        Ok(())
    }
}
