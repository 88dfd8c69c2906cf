//! The fixed static evaluation of shengxiao: the race of the rats, material, danger to the rats,
//! and groups short of liberties. The unit is a hundredth of a weak animal.
//!
//! | term | worth |
//! |---|---|
//! | animals | [`ANIMALS`] |
//! | the rat's ranks to its goal | [`RACE`], and [`MOTIVATED`] once it motivates its side |
//! | a group with one liberty | its owner loses [`ONE_LIBERTY_TO_ACT`] or [`ONE_LIBERTY_TO_WAIT`] percent of it |
//! | the rat's group with one or two liberties | its owner loses [`RAT_ONE_LIBERTY`], [`RAT_TWO_LIBERTIES`] |
//! | the actor can catch the rat, or walk to the goal, in one | [`WIN_TO_ACT`] |
//! | the opponent could, were it its turn | less [`WIN_TO_WAIT`] |

use super::StaticEvaluation;
use crate::game::shengxiao::{Action, Animal, Phase, Position, Shengxiao};
use crate::game::{Game, Side};

/// Worth of each animal in the order of [`Animal::ALL`]; the rat's worth lies in the other terms.
const ANIMALS: [i32; 12] = [0, 130, 140, 110, 160, 130, 130, 110, 110, 130, 150, 110];
/// Worth of a rat that is 0, 1, 2 … ranks from its goal.
const RACE: [i32; 7] = [500, 500, 260, 150, 90, 50, 20];
const MOTIVATED: i32 = 60;
/// Percent of a group with one liberty that its owner loses when it acts itself.
const ONE_LIBERTY_TO_ACT: i32 = 12;
/// The same when the opponent acts.
const ONE_LIBERTY_TO_WAIT: i32 = 40;
const RAT_ONE_LIBERTY: i32 = 250;
const RAT_TWO_LIBERTIES: i32 = 50;
const WIN_TO_ACT: i32 = 2000;
const WIN_TO_WAIT: i32 = 250;

impl Shengxiao {
    /// Ranks between a side's rat and its goal.
    fn ranks_to_goal(&self, position: &Position, side: Side) -> usize {
        let rank = self.geometry.rank(position.square(side, Animal::Rat)) + 1;
        let goal = match side {
            Side::First => self.options().goal_south,
            Side::Second => self.options().goal_north,
        };
        usize::from(goal).abs_diff(rank)
    }

    /// Race, material and liberties of one side.
    fn standing(&self, position: &Position, side: Side) -> i32 {
        let rat = position.place(side, Animal::Rat);
        let worth = |mask: u64| -> i32 {
            Animal::ALL
                .into_iter()
                .filter(|&animal| position.place(side, animal) & mask != 0)
                .map(|animal| ANIMALS[animal.index()])
                .sum()
        };
        let mut score = worth(self.geometry.board);
        score += RACE.get(self.ranks_to_goal(position, side)).copied().unwrap_or(0);
        if rat & self.geometry.advanced(side) != 0 {
            score += MOTIVATED;
        }
        for group in self.groups(position, side) {
            let with_rat = group.members & rat != 0;
            match group.liberties.count_ones() {
                1 => {
                    let acts = side == self.turn(position);
                    let share = if acts { ONE_LIBERTY_TO_ACT } else { ONE_LIBERTY_TO_WAIT };
                    score -= worth(group.members) * share / 100;
                    score -= if with_rat { RAT_ONE_LIBERTY } else { 0 };
                }
                2 if with_rat => score -= RAT_TWO_LIBERTIES,
                _ => {}
            }
        }
        score
    }

    /// Could this side win by one action on a board without marks: by catching the rat, or by a
    /// walk of its own rat to the goal?
    fn wins_in_one(&self, position: &Position, side: Side) -> bool {
        self.walks(position, side, Animal::Rat) & self.geometry.goal[side.index()] != 0
            || self.threatens(position, side)
    }
}

impl StaticEvaluation for Shengxiao {
    const EVALUATION_VERSION: u32 = 1;

    fn evaluate(&self, position: &Position) -> i32 {
        let actor = self.turn(position);
        let mut score = self.standing(position, actor) - self.standing(position, actor.other());
        // In mid-turn only few animals may still act.
        if position.phase == Phase::Start && self.wins_in_one(position, actor) {
            score += WIN_TO_ACT;
        }
        if self.wins_in_one(position, actor.other()) {
            score -= WIN_TO_WAIT;
        }
        score.clamp(-20_000, 20_000)
    }

    /// Encirclements of the enemy, and wins at once. They run out: each takes an animal off the
    /// board or ends the game.
    fn is_forcing(&self, position: &Position, action: Action) -> bool {
        let actor = self.turn(position);
        let enemies = |position: &Position| position.stands[actor.other().index()].count_ones();
        let mut next = *position;
        self.play(&mut next, action);
        match next.phase {
            Phase::Over { winner, .. } => winner == actor,
            _ => enemies(&next) < enemies(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::shengxiao::Rules;
    use crate::game::{Line, Notation};
    use crate::rng::stream;
    use rand::RngExt;

    fn game() -> Shengxiao {
        Shengxiao::new(Rules::default()).unwrap()
    }

    fn score(text: &str) -> i32 {
        let game = game();
        game.evaluate(&game.parse_position(text).unwrap())
    }

    #[test]
    fn the_start_is_even() {
        let game = game();
        assert_eq!(game.evaluate(&game.start()), 0);
    }

    #[test]
    fn terms_add_up_as_worked_out_on_paper() {
        // South's rat is 4 ranks from its goal, North's 5.
        assert_eq!(score("6/6/1r4/6/6/6/4R1/6/6/6 s"), 90 - 50);
        assert_eq!(score("6/6/1r4/6/6/6/4R1/6/6/6 n"), 50 - 90);
        // The tiger comes on top; it reaches no square beside the rat.
        assert_eq!(score("6/6/1r4/6/6/6/4R1/6/6/4T1 s"), 90 - 50 + 140);
        // The rat on the line: 3 ranks, and it motivates.
        assert_eq!(score("6/6/1r4/6/6/4R1/6/6/6/6 s"), 150 + 60 - 50);
        // The tiger steps beside the rat.
        assert_eq!(score("6/6/1r4/6/1T4/6/4R1/6/6/6 s"), 90 - 50 + 140 + 2000);
        assert_eq!(score("6/6/1r4/6/1T4/6/4R1/6/6/6 n"), 50 - 90 - 140 - 250);
        // The ox in the corner has one liberty.
        assert_eq!(score("6/6/1r4/6/6/6/4R1/6/s5/X5 s"), 90 - 50 + 130 - 130 * 12 / 100 - 130);
    }

    #[test]
    fn forcing_actions_encircle_or_win() {
        let game = game();
        // The goat takes the ox's last liberty; the horse leaps beside the rat.
        let position = game.parse_position("6/6/1r4/6/3O2/6/4R1/G5/6/xT4 s").unwrap();
        let mut legal = Vec::new();
        game.actions(&position, &mut legal);
        let forcing: Vec<String> = legal
            .into_iter()
            .filter(|&action| game.is_forcing(&position, action))
            .map(|action| game.action_text(&position, action))
            .collect();
        assert_eq!(forcing, ["d6b7", "d6c8", "a3a2"]);
    }

    #[test]
    fn scores_stay_in_bounds_and_forcing_lines_run_out() {
        let game = game();
        for index in 0..20 {
            let mut random = stream(12, "evaluation", index);
            let mut line = Line::start(&game);
            while line.outcome().is_none() {
                assert!(game.evaluate(line.position()).abs() < 6000);
                let mut forced = line.clone();
                let mut plies = 0;
                while let Some(&action) = forced
                    .legal()
                    .iter()
                    .find(|&&action| game.is_forcing(forced.position(), action))
                {
                    forced.play(action);
                    plies += 1;
                }
                assert!(plies < 24);
                let legal = line.legal();
                line.play(legal[random.random_range(0..legal.len())]);
            }
        }
    }
}
