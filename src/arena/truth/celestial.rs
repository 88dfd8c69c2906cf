//! Samples of Celestial Checkers: what random play from random placements leaves when few animals
//! are left, each searched to the end.

use super::TruthError;
use super::measure::in_shares;
use super::sample::Sample;
use crate::endgame::celestial::Solver;
use crate::endgame::{Exact, Value};
use crate::game::celestial::{Action, Celestial, Position};
use crate::game::{Game, Line, Side};
use crate::rng;
use rand::RngExt;

/// Which positions are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Endings {
    /// How many.
    pub positions: usize,
    /// The most animals on the board.
    pub animals: u32,
    pub seed: u64,
    /// The most positions that the search of one of them may remember.
    pub capacity: usize,
}

/// Endings with the truth about them.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Kept is who wins.
    pub samples: Vec<Sample<Celestial>>,
    /// The same positions; kept is the greatest difference of points that can be reached.
    pub by_points: Vec<Sample<Celestial>>,
    /// Endings that were drawn but have more below them than the search may remember. They are
    /// left out.
    pub too_large: usize,
}

/// Draws endings: number k of a seed is always the same, whatever the threads.
pub fn endings(game: &Celestial, asked: &Endings, threads: usize) -> Result<Solved, TruthError> {
    let drawn: Vec<Position> =
        (0..asked.positions as u64).map(|index| draw(game, asked, index)).collect();
    let share = |drawn: &[Position]| Ok(drawn.iter().map(|it| known(game, it, asked)).collect());
    let known: Vec<Option<[Sample<Celestial>; 2]>> = in_shares(&drawn, threads, share)?;
    let too_large = known.iter().filter(|known| known.is_none()).count();
    let (samples, by_points) = known.into_iter().flatten().map(|[a, b]| (a, b)).unzip();
    Ok(Solved { samples, by_points, too_large })
}

fn animals(position: &Position) -> u32 {
    (position.occupied(Side::First) | position.occupied(Side::Second)).count_ones()
}

/// The first position of a random game with few enough animals that has not ended; some games
/// have none, then the next one is played.
fn draw(game: &Celestial, asked: &Endings, index: u64) -> Position {
    let mut stream = rng::stream(asked.seed, "truth", index);
    let mut actions = Vec::new();
    let mut line = Line::start(game);
    loop {
        if line.outcome().is_some() {
            line = Line::start(game);
        }
        let position = line.position();
        if !position.placing() && animals(position) <= asked.animals {
            return *position;
        }
        line.actions(&mut actions);
        line.play(actions[stream.random_range(0..actions.len())]);
    }
}

/// The truth about an ending, by winner and by points; `None` if the search would have to remember
/// too much.
fn known(game: &Celestial, position: &Position, asked: &Endings) -> Option<[Sample<Celestial>; 2]> {
    // A solver of its own for each, so that what is too large does not depend on the others.
    let mut solver = Solver::new(game, asked.capacity);
    let best = solver.solve(position)?;
    let value = match best.winner {
        None => Value::Draw,
        Some(winner) if winner == position.turn() => Value::Win,
        Some(_) => Value::Loss,
    };
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let (mut winner, mut points) = (Vec::new(), Vec::new());
    for &action in &actions {
        let mut next = *position;
        game.play(&mut next, action);
        let after = solver.solve(&next)?;
        winner.extend((after.winner == best.winner).then_some(action));
        points.extend((after.margin == best.margin).then_some(action));
    }
    let sample = |keeping: Vec<Action>| {
        let mut groups = vec![(1, format!("{} animals", animals(position)))];
        if keeping.len() < actions.len() {
            groups.push((4, String::from("some action is wrong")));
        }
        let exact = Exact { value, plies: 0 };
        Sample { position: *position, exact, keeping, actions: actions.len(), groups }
    };
    Some([sample(winner), sample(points)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::player::Player;
    use crate::arena::truth::{chance, judge, rows, searched};
    use crate::game::Notation;
    use crate::search::evaluator::Uniform;

    const ASKED: Endings = Endings { positions: 60, animals: 5, seed: 1, capacity: 400_000 };

    #[test]
    fn endings_are_the_same_again_and_their_truth_is_that_of_a_deep_search() {
        let game = Celestial::default();
        let solved = endings(&game, &ASKED, 2).unwrap();
        let again = endings(&game, &ASKED, 1).unwrap();
        assert_eq!(solved.samples.len() + solved.too_large, 60);
        let same = |a: &Sample<Celestial>, b: &Sample<Celestial>| a.position == b.position;
        assert!(solved.samples.iter().zip(&again.samples).all(|(a, b)| same(a, b)));
        assert!(solved.samples.len() > 50, "{}", solved.too_large);
        let mut values = [0; 3];
        for (index, sample) in solved.samples.iter().enumerate() {
            let text = game.position_text(&sample.position);
            assert!(!sample.keeping.is_empty() && animals(&sample.position) <= 5, "{text}");
            let by_points = &solved.by_points[index];
            assert!(by_points.position == sample.position && !by_points.keeping.is_empty());
            assert!(by_points.keeping.iter().all(|&action| sample.keeps(action)), "{text}");
            values[sample.exact.value as usize] += 1;
            // The winner by a search that goes to the end, with another way to count.
            let line = Line::from_position(&game, sample.position);
            let value = plain(&line, line.turn());
            assert_eq!(sample.exact.value, value, "{text}");
        }
        assert!(values[0] > 5 && values[2] > 5, "{values:?}");
    }

    /// Win, draw or loss of `side` by plain search over lines, stopping at the first win.
    fn plain(line: &Line<Celestial>, side: Side) -> Value {
        if let Some(outcome) = line.outcome() {
            return match outcome.winner {
                None => Value::Draw,
                Some(winner) if winner == side => Value::Win,
                Some(_) => Value::Loss,
            };
        }
        let (best, order) = if line.turn() == side {
            (Value::Win, [Value::Loss, Value::Draw, Value::Win])
        } else {
            (Value::Loss, [Value::Win, Value::Draw, Value::Loss])
        };
        let rank = |value: Value| order.iter().position(|&other| other == value);
        let mut found = order[0];
        for action in line.legal() {
            let mut next = line.clone();
            next.play(action);
            let value = plain(&next, side);
            if rank(value) > rank(found) {
                found = value;
            }
            if found == best {
                break;
            }
        }
        found
    }

    #[test]
    fn a_player_is_measured() {
        let game = Celestial::default();
        let solved = endings(&game, &ASKED, 2).unwrap();
        let make = || Ok(Box::new(crate::arena::baseline::Random::default()) as Box<dyn Player<_>>);
        let kept = searched(&game, &solved.samples, &make, 2).unwrap();
        let judged = judge(&game, &solved.samples, &mut Uniform).unwrap();
        let rows = rows(&solved.samples, &judged, &kept);
        assert_eq!((rows[0].name.as_str(), rows[0].positions), ("all", kept.len() as u64));
        let chance = chance(&solved.samples);
        let random = rows[0].rates.searched.unwrap();
        assert!((random - chance.kept).abs() < 0.15, "{random} {chance:?}");
    }

    #[test]
    fn what_is_too_large_is_counted() {
        let game = Celestial::default();
        let solved = endings(&game, &Endings { capacity: 50, ..ASKED }, 2).unwrap();
        assert!(solved.too_large > 20 && solved.samples.len() + solved.too_large == 60);
    }
}
