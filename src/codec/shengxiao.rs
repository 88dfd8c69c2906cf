//! How a network sees shengxiao: planes and globals as the actor sees them, the policy codes, the
//! left–right mirror.
//!
//! North's view is turned by 180°, directions included. A walk is its animal on the target square;
//! skills and `end` belong to the acting animal and are codes without a square.

use super::{Encode, Shape};
use crate::game::shengxiao::{Action, Animal, Deed, Phase, Position, Shengxiao, squares};
use crate::game::{Game, Side};

/// Input planes, in this order. "Own" is the actor's side.
mod plane {
    /// 12 planes, one for each own animal.
    pub const OWN: usize = 0;
    /// 12 planes, one for each enemy animal.
    pub const ENEMY: usize = 12;
    /// From here on each plane has its own number; pairs are own, then enemy.
    pub const HELD: usize = 24;
    pub const BITTEN: usize = 26;
    /// Displaced in this turn (whoever acted is displaced).
    pub const MOVED: usize = 28;
    pub const MOTIVATED: usize = 30;
    pub const JOINED: usize = 32;
    /// Animals of groups with exactly one empty square beside them.
    pub const ONE_LIBERTY: usize = 34;
    /// Animals of groups with exactly two.
    pub const TWO_LIBERTIES: usize = 36;
    /// Empty squares that some animal of the side can walk to, marks and turn order left aside.
    pub const REACH: usize = 38;
    /// Squares beside the side's rat.
    pub const BESIDE_RAT: usize = 40;
    /// The side's goal rank.
    pub const GOAL: usize = 42;
    /// Own animals that may walk or use their skill now.
    pub const ACTORS: usize = 44;
    /// Own side of the border line.
    pub const HOME: usize = 45;
    /// The last rank before the line, for both sides.
    pub const LINE: usize = 46;
    /// Ones on the board, so that the edges show.
    pub const ONES: usize = 47;
    pub const COUNT: usize = 48;
}

/// Inputs that belong to no square, in the order in which `encode` writes them.
const GLOBALS: usize = 20;

/// Codes without a square before the shifts: pushes, swaps, bites.
const PUSHES: usize = 8;
const SWAPS: usize = 4;
const BITES: usize = 4;
const PULLS: usize = 4;

impl Shengxiao {
    /// Slides of a shift: from one file less than the width to the west, to as many to the east.
    fn slides(&self) -> usize {
        2 * self.geometry.width - 1
    }

    /// The number of squares.
    fn area(&self) -> usize {
        self.geometry.width * self.geometry.height
    }

    /// The square as `actor` sees it.
    fn seen(&self, actor: Side, square: u8) -> usize {
        match actor {
            Side::First => usize::from(square),
            Side::Second => self.area() - 1 - usize::from(square),
        }
    }
}

impl Encode for Shengxiao {
    const CODEC_VERSION: u32 = 1;

    fn shape(&self) -> Shape {
        Shape {
            width: self.geometry.width,
            height: self.geometry.height,
            planes: plane::COUNT,
            globals: GLOBALS,
            policy_planes: Animal::ALL.len(),
            extra_codes: PUSHES + SWAPS + BITES + 4 * self.slides() + PULLS + 1,
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
        let actor = self.turn(position);
        let mut mark = |plane: usize, mask: u64| {
            for square in squares(mask) {
                planes[self.seen(actor, square) * plane::COUNT + plane] = 1.0;
            }
        };
        for (index, side) in [actor, actor.other()].into_iter().enumerate() {
            let first = [plane::OWN, plane::ENEMY][index];
            let mut reach = 0;
            for animal in Animal::ALL {
                mark(first + animal.index(), position.place(side, animal));
                reach |= self.walks(position, side, animal);
            }
            mark(plane::REACH + index, reach);
            mark(plane::HELD + index, position.places(side, position.held[side.index()]));
            mark(plane::BITTEN + index, position.places(side, position.bitten[side.index()]));
            mark(plane::MOVED + index, position.places(side, position.moved[side.index()]));
            mark(plane::MOTIVATED + index, self.motivated(position, side));
            mark(plane::JOINED + index, self.joined(position, side));
            for group in self.groups(position, side) {
                match group.liberties.count_ones() {
                    1 => mark(plane::ONE_LIBERTY + index, group.members),
                    2 => mark(plane::TWO_LIBERTIES + index, group.members),
                    _ => {}
                }
            }
            let rat = position.place(side, Animal::Rat);
            mark(plane::BESIDE_RAT + index, self.geometry.spread(rat));
            mark(plane::GOAL + index, self.geometry.goal[side.index()]);
        }
        mark(plane::ACTORS, position.places(actor, self.actors(position)));
        mark(plane::HOME, self.geometry.board & !self.geometry.beyond[actor.index()]);
        mark(plane::LINE, self.geometry.last[0] | self.geometry.last[1]);
        mark(plane::ONES, self.geometry.board);

        let flag = |set: bool| if set { 1.0 } else { 0.0 };
        let rules = self.options();
        let height = f32::from(rules.height);
        let left = rules.quiet_turns.saturating_sub(position.quiet);
        let on_board = |side: Side| position.stands[side.index()].count_ones() as f32 / 12.0;
        // Ranks of the rules as the actor counts them, from 1.
        let turned = |rank: u8| f32::from(rules.height + 1 - rank);
        let (own_goal, enemy_goal, border) = match actor {
            Side::First => {
                (f32::from(rules.goal_south), f32::from(rules.goal_north), f32::from(rules.border))
            }
            Side::Second => {
                (turned(rules.goal_north), turned(rules.goal_south), turned(rules.border + 1))
            }
        };
        let numbers: [f32; GLOBALS] = [
            flag(position.bite_ban[actor.index()]),
            flag(position.bite_ban[actor.other().index()]),
            flag(position.swap_ban),
            flag(position.phase == Phase::Pulls),
            flag(position.phase == Phase::Chain),
            flag(position.bit),
            flag(position.swapped),
            flag(position.encircled),
            f32::from(position.quiet) / f32::from(rules.quiet_turns),
            // The last turns before the draw, when each one matters.
            f32::from(left.min(8)) / 8.0,
            flag(repetitions >= 1),
            (repetitions as f32 / f32::from(rules.repetitions - 1)).min(1.0),
            on_board(actor),
            on_board(actor.other()),
            own_goal / height,
            enemy_goal / height,
            border / height,
            f32::from(rules.repetitions.min(8)) / 8.0,
            f32::from(rules.quiet_turns.min(400)) / 400.0,
            1.0,
        ];
        globals.copy_from_slice(&numbers);
    }

    fn code(&self, position: &Position, action: Action) -> usize {
        let deed = match self.turn(position) {
            Side::First => action.deed(),
            Side::Second => action.deed().turned(self.area() as u8),
        };
        let walks = self.area() * Animal::ALL.len();
        let swaps = walks + PUSHES;
        let bites = swaps + SWAPS;
        let shifts = bites + BITES;
        let pulls = shifts + 4 * self.slides();
        match deed {
            Deed::Walk { animal, to } => usize::from(to) * Animal::ALL.len() + animal.index(),
            Deed::Push { toward, gap } => walks + 2 * toward as usize + usize::from(gap),
            Deed::Swap { toward } => swaps + toward as usize,
            Deed::Bite { toward } => bites + toward as usize,
            Deed::Shift { east, files, exchange } => {
                let slide = (files + self.geometry.width as i8 - 1) as usize;
                let kind = 2 * usize::from(!east) + usize::from(exchange);
                shifts + kind * self.slides() + slide
            }
            Deed::Pull { toward } => pulls + toward as usize,
            Deed::End => pulls + PULLS,
        }
    }

    /// The identity and the left–right mirror.
    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, position: &Position, symmetry: usize) -> Position {
        if symmetry == 0 {
            return *position;
        }
        let mut mirrored = *position;
        for side in Side::BOTH {
            for animal in Animal::ALL {
                mirrored.lift(side, animal);
            }
            for animal in Animal::ALL {
                for square in squares(position.place(side, animal)) {
                    mirrored.put(side, animal, self.geometry.mirror(square));
                }
            }
        }
        mirrored
    }

    fn transform_action(&self, action: Action, symmetry: usize) -> Action {
        if symmetry == 0 {
            return action;
        }
        action.deed().mirrored(|square| self.geometry.mirror(square)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::shengxiao::Rules;
    use crate::game::{Line, Notation};
    use crate::rng::stream;
    use rand::RngExt;
    use std::collections::HashSet;

    fn visit_games(games: u64, mut visit: impl FnMut(&Shengxiao, &Position, &[Action])) {
        let game = Shengxiao::new(Rules::default()).unwrap();
        for index in 0..games {
            let mut random = stream(11, "codec", index);
            let mut line = Line::start(&game);
            while line.outcome().is_none() {
                let legal = line.legal();
                visit(&game, line.position(), &legal);
                line.play(legal[random.random_range(0..legal.len())]);
            }
        }
    }

    fn encoded(game: &Shengxiao, position: &Position) -> (Vec<f32>, Vec<f32>) {
        let shape = game.shape();
        let mut planes = vec![0.0; shape.plane_values()];
        let mut globals = vec![0.0; shape.globals];
        game.encode(position, 1, &mut planes, &mut globals);
        (planes, globals)
    }

    #[test]
    fn the_shape_is_that_of_the_rules_text() {
        let shape = Shengxiao::new(Rules::default()).unwrap().shape();
        assert_eq!((shape.extra_codes, shape.codes()), (65, 785));
        assert_eq!(shape.planes % 8, 0);
    }

    #[test]
    fn legal_actions_have_different_codes_within_the_shape() {
        visit_games(60, |game, position, legal| {
            let codes: HashSet<usize> =
                legal.iter().map(|&action| game.code(position, action)).collect();
            assert_eq!(codes.len(), legal.len());
            assert!(codes.iter().all(|&code| code < game.shape().codes()));
        });
    }

    #[test]
    fn the_mirror_maps_legal_actions_and_their_results() {
        visit_games(60, |game, position, legal| {
            let mirrored = game.transform(position, 1);
            assert_eq!(game.transform(&mirrored, 1), *position);
            let mut there = Vec::new();
            game.actions(&mirrored, &mut there);
            let mut mapped: Vec<Action> =
                legal.iter().map(|&action| game.transform_action(action, 1)).collect();
            mapped.sort();
            assert_eq!(mapped, there);
            for &action in legal {
                let (mut here, mut there) = (*position, mirrored);
                game.play(&mut here, action);
                game.play(&mut there, game.transform_action(action, 1));
                assert_eq!(game.transform(&here, 1), there);
            }
        });
    }

    #[test]
    fn the_mirrored_position_shows_mirrored_planes() {
        visit_games(3, |game, position, _| {
            let (planes, globals) = encoded(game, position);
            let (mirrored, same) = encoded(game, &game.transform(position, 1));
            assert_eq!(globals, same);
            let squares = |row: usize| {
                let row = &planes[row * 6 * plane::COUNT..(row + 1) * 6 * plane::COUNT];
                row.chunks(plane::COUNT).rev().flatten().copied().collect::<Vec<f32>>()
            };
            assert_eq!((0..10).flat_map(squares).collect::<Vec<f32>>(), mirrored);
        });
    }

    /// The same position with sides exchanged, by way of its text.
    fn exchanged(game: &Shengxiao, position: &Position) -> Option<Position> {
        let text = game.position_text(position);
        let (board, rest) = text.split_once(' ')?;
        let swap_case = |c: char| {
            if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
        };
        let board: String = board.chars().rev().map(swap_case).collect();
        let mut words = rest.split(' ');
        let side = if words.next()? == "s" { "n" } else { "s" };
        let (count, marks) = (words.next()?, words.next()?);
        if marks != "-" {
            return None;
        }
        game.parse_position(&format!("{board} {side} {count} -")).ok()
    }

    #[test]
    fn both_sides_see_the_same_board_from_their_own_end() {
        let mut compared = 0;
        visit_games(20, |game, position, legal| {
            let Some(other) = exchanged(game, position) else { return };
            assert_eq!(encoded(game, position), encoded(game, &other));
            let codes = |position: &Position, legal: &[Action]| {
                let mut codes: Vec<usize> =
                    legal.iter().map(|&action| game.code(position, action)).collect();
                codes.sort();
                codes
            };
            let mut there = Vec::new();
            game.actions(&other, &mut there);
            assert_eq!(codes(position, legal), codes(&other, &there));
            compared += 1;
        });
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn planes_show_what_they_say() {
        let game = Shengxiao::new(Rules::default()).unwrap();
        let text = "6/6/6/r5/2k3/2d3/2X1R1/1N4/6/6 s 4 held:X,bitten:N,nobite:n";
        let position = game.parse_position(text).unwrap();
        let (planes, globals) = encoded(&game, &position);
        let ones = |plane: usize| -> Vec<usize> {
            (0..60).filter(|square| planes[square * plane::COUNT + plane] == 1.0).collect()
        };
        assert_eq!(ones(plane::OWN + Animal::Ox.index()), [20]);
        assert_eq!(ones(plane::ENEMY + Animal::Dog.index()), [26]);
        assert_eq!(ones(plane::HELD), [20]);
        assert_eq!(ones(plane::BITTEN), [13]);
        assert_eq!(ones(plane::MOTIVATED + 1), [26]);
        assert_eq!(ones(plane::JOINED + 1), [26, 32]);
        assert_eq!(ones(plane::ACTORS), [22]);
        assert_eq!(ones(plane::GOAL), (42..48).collect::<Vec<usize>>());
        assert_eq!(ones(plane::BESIDE_RAT), [16, 21, 23, 28]);
        assert_eq!(ones(plane::ONES).len(), 60);
        assert_eq!(globals[..3], [0.0, 1.0, 0.0]);
        assert_eq!(globals[8], 0.04);
    }
}
