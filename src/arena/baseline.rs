//! The two simplest players: `random` and `greedy`. Fixed for ever, since measurements of
//! different days are compared through them.

use super::evaluation::StaticEvaluation;
use super::player::{Choice, Player, PlayerError};
use crate::game::{Game, History, Line, Outcome, Side};
use crate::rng;
use rand::RngExt;

/// Score of a won position before distance is taken off; above every static evaluation.
pub const WIN: i32 = 1_000_000;

/// The score of a finished game as `side` sees it, `ply` plies from now: nearer wins are better.
pub fn terminal_score(outcome: &Outcome, side: Side, ply: i32) -> i32 {
    match outcome.winner {
        None => 0,
        Some(winner) if winner == side => WIN - ply,
        Some(_) => ply - WIN,
    }
}

/// The position after `action`, and the result if that ends the game. The occurrence is pushed
/// on `history`: the caller rewinds.
pub fn advance<G: Game>(
    game: &G,
    position: &G::Position,
    history: &mut History,
    action: G::Action,
) -> (G::Position, Option<Outcome>) {
    let mut next = position.clone();
    game.play(&mut next, action);
    history.push(game.occurrence(&next));
    let outcome = game.outcome(&next, history);
    (next, outcome)
}

/// Every legal action alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random {
    seed: u64,
}

impl<G: Game> Player<G> for Random {
    fn name(&self) -> String {
        String::from("random")
    }

    fn begin(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn choose(&mut self, line: &Line<G>) -> Result<Choice<G::Action>, PlayerError> {
        let actions = line.legal();
        if actions.is_empty() {
            return Err(PlayerError::Ended(Player::<G>::name(self)));
        }
        let mut stream = rng::stream(self.seed, "random", u64::from(line.ply()));
        Ok(Choice::plain(actions[stream.random_range(0..actions.len())]))
    }
}

/// The best static evaluation one action deep: a win above all, a loss below all, equals chosen
/// by the seed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy {
    seed: u64,
}

impl<G: StaticEvaluation> Player<G> for Greedy {
    fn name(&self) -> String {
        String::from("greedy")
    }

    fn begin(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn choose(&mut self, line: &Line<G>) -> Result<Choice<G::Action>, PlayerError> {
        let (game, mover) = (line.game(), line.turn());
        let mut history = line.history().clone();
        let mut best: Vec<G::Action> = Vec::new();
        let mut best_score = i32::MIN;
        let actions = line.legal();
        for &action in &actions {
            let mark = history.mark();
            let (next, outcome) = advance(game, line.position(), &mut history, action);
            history.rewind(mark);
            let score = match outcome {
                Some(outcome) => terminal_score(&outcome, mover, 1),
                // The same side may act again: then its view is the mover's.
                None if game.turn(&next) == mover => game.evaluate(&next),
                None => -game.evaluate(&next),
            };
            if score > best_score {
                best_score = score;
                best.clear();
            }
            if score == best_score {
                best.push(action);
            }
        }
        if best.is_empty() {
            return Err(PlayerError::Ended(Player::<G>::name(self)));
        }
        let mut stream = rng::stream(self.seed, "greedy", u64::from(line.ply()));
        let action = best[stream.random_range(0..best.len())];
        Ok(Choice {
            score: Some(best_score),
            nodes: actions.len() as u64,
            expected: vec![action],
            ..Choice::plain(action)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::toy::Toy;
    use crate::game::Notation;
    use std::collections::BTreeSet;

    fn choices<P: Player<Toy>>(player: &mut P, line: &Line<Toy>) -> BTreeSet<String> {
        (0..64)
            .map(|seed| {
                player.begin(seed);
                let action = player.choose(line).unwrap().action;
                line.game().action_text(line.position(), action)
            })
            .collect()
    }

    fn line(game: &Toy, text: &str) -> Line<Toy> {
        Line::from_position(game, game.parse_position(text).unwrap())
    }

    #[test]
    fn random_plays_every_action_and_is_fixed_by_its_seed() {
        let game = Toy::default();
        let start = Line::start(&game);
        assert_eq!(choices(&mut Random::default(), &start).len(), start.legal().len());
        let mut player = Random::default();
        Player::<Toy>::begin(&mut player, 5);
        let first = player.choose(&start).unwrap();
        assert_eq!(player.choose(&start).unwrap(), first);
    }

    #[test]
    fn greedy_takes_the_win_before_the_piece() {
        let game = Toy::default();
        // The pawn on a4 can step to a5 and win; the one on b2 can capture on c3.
        let line = line(&game, "..../W.../..b./.W.b/.... f 1");
        assert_eq!(
            choices(&mut Greedy::default(), &line).into_iter().collect::<Vec<_>>(),
            ["a4a5", "a4b5"]
        );
    }

    #[test]
    fn greedy_does_not_turn_the_sign_when_it_acts_again() {
        // Two actions in a turn: after the first, First still acts. The capture is best.
        let game = Toy { acts: 2, ..Toy::default() };
        let line = line(&game, "...b/..../..b./.W../W... f 2");
        assert_eq!(
            choices(&mut Greedy::default(), &line).into_iter().collect::<Vec<_>>(),
            ["b2c3"]
        );
    }

    #[test]
    fn a_finished_game_has_no_choice() {
        let game = Toy::default();
        let line = line(&game, "W.../..../..b./.W../...b s 1");
        let error = Greedy::default().choose(&line).unwrap_err().to_string();
        assert_eq!(error, "greedy was asked for an action in a game that has ended");
        assert!(Random::default().choose(&line).is_err());
    }
}
