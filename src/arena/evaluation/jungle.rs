//! The fixed static evaluation of Jungle: material by rank, the way to the enemy den, threats on
//! the dens. In hundredths of a weak animal.
//!
//! | part | score |
//! |---|---|
//! | animal, by its rank from the weakest | [`MATERIAL`] |
//! | rat while the enemy has an elephant | + [`RAT_AGAINST_ELEPHANT`] |
//! | animal next to, two and three steps from the enemy den | [`NEAR_DEN`] |
//! | each step nearer to the enemy den than the whole board | [`ADVANCE`] |
//! | animal in a trap that weakens it, an enemy next to it | − half its material |
//! | the mover can enter the den | + [`DEN_OPEN`] |
//! | the opponent could, and the mover cannot take the intruder | − [`DEN_LOST`] |
//! | an enemy two steps from the own den, no own animal as near to it | − [`DEN_UNGUARDED`] |

use super::StaticEvaluation;
use crate::game::jungle::{Action, Direction, FAR, Jungle, Kind, Position};
use crate::game::{Game, Side};

/// Worth of an animal by its rank, 0 for the weakest.
const MATERIAL: [i32; 8] = [100, 100, 150, 180, 260, 420, 480, 520];
/// The rat holds the elephant at bay.
const RAT_AGAINST_ELEPHANT: i32 = 200;
/// Bonus at 1, 2, 3 steps from the enemy den.
const NEAR_DEN: [i32; 3] = [60, 30, 15];
const ADVANCE: i32 = 4;
const DEN_OPEN: i32 = 6000;
const DEN_LOST: i32 = 3000;
const DEN_UNGUARDED: i32 = 120;
/// Won positions of tablebases and searches lie beyond.
const BOUND: i32 = 19_999;

impl StaticEvaluation for Jungle {
    const EVALUATION_VERSION: u32 = 1;

    fn evaluate(&self, position: &Position) -> i32 {
        let mover = position.turn();
        let standing = self.standing(position, mover) - self.standing(position, mover.other());
        let score = standing + self.den_threats(position, mover);
        score.clamp(-BOUND, BOUND)
    }

    fn is_forcing(&self, position: &Position, action: Action) -> bool {
        // Captures run out with the animals, and entering the den ends the game.
        let enemy = self.turn(position).other();
        (position.squares(enemy) | self.board().dens[enemy.index()]) >> action.to & 1 != 0
    }
}

/// The private parts of the evaluation.
trait Parts {
    fn standing(&self, position: &Position, side: Side) -> i32;
    fn den_threats(&self, position: &Position, mover: Side) -> i32;
    fn entrants(&self, position: &Position, side: Side) -> u64;
}

impl Parts for Jungle {
    /// Material and places of one side's animals.
    fn standing(&self, position: &Position, side: Side) -> i32 {
        let enemies = position.squares(side.other());
        let distances = self.den_distances(side.other());
        let across = i32::from(self.board().width) + i32::from(self.board().height);
        let has_elephant = position.animals(side.other()).any(|enemy| enemy.0 == Kind::Elephant);
        let mut score = 0;
        for (kind, square) in position.animals(side) {
            let mut material = MATERIAL[usize::from(self.level(kind))];
            if kind == Kind::Rat && has_elephant {
                material += RAT_AGAINST_ELEPHANT;
            }
            score += material;
            let distance = distances[usize::from(square)];
            if distance != FAR {
                score += ADVANCE * (across - i32::from(distance));
                score += match distance {
                    1..=3 => NEAR_DEN[usize::from(distance) - 1],
                    _ => 0,
                };
            }
            let enemy_near = || {
                Direction::ALL
                    .into_iter()
                    .filter_map(|direction| self.board().step(square, direction))
                    .any(|next| enemies >> next & 1 != 0)
            };
            if self.weakening(side) >> square & 1 != 0 && enemy_near() {
                score -= material / 2;
            }
        }
        score
    }

    /// What the dens are threatened with, for the side to move.
    fn den_threats(&self, position: &Position, mover: Side) -> i32 {
        if self.entrants(position, mover) != 0 {
            return DEN_OPEN;
        }
        let enemy = mover.other();
        let mut score = 0;
        let intruders = self.entrants(position, enemy);
        if intruders != 0 {
            let taken = position
                .animals(mover)
                .fold(0, |set, (_, square)| set | self.targets(position, mover, square));
            if intruders & !taken != 0 || intruders.count_ones() > 1 {
                score -= DEN_LOST;
            }
        }
        let distances = self.den_distances(mover);
        let nearest = |side: Side| {
            let steps = position.animals(side).map(|(_, square)| distances[usize::from(square)]);
            steps.min().unwrap_or(FAR)
        };
        if nearest(enemy) == 2 && nearest(mover) > 2 {
            score -= DEN_UNGUARDED;
        }
        score
    }

    /// The animals of a side that could enter the enemy den, were it to move.
    fn entrants(&self, position: &Position, side: Side) -> u64 {
        let dens = self.board().dens[side.other().index()];
        position.animals(side).fold(0, |set, (_, square)| {
            let enters = self.targets(position, side, square) & dens != 0;
            set | u64::from(enters) << square
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::jungle::Rules;
    use crate::game::{Line, Notation};
    use crate::rng;
    use rand::RngExt;

    fn standard() -> Jungle {
        Jungle::new(Rules::default()).unwrap()
    }

    fn score(text: &str) -> i32 {
        let game = standard();
        game.evaluate(&game.parse_position(text).unwrap())
    }

    #[test]
    fn the_start_is_even() {
        assert_eq!(score("l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w 0 1"), 0);
    }

    #[test]
    fn scores_worked_out_by_hand() {
        // Lion a1: 480 + 4 × (16 − 11); cat a9, likewise 11 steps from d1: 100 + 4 × 5.
        assert_eq!(score("c6/7/7/7/7/7/7/7/L6 w 0 1"), 380);
        assert_eq!(score("c6/7/7/7/7/7/7/7/L6 b 0 1"), -380);
        // The rat is worth 200 more while the elephant lives: 320 against 540.
        assert_eq!(score("e6/7/7/7/7/7/7/7/R6 w 0 1"), -220);
    }

    #[test]
    fn dens_under_threat() {
        // White enters the den; or black cannot stop it; or black's elephant takes the intruder.
        assert!(score("7/3L3/7/7/7/7/7/7/c6 w 0 1") > DEN_OPEN);
        assert!(score("7/3L3/7/7/7/7/7/7/c6 b 0 1") < -DEN_LOST);
        assert!(score("7/3Le2/7/7/7/7/7/7/7 b 0 1") > 0);
    }

    #[test]
    fn turning_the_board_turns_the_score() {
        let game = standard();
        for index in 0..20 {
            let mut stream = rng::stream(3, "evaluation test", index);
            let mut line = Line::start(&game);
            for _ in 0..150 {
                let legal = line.legal();
                if legal.is_empty() {
                    break;
                }
                let position = line.position();
                let turned = game.assemble(
                    Side::BOTH
                        .into_iter()
                        .flat_map(|side| {
                            position.animals(side).map(move |(kind, square)| (side, kind, square))
                        })
                        .map(|(side, kind, square)| {
                            (side.other(), kind, game.board().turned(square))
                        }),
                    position.no_capture(),
                    position.ply() + 1,
                );
                assert_eq!(game.evaluate(position), game.evaluate(&turned));
                assert!(game.evaluate(position).abs() <= BOUND);
                line.play(legal[stream.random_range(0..legal.len())]);
            }
        }
    }

    #[test]
    fn captures_and_the_den_are_forcing() {
        let game = standard();
        let position = game.parse_position("7/3L3/7/7/7/7/Lc5/7/7 w 0 1");
        assert!(position.is_err(), "two lions are more than the set-up has");
        let position = game.parse_position("7/3L3/7/7/7/7/Tc5/7/7 w 0 1").unwrap();
        let forcing =
            |text| game.is_forcing(&position, game.parse_action(&position, text).unwrap());
        assert!(forcing("a3b3"));
        assert!(forcing("d8d9"));
        assert!(!forcing("a3a4"));
        assert!(!forcing("d8c8"));
    }
}
