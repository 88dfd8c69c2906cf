//! The fixed static evaluation of Celestial Checkers, in hundredths of a point.
//!
//! While moving: 100 for each point of the difference of scores, and for each animal on the board
//! its intelligence times the chance, in percent, that it will score. The chance is [`CHANCE`], by
//! the steps it still has to go and the *capturers* before it: enemies at least as strong, on a
//! square it could still meet. Of an animal that an enemy could capture at once, [`EXPOSED`]
//! percent of the chance is left.
//!
//! The chances were counted in games of a two-ply search with this evaluation, from random placings
//! and with 5 % of the moves random (3,000 games, 3,000 with the table just found, 6,000 with the
//! next), then smoothed. At two plies the table scores about 76 % against the same chance for every animal and
//! 93 % against the difference of scores alone.
//!
//! While placing: [`PLACED`] only. Over 20,000 such games the rank of an animal was worth a quarter
//! of a point at most, so the sum is small on purpose.

use super::StaticEvaluation;
use crate::game::celestial::board::far_rank;
use crate::game::celestial::{Action, Animal, Celestial, Position, Square, moves};
use crate::game::{Game, Side};

/// Chance in percent that an animal scores: row = steps to go minus one, column = capturers before
/// it, 7 standing for more.
const CHANCE: [[i32; 8]; 7] = [
    [90, 72, 52, 44, 36, 28, 22, 16],
    [78, 68, 50, 43, 34, 28, 22, 16],
    [71, 63, 49, 40, 32, 26, 21, 15],
    [66, 60, 47, 38, 31, 26, 21, 15],
    [60, 57, 46, 38, 31, 26, 21, 15],
    [56, 55, 44, 37, 31, 26, 21, 15],
    [54, 54, 43, 36, 31, 26, 21, 15],
];

/// Percent of its chance left to an animal that could be captured at once: when the enemy is to
/// act, and when its own side is.
const EXPOSED: [i32; 2] = [3, 47];

/// Worth of a placed animal in hundredths of a point: row = strength minus one, column = its home
/// rank, nearest first. The rat and the ox belong in front, the goat, dog and horse behind.
const PLACED: [[i32; 3]; 12] = [
    [-10, -15, 25],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [10, 3, -13],
    [10, 3, -13],
    [10, 3, -13],
    [0, 0, 0],
    [0, 0, 0],
    [-25, 5, 20],
];

/// All squares that an animal of a side could ever reach from a square.
static REACH: [[u32; 32]; 2] = [reach(1), reach(-1)];

const fn reach(forward: i32) -> [u32; 32] {
    let mut reach = [0; 32];
    let mut pair = 0;
    while pair < 32 * 32 {
        let (from, to) = (pair / 32, pair % 32);
        let ranks = (to / 4 - from / 4) * forward;
        let files = (to % 4 * 2 + to / 4 % 2) - (from % 4 * 2 + from / 4 % 2);
        if ranks > 0 && files.abs() <= ranks {
            reach[from as usize] |= 1 << to;
        }
        pair += 1;
    }
    reach
}

/// What `side` may hope for on the board.
fn prospects(position: &Position, side: Side) -> i32 {
    if position.placing() {
        let placed = position.animals(side);
        return placed
            .map(|(square, animal)| PLACED[animal.index()][square.seen_by(side).rank()])
            .sum();
    }
    // Squares of the enemies at least as strong as the animal with this index.
    let mut capturers = [0u32; 13];
    for (square, animal) in position.animals(side.other()) {
        capturers[animal.index()] = square.bit();
    }
    for index in (0..12).rev() {
        capturers[index] |= capturers[index + 1];
    }
    let exposed = moves::threatened(position, side);
    let left = EXPOSED[usize::from(position.turn() == side)];
    let worth = |(square, animal): (Square, Animal)| {
        let before = REACH[side.index()][square.index()] & capturers[animal.index()];
        let steps = 7 - square.seen_by(side).rank();
        let mut chance = CHANCE[steps - 1][before.count_ones().min(7) as usize];
        if exposed & square.bit() != 0 {
            chance = chance * left / 100;
        }
        chance * i32::from(animal.intelligence())
    };
    position.animals(side).map(worth).sum()
}

impl StaticEvaluation for Celestial {
    const EVALUATION_VERSION: u32 = 1;

    fn evaluate(&self, position: &Position) -> i32 {
        let south = 100 * i32::from(position.margin()) + prospects(position, Side::First)
            - prospects(position, Side::Second);
        match self.turn(position) {
            Side::First => south,
            Side::Second => -south,
        }
    }

    /// Jumps and moves that score.
    fn is_forcing(&self, position: &Position, action: Action) -> bool {
        match action {
            Action::Place { .. } => false,
            Action::Jump { .. } => true,
            Action::Slide { to, .. } => far_rank(self.turn(position)) & to.bit() != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::celestial::board::{squares, step};
    use crate::game::celestial::playouts::playout;
    use crate::game::{Line, Notation};
    use crate::rng;
    use rand::Rng;

    fn value(text: &str) -> i32 {
        let game = Celestial::default();
        game.evaluate(&game.parse_position(text).unwrap())
    }

    #[test]
    fn reach_is_what_steps_reach() {
        for side in Side::BOTH {
            for square in squares(u32::MAX) {
                let (mut reached, mut front) = (0, square.bit());
                while front != 0 {
                    front = step(front, side, true) | step(front, side, false);
                    reached |= front;
                }
                assert_eq!(REACH[side.index()][square.index()], reached, "{side:?} {square}");
            }
        }
    }

    #[test]
    fn values_worked_out_by_hand() {
        // Points, and a rat that nobody can meet two steps from its goal: 78 % of 12 points.
        assert_eq!(value("8/8/3R4/8/8/8/8/8 s 10-4 -"), 600 + 78 * 12);
        assert_eq!(value("8/8/3R4/8/8/8/8/8 n 10-4 -"), -600 - 78 * 12);
        // The ox meets the rat without danger and exposes it; South is to act, so 3 % of 66 % are left
        // to the rat, rounded down to 1 %.
        assert_eq!(value("8/8/8/4r3/3X4/8/8/8 s 0-0 -"), 66 - 12);
        // North is to act: the rat may slip by.
        assert_eq!(value("8/8/8/4r3/3X4/8/8/8 n 0-0 -"), 60 * 47 / 100 * 12 - 66);
        // Nobody stands before the other any more.
        assert_eq!(value("8/8/8/4X3/3r4/8/8/8 s 0-0 -"), 71 - 71 * 12);
        assert_eq!(value("8/8/8/8/8/R7/8/8 n 0-0 - placing"), -25);
    }

    #[test]
    fn values_are_bounded_and_forcing_is_what_jumps_or_scores() {
        let game = Celestial::default();
        let (mut forcing, mut quiet) = (0, 0);
        for index in 0..50 {
            let playout = playout(index);
            for (pair, action) in playout.positions.windows(2).zip(&playout.actions) {
                assert!(game.evaluate(&pair[0]).abs() < 20_000);
                let side = pair[0].turn();
                let changes = pair[1].score(side) > pair[0].score(side)
                    || pair[1].occupied(side.other()) != pair[0].occupied(side.other());
                assert_eq!(game.is_forcing(&pair[0], *action), changes);
                *(if changes { &mut forcing } else { &mut quiet }) += 1;
            }
        }
        assert!(forcing > 500 && quiet > 500, "{forcing} {quiet}");
    }

    /// The best action by the value one ply ahead beats random play nearly always.
    #[test]
    fn greed_beats_chance() {
        let game = Celestial::default();
        let mut wins = 0;
        for index in 0..100 {
            let mut stream = rng::stream(3, "greedy celestial", index);
            let greedy = Side::BOTH[index as usize % 2];
            let mut line = Line::start(&game);
            while line.outcome().is_none() {
                let legal = line.legal();
                let choice = if line.turn() == greedy {
                    let after = |action: &Action| {
                        let mut next = *line.position();
                        game.play(&mut next, *action);
                        let value = game.evaluate(&next);
                        if next.turn() == greedy { value } else { -value }
                    };
                    legal.iter().copied().max_by_key(after).unwrap()
                } else {
                    legal[stream.next_u32() as usize % legal.len()]
                };
                line.play(choice);
            }
            wins += u32::from(line.outcome().unwrap().winner == Some(greedy));
        }
        println!("greedy wins {wins} of 100");
        assert!(wins >= 90, "{wins}");
    }
}
