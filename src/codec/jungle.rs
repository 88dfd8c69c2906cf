//! How a network sees Jungle: 32 planes, the rule options as numbers, moves as square and
//! direction. Everything as the mover sees it: ranks are turned for the second side, files never.

mod inputs;
#[cfg(test)]
mod tests;

use super::{Encode, Shape};
use crate::game::Side;
use crate::game::jungle::{Action, Direction, Jungle, Position};

/// The square as `actor` sees it (and back).
fn seen(game: &Jungle, actor: Side, square: u8) -> u8 {
    match actor {
        Side::First => square,
        Side::Second => game.board().turned(square),
    }
}

impl Encode for Jungle {
    const CODEC_VERSION: u32 = 1;

    fn shape(&self) -> Shape {
        let board = self.board();
        Shape {
            width: usize::from(board.width),
            height: usize::from(board.height),
            planes: inputs::PLANES,
            globals: inputs::GLOBALS,
            // A jumper that swims has a step and a jump in one direction: jumps get planes of
            // their own then.
            policy_planes: if self.has_swimming_leaper() { 8 } else { 4 },
            extra_codes: 0,
            margin: false,
        }
    }

    fn encode(
        &self,
        position: &Position,
        repetitions: u32,
        planes: &mut [f32],
        globals: &mut [f32],
    ) {
        inputs::write_planes(self, position, planes);
        inputs::write_globals(self, position, repetitions, globals);
    }

    fn code(&self, position: &Position, action: Action) -> usize {
        let (board, actor) = (self.board(), position.turn());
        let (from, to) = (seen(self, actor, action.from), seen(self, actor, action.to));
        let direction = match board.file(from).cmp(&board.file(to)) {
            std::cmp::Ordering::Greater => Direction::Left,
            std::cmp::Ordering::Less => Direction::Right,
            std::cmp::Ordering::Equal if to > from => Direction::Up,
            std::cmp::Ordering::Equal => Direction::Down,
        };
        let planes = if self.has_swimming_leaper() { 8 } else { 4 };
        let is_jump = planes == 8 && board.step(from, direction) != Some(to);
        usize::from(from) * planes + direction as usize + 4 * usize::from(is_jump)
    }

    fn symmetries(&self) -> usize {
        if self.board().is_mirror_symmetric() { 2 } else { 1 }
    }

    fn transform(&self, position: &Position, symmetry: usize) -> Position {
        assert!(symmetry < self.symmetries(), "there is no symmetry number {symmetry}");
        if symmetry == 0 {
            return position.clone();
        }
        let animals = Side::BOTH.into_iter().flat_map(|side| {
            let mirrored = move |(kind, square)| (side, kind, self.board().mirrored(square));
            position.animals(side).map(mirrored)
        });
        self.assemble(animals, position.no_capture(), position.ply())
    }

    fn transform_action(&self, action: Action, symmetry: usize) -> Action {
        assert!(symmetry < self.symmetries(), "there is no symmetry number {symmetry}");
        if symmetry == 0 {
            return action;
        }
        let board = self.board();
        Action { from: board.mirrored(action.from), to: board.mirrored(action.to) }
    }
}
