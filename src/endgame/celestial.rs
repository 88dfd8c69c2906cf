//! Exact values of endings of Celestial Checkers by searching to the end, every position once.
//!
//! Every move goes forward, so the search ends by itself. What it costs depends on how many animals
//! there are and how far they have to go; from 40 random games, positions to remember, median and
//! ninth decile: 4 animals 101 and 676, 5 animals 411 and 2,002, 6 animals 3,790 and 71,869, 7 animals
//! 27,142 and 489,154, 8 animals 351,377 and beyond 3 million. Owns no files and no clock: the caller
//! says how many positions may be remembered.

use crate::game::celestial::{Celestial, Position};
use crate::game::{Game, History, Side};
use rustc_hash::FxHashMap;

/// The value of a position when both sides play for the greatest difference of points. Who can win
/// at all wins in this way, so it settles the winner, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// Points of South minus points of North at the end.
    pub margin: i16,
}

/// Solves endings and remembers what it has found, for the next question as well.
#[derive(Clone, Debug)]
pub struct Solver {
    game: Celestial,
    /// What South will still gain on North, by position without scores.
    gains: FxHashMap<Position, i16>,
    capacity: usize,
}

impl Solver {
    /// A solver that remembers at most `capacity` positions (40 to 90 bytes each).
    pub fn new(game: &Celestial, capacity: usize) -> Self {
        Self { game: game.clone(), gains: FxHashMap::default(), capacity }
    }

    /// How many positions it remembers.
    pub fn remembered(&self) -> usize {
        self.gains.len()
    }

    /// The exact value; `None` if more positions than its capacity would have to be remembered
    /// (what it knew before is then forgotten and the search tried once from nothing), or if
    /// animals are still being placed.
    pub fn solve(&mut self, position: &Position) -> Option<Exact> {
        if position.placing() {
            return None;
        }
        let known = !self.gains.is_empty();
        let gain = self.gain(&position.without_scores()).or_else(|| {
            self.gains.clear();
            known.then(|| self.gain(&position.without_scores())).flatten()
        })?;
        let margin = position.margin() + gain;
        let winner = match margin {
            1.. => Some(Side::First),
            0 => None,
            _ => Some(Side::Second),
        };
        Some(Exact { winner, margin })
    }

    fn gain(&mut self, position: &Position) -> Option<i16> {
        if let Some(&gain) = self.gains.get(position) {
            return Some(gain);
        }
        if self.gains.len() >= self.capacity {
            return None;
        }
        let gain = if self.game.outcome(position, &History::default()).is_some() {
            0
        } else {
            self.best(position)?
        };
        self.gains.insert(*position, gain);
        Some(gain)
    }

    fn best(&mut self, position: &Position) -> Option<i16> {
        let mut actions = Vec::new();
        self.game.actions(position, &mut actions);
        let mut best: Option<i16> = None;
        for action in actions {
            let mut next = *position;
            self.game.play(&mut next, action);
            let gain = next.margin() + self.gain(&next.without_scores())?;
            best = Some(match (best, position.turn()) {
                (None, _) => gain,
                (Some(best), Side::First) => best.max(gain),
                (Some(best), Side::Second) => best.min(gain),
            });
        }
        best
    }
}

/// The exact value of `position`, remembering at most `capacity` positions; see [`Solver::solve`].
pub fn exact(game: &Celestial, position: &Position, capacity: usize) -> Option<Exact> {
    Solver::new(game, capacity).solve(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::game::celestial::playouts::playout;

    fn value(text: &str) -> Option<Exact> {
        let game = Celestial::default();
        exact(&game, &game.parse_position(text).unwrap(), 100_000)
    }

    fn win(winner: Side, margin: i16) -> Option<Exact> {
        Some(Exact { winner: Some(winner), margin })
    }

    #[test]
    fn endings_worked_out_by_hand() {
        // North has no animal once its turn comes, so South has one move left.
        assert_eq!(value("8/R7/8/8/8/8/8/8 s 0-0 -"), win(Side::First, 12));
        assert_eq!(value("8/R5H1/8/8/8/8/8/8 s 0-5 -"), win(Side::First, 7));
        assert_eq!(value("8/8/7R/8/8/8/8/8 s 0-0 -"), Some(Exact { winner: None, margin: 0 }));
        // Both score, South first; then South has no animal left.
        assert_eq!(value("8/R7/8/8/8/8/7r/8 s 0-0 -"), Some(Exact { winner: None, margin: 0 }));
        // The ox must take the rat: two ends of a forced jump.
        assert_eq!(value("8/8/8/8/3r4/2X5/8/8 s 3-2 -"), win(Side::First, 1));
        // The start is no ending, and a small capacity is kept.
        assert_eq!(value("8/8/8/8/8/8/8/8 s 0-0 - placing"), None);
        let game = Celestial::default();
        let long = game.parse_position("8/8/1r1t4/8/8/8/1X3H2/8 s 0-0 -").unwrap();
        assert_eq!(exact(&game, &long, 3), None);
        assert!(exact(&game, &long, 100_000).is_some());
    }

    /// Plain search without memory.
    fn plain(game: &Celestial, position: &Position) -> i16 {
        if let Some(outcome) = game.outcome(position, &History::default()) {
            return outcome.margin;
        }
        let mut actions = Vec::new();
        game.actions(position, &mut actions);
        let values = actions.into_iter().map(|action| {
            let mut next = *position;
            game.play(&mut next, action);
            plain(game, &next)
        });
        match position.turn() {
            Side::First => values.max().unwrap(),
            Side::Second => values.min().unwrap(),
        }
    }

    #[test]
    fn memory_does_not_change_the_value() {
        let game = Celestial::default();
        let mut solver = Solver::new(&game, 20_000);
        let mut solved = 0;
        let small = |position: &&Position| {
            let animals = position.occupied(Side::First) | position.occupied(Side::Second);
            !position.placing() && animals.count_ones() <= 4
        };
        for index in 0..60 {
            for position in playout(index).positions.iter().filter(small) {
                let exact = solver.solve(position).unwrap();
                let margin = plain(&game, position);
                assert_eq!(exact.margin, margin, "{}", game.position_text(position));
                let winner =
                    (margin != 0).then_some(if margin > 0 { Side::First } else { Side::Second });
                assert_eq!(exact.winner, winner);
                solved += 1;
            }
        }
        assert!(solved > 300 && solver.remembered() <= 20_000, "{solved}");
    }
}
