//! RULES: what a position is, which actions it has, how a game ends.
//!
//! No I/O, no floats, no randomness, no clock, and no allocation in the hot path. A game knows
//! nothing of networks or search. History (repetition) is asked of a [`Line`].

pub mod celestial;
pub mod check;
pub mod jungle;
mod line;
pub mod perft;
pub mod registry;
pub mod shengxiao;

pub use line::{History, Line, Mark, Occurrence};

use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;

/// One of the two players. `First` acts first: white of Jungle, South of the other games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    First,
    Second,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The opponent.
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for `First`, 1 for `Second`.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// Points of `First` minus points of `Second`; 0 in a game without points.
    pub margin: i16,
    /// Why, in a few words that follow "because": `a den was entered`.
    pub reason: &'static str,
}

impl Outcome {
    pub fn win(side: Side, reason: &'static str) -> Self {
        Self { winner: Some(side), margin: 0, reason }
    }

    pub fn draw(reason: &'static str) -> Self {
        Self { winner: None, margin: 0, reason }
    }
}

/// The actions of a position, in a buffer that the caller keeps.
pub type ActionList<A> = Vec<A>;

/// The rules of one game with its options chosen. Cheap to clone, shared by all threads.
///
/// The caller plays legal actions only; anything that comes from outside goes through
/// [`Notation`] or is looked up in the legal actions first.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// Plain data without history. Equality includes the counters.
    type Position: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    type Action: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// The game's name on the command line and in files: `jungle`.
    fn name(&self) -> &'static str;

    /// The resolved record of all options, keys as in the rules text; `{}` where there are none.
    fn rules(&self) -> serde_json::Value;

    /// The position before the first action.
    fn start(&self) -> Self::Position;

    /// Who acts. The same side may act several times in a row.
    fn turn(&self, position: &Self::Position) -> Side;

    /// Clears `out` and fills it with the legal actions, history left aside, sorted by `Ord`.
    /// A finished position (by [`Game::outcome`] with an empty history) has none.
    fn actions(&self, position: &Self::Position, out: &mut ActionList<Self::Action>);

    /// The number of [`Game::actions`], for games that count faster than they list.
    fn count_actions(&self, position: &Self::Position) -> u64 {
        let mut out = ActionList::new();
        self.actions(position, &mut out);
        out.len() as u64
    }

    /// Plays a legal action.
    fn play(&self, position: &mut Self::Position, action: Self::Action);

    /// What repetition compares in this position; `None` where the rules do not ask (in mid-turn,
    /// or without a repetition rule).
    fn occurrence(&self, position: &Self::Position) -> Option<Occurrence>;

    /// `Some(n)`: an action that would bring about a position for the n-th time is illegal.
    /// [`Line`] filters such actions out.
    fn forbidden_occurrence(&self) -> Option<u32> {
        None
    }

    /// Has the game ended here? The game owns the order of its tests: wins, no action,
    /// repetition, counts. `history` ends with the occurrence of `position` itself, if it has one.
    fn outcome(&self, position: &Self::Position, history: &History) -> Option<Outcome>;

    /// A 64-bit hash that agrees with equality of positions.
    fn hash(&self, position: &Self::Position) -> u64 {
        use std::hash::Hasher;
        let mut hasher = rustc_hash::FxHasher::default();
        position.hash(&mut hasher);
        hasher.finish()
    }

    /// Is this position reserved for measuring? Training plays through such positions, but neither
    /// starts from them nor learns from them. A position and its images are reserved together;
    /// counters and history are of no account.
    fn is_reserved(&self, _position: &Self::Position) -> bool {
        false
    }

    /// No game is longer than this many actions, if the rules bound it.
    fn longest(&self) -> Option<u32> {
        None
    }
}

/// A text that could not be read: what it was and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TextError(pub String);

impl TextError {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Texts of positions and actions, and what a person is shown.
pub trait Notation: Game {
    /// Reads a position text; the error quotes the text and names the field.
    fn parse_position(&self, text: &str) -> Result<Self::Position, TextError>;

    /// Writes the position text; reading it back gives an equal position.
    fn position_text(&self, position: &Self::Position) -> String;

    /// Writes an action: `a3a4`.
    fn action_text(&self, position: &Self::Position, action: Self::Action) -> String;

    /// Reads an action that is legal in `position` (history left aside). The error quotes the text
    /// and says why it is refused: what stands there, which rule forbids it.
    fn parse_action(
        &self,
        position: &Self::Position,
        text: &str,
    ) -> Result<Self::Action, TextError>;

    /// An action in words: `the rat captures the elephant on a7`.
    fn describe(&self, position: &Self::Position, action: Self::Action) -> String;

    /// The board as something to draw.
    fn sketch(&self, position: &Self::Position) -> Sketch;

    /// The animals for a legend: capital letter and name. By default those of the start.
    fn animals(&self) -> Vec<(char, &'static str)> {
        let mut animals: Vec<(char, &'static str)> = Vec::new();
        for piece in self.sketch(&self.start()).cells.into_iter().filter_map(|cell| cell.piece) {
            let letter = piece.letter.to_ascii_uppercase();
            if animals.iter().all(|known| known.0 != letter) {
                animals.push((letter, piece.name));
            }
        }
        animals
    }

    /// What [`Ground::Den`] is in this game.
    fn den_name(&self) -> &'static str {
        "den"
    }

    /// A side's name: `white`, `South`.
    fn side_name(&self, side: Side) -> &'static str;

    /// A side as the case files write it: `w`, `b`, `s`, `n`.
    fn side_letter(&self, side: Side) -> &'static str;
}

/// A board as something to draw: rows from the far rank to the near one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    pub width: usize,
    pub height: usize,
    /// `height × width` cells, far rank first.
    pub cells: Vec<Cell>,
    /// Lines of text beside the board: scores, animals in hand, counts.
    pub notes: Vec<String>,
}

/// One square of a [`Sketch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub ground: Ground,
    pub piece: Option<Piece>,
}

/// What a square is made of, for drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Land,
    Water,
    /// Trap that belongs to this side.
    Trap(Side),
    /// Den (or goal, or camp) of this side.
    Den(Side),
    /// A square that is not played on (the light squares of a checkerboard).
    Void,
}

/// An animal to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub side: Side,
    /// The letter of the position text, in the case of its side.
    pub letter: char,
    pub emoji: &'static str,
    pub name: &'static str,
}
