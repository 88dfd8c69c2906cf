//! How a network sees a game: position → planes and globals, action ↔ policy index, symmetries of
//! the rule record. Versioned; knows no network.
//!
//! Everything is seen by the actor: the board is turned so that the acting side plays up, and own
//! comes before enemy. The rule options are inputs, so that one network can play all rule sets.

mod celestial;
mod jungle;
mod shengxiao;

use crate::game::Game;

/// The sizes of what a codec writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    pub width: usize,
    pub height: usize,
    /// Input planes.
    pub planes: usize,
    /// Input numbers that belong to no square.
    pub globals: usize,
    /// Policy planes: codes tied to a square are `square × policy_planes + plane`.
    pub policy_planes: usize,
    /// Policy codes tied to no square; they come after the others.
    pub extra_codes: usize,
    /// Does the game have points? Then the network gets a head for their difference.
    pub margin: bool,
}

/// For messages: `a board of 7 × 9 (32 planes, 51 numbers, 252 codes)`.
impl std::fmt::Display for Shape {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { width, height, planes, globals, .. } = self;
        let codes = self.codes();
        write!(
            out,
            "a board of {width} × {height} ({planes} planes, {globals} numbers, {codes} codes)"
        )
    }
}

impl Shape {
    pub fn squares(&self) -> usize {
        self.width * self.height
    }

    /// Number of policy codes.
    pub fn codes(&self) -> usize {
        self.squares() * self.policy_planes + self.extra_codes
    }

    /// Numbers in one encoded position's planes.
    pub fn plane_values(&self) -> usize {
        self.squares() * self.planes
    }
}

/// A game that a network can see.
pub trait Encode: Game {
    /// Changes whenever the meaning of an input or of a code changes.
    const CODEC_VERSION: u32;

    fn shape(&self) -> Shape;

    /// Writes what the actor sees: `planes` is `[squares][planes]` (channels last; square =
    /// row × width + column, row 0 nearest the actor), `globals` is `[globals]`. Both come
    /// zeroed. `repetitions`: how often the position occurred before.
    fn encode(
        &self,
        position: &Self::Position,
        repetitions: u32,
        planes: &mut [f32],
        globals: &mut [f32],
    );

    /// The policy code of an action that is legal in `position`, below `shape().codes()`.
    /// Different legal actions of a position have different codes.
    fn code(&self, position: &Self::Position, action: Self::Action) -> usize;

    /// Number of symmetries of the rule record, the identity (number 0) included.
    fn symmetries(&self) -> usize {
        1
    }

    /// The position under symmetry number `symmetry`.
    fn transform(&self, position: &Self::Position, symmetry: usize) -> Self::Position {
        assert_eq!(symmetry, 0, "this game has no symmetry but the identity");
        position.clone()
    }

    /// The action under symmetry number `symmetry`.
    fn transform_action(&self, action: Self::Action, symmetry: usize) -> Self::Action {
        assert_eq!(symmetry, 0, "this game has no symmetry but the identity");
        action
    }
}
