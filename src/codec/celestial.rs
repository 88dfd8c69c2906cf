//! How a network sees Celestial Checkers: 8×8 squares, the light ones always zero, turned by 180°
//! for North so that the actor always goes up. There is no symmetry but the identity: the mirror
//! image puts dark squares on light ones.
//!
//! Planes: own animals one-hot by strength, rat to ox (0–11), enemy animals likewise (12–23);
//! presence of own (24) and enemy (25); strength/12 of own (26) and enemy (27); intelligence/12 of
//! own (28) and enemy (29); the square of the animal that must go on jumping (30); the actor's near
//! rank (31) and far rank (32); dark squares (33); free home squares of the actor while animals are
//! being placed (34); rank, 0 near to 1 far, on dark squares (35).
//!
//! Globals: scores/78 of own (0) and enemy (1), their difference/78 (2), own animals in hand (3–14),
//! enemy animals in hand (15–26), placing (27), continuing (28), animals on the board/12 of own (29)
//! and enemy (30).
//!
//! Codes: 64 squares × 2 ways of a move, left 0 and right 1 as the actor sees them (slide or jump
//! is decided by the position), then 12 animals × 12 home squares of placing: 272 in all. The light
//! squares send nobody, which leaves 64 + 144 = 208; of the 64, 49 stay on the board and can be
//! legal.

use super::{Encode, Shape};
use crate::game::celestial::board::{Animal, Square, far_rank, home, squares};
use crate::game::celestial::{Action, Celestial, Position};
use crate::game::{Game, Side};

const PLANES: usize = 36;
const GLOBALS: usize = 31;

const PRESENCE: usize = 24;
const STRENGTH: usize = 26;
const INTELLIGENCE: usize = 28;
const CONTINUING: usize = 30;
const NEAR: usize = 31;
const FAR: usize = 32;
const DARK: usize = 33;
const FREE_HOME: usize = 34;
const RANK: usize = 35;

/// Number of the 8×8 square on which `actor` sees a dark square: row × 8 + column.
fn seen(square: Square, actor: Side) -> usize {
    let square = square.seen_by(actor);
    square.rank() * 8 + square.file()
}

/// Every animal's strength and intelligence as a share of 12.
fn shares(animal: Animal) -> (f32, f32) {
    (f32::from(animal.strength()) / 12.0, f32::from(animal.intelligence()) / 12.0)
}

fn encode_planes(position: &Position, planes: &mut [f32]) {
    let actor = position.turn();
    let mut set = |square: Square, plane: usize, value: f32| {
        planes[seen(square, actor) * PLANES + plane] = value;
    };
    for (whose, side) in [actor, actor.other()].into_iter().enumerate() {
        for (square, animal) in position.animals(side) {
            let (strength, intelligence) = shares(animal);
            set(square, whose * 12 + animal.index(), 1.0);
            set(square, PRESENCE + whose, 1.0);
            set(square, STRENGTH + whose, strength);
            set(square, INTELLIGENCE + whose, intelligence);
        }
    }
    if let Some(square) = position.continuing() {
        set(square, CONTINUING, 1.0);
    }
    for square in squares(u32::MAX) {
        set(square, DARK, 1.0);
        set(square, RANK, square.seen_by(actor).rank() as f32 / 7.0);
    }
    for square in squares(far_rank(actor.other())) {
        set(square, NEAR, 1.0);
    }
    for square in squares(far_rank(actor)) {
        set(square, FAR, 1.0);
    }
    if position.placing() {
        for square in squares(home(actor) & position.empty()) {
            set(square, FREE_HOME, 1.0);
        }
    }
}

fn encode_globals(position: &Position, globals: &mut [f32]) {
    let sides = [position.turn(), position.turn().other()];
    let [own, enemy] = sides.map(|side| f32::from(position.score(side)) / 78.0);
    globals[..3].copy_from_slice(&[own, enemy, own - enemy]);
    for (whose, side) in sides.into_iter().enumerate() {
        for animal in position.in_hand(side) {
            globals[3 + whose * 12 + animal.index()] = 1.0;
        }
        globals[29 + whose] = position.occupied(side).count_ones() as f32 / 12.0;
    }
    globals[27] = f32::from(u8::from(position.placing()));
    globals[28] = f32::from(u8::from(position.continuing().is_some()));
}

impl Encode for Celestial {
    const CODEC_VERSION: u32 = 1;

    fn shape(&self) -> Shape {
        Shape {
            width: 8,
            height: 8,
            planes: PLANES,
            globals: GLOBALS,
            policy_planes: 2,
            extra_codes: 144,
            margin: true,
        }
    }

    fn encode(
        &self,
        position: &Position,
        _repetitions: u32,
        planes: &mut [f32],
        globals: &mut [f32],
    ) {
        encode_planes(position, planes);
        encode_globals(position, globals);
    }

    fn code(&self, position: &Position, action: Action) -> usize {
        let actor = self.turn(position);
        match action {
            // The twelve home squares are the first twelve dark squares as the actor sees them.
            Action::Place { animal, square } => {
                128 + animal.index() * 12 + square.seen_by(actor).index()
            }
            Action::Slide { from, to } | Action::Jump { from, to } => {
                let right = to.seen_by(actor).file() > from.seen_by(actor).file();
                seen(from, actor) * 2 + usize::from(right)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::game::celestial::playouts::playout;
    use std::collections::HashSet;

    fn encoded(position: &Position) -> (Vec<f32>, Vec<f32>) {
        let game = Celestial::default();
        let shape = game.shape();
        let (mut planes, mut globals) = (vec![0.0; shape.plane_values()], vec![0.0; shape.globals]);
        game.encode(position, 0, &mut planes, &mut globals);
        (planes, globals)
    }

    #[test]
    fn codes_are_unique_and_every_possible_one_occurs() {
        let game = Celestial::default();
        assert_eq!(game.shape().codes(), 272);
        let mut ever = HashSet::new();
        let mut legal = Vec::new();
        for index in 0..300 {
            for position in playout(index).positions {
                game.actions(&position, &mut legal);
                let codes: HashSet<usize> =
                    legal.iter().map(|action| game.code(&position, *action)).collect();
                assert_eq!(codes.len(), legal.len(), "{}", game.position_text(&position));
                assert!(codes.iter().all(|code| *code < 272));
                ever.extend(codes);
            }
        }
        // No move starts on the far rank, or leaves the board from file a or h: 28 squares × 2
        // ways, less 4 and 3.
        let placings = ever.iter().filter(|code| **code >= 128).count();
        assert_eq!((placings, ever.len() - placings), (144, 49));
    }

    #[test]
    fn inputs_are_bounded_and_light_squares_empty() {
        for index in 0..40 {
            for position in playout(index).positions {
                let (planes, globals) = encoded(&position);
                for value in planes.iter().chain(&globals) {
                    assert!((-1.0..=1.0).contains(value));
                }
                for (square, values) in planes.chunks(PLANES).enumerate() {
                    let dark = (square / 8 + square % 8) % 2 == 0;
                    assert_eq!(values[DARK] == 1.0, dark);
                    assert!(dark || values.iter().all(|value| *value == 0.0));
                }
            }
        }
    }

    #[test]
    fn different_positions_of_a_game_look_different() {
        for index in 0..10 {
            let positions = playout(index).positions;
            let seen: HashSet<String> =
                positions.iter().map(|position| format!("{:?}", encoded(position))).collect();
            assert_eq!(seen.len(), positions.len());
        }
    }

    /// The same situation with the colours swapped and the board turned looks the same.
    #[test]
    fn north_sees_what_south_would_see() {
        let game = Celestial::default();
        let read = |text| game.parse_position(text).unwrap();
        let south = read("8/8/5h2/8/3r4/2X5/8/O7 s 12-5 c3");
        let north = read("7o/8/5x2/4R3/8/2H5/8/8 n 5-12 f6");
        assert_eq!(encoded(&south), encoded(&north));
        let code = |position: &Position, text: &str| {
            game.code(position, game.parse_action(position, text).unwrap())
        };
        assert_eq!(code(&south, "c3e5"), (2 * 8 + 2) * 2 + 1);
        assert_eq!(code(&north, "f6d4"), (2 * 8 + 2) * 2 + 1);
        let placing = read("8/8/8/8/8/8/8/X7 n 0-0 - placing");
        assert_eq!(code(&placing, "R@h8"), 128);
        assert_eq!(code(&game.start(), "R@a1"), 128);
        assert_eq!(code(&game.start(), "X@f2"), 128 + 11 * 12 + 6);
        let (planes, globals) = encoded(&south);
        let ox = &planes[(2 * 8 + 2) * PLANES..][..PLANES];
        assert_eq!((ox[11], ox[PRESENCE], ox[STRENGTH], ox[CONTINUING]), (1.0, 1.0, 1.0, 1.0));
        assert_eq!(globals[..3], [12.0 / 78.0, 5.0 / 78.0, 12.0f32 / 78.0 - 5.0 / 78.0]);
        assert_eq!((globals[27], globals[28]), (0.0, 1.0));
    }
}
