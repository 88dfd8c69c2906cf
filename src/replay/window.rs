//! The window: the newest games, as many positions as the learner may look back on. It grows
//! sublinearly with the number of positions ever played, so that old and weak games leave in time.
//!
//! Size: `c · (1 + β · ((N / c)^α − 1) / α)` for N positions (Wu 2019, KataGo, appendix C).

use crate::game::Notation;
use crate::record::Replayed;
use crate::settings::Conflict;
use std::collections::VecDeque;

crate::settings! {
    /// The games that the learner samples from.
    pub struct ReplaySettings {
        /// Positions up to which everything is kept (c of the formula).
        min_positions: u64 = 30_000, in 1..=1_000_000_000;
        /// How fast the window grows past that (α): 1 is linear, towards 0 a logarithm.
        exponent: f64 = 0.75, in 0.01..=1.0;
        /// The slope where growth begins (β).
        slope: f64 = 0.5, in 0.0..=1.0;
        /// Never more positions than this, whatever the formula says.
        max_positions: u64 = 1_000_000, in 1..=1_000_000_000;
        /// Samples that the learner draws for each new position, on average.
        reuse: f64 = 4.0, in 0.01..=64.0;
        /// Show positions mirrored (or otherwise turned) where the game has symmetries.
        symmetries: bool = true;
        /// Every so many games one is held out: never learnt from, it shows whether the learner
        /// merely learns by heart; 0 holds out none.
        holdout_every: u64 = 50, in 0..=1_000_000;
    }
    conflicts nothing_to_learn_from;
}

fn nothing_to_learn_from(settings: &ReplaySettings) -> Option<Conflict> {
    let message = "is 1: every game would be held out, and none learnt from; 0 holds out none, 2 \
                   every other one";
    (settings.holdout_every == 1).then_some(Conflict { keys: &["holdout_every"], message })
}

impl ReplaySettings {
    /// Positions to keep when `total` were ever played.
    pub fn size(&self, total: u64) -> u64 {
        if total <= self.min_positions {
            return self.min_positions.min(self.max_positions);
        }
        let (c, n) = (self.min_positions as f64, total as f64);
        let grown = c * (1.0 + self.slope * ((n / c).powf(self.exponent) - 1.0) / self.exponent);
        (grown as u64).min(self.max_positions)
    }

    /// Is the game of this number never learnt from?
    pub fn holds_out(&self, game: u64) -> bool {
        self.holdout_every > 0 && game % self.holdout_every == self.holdout_every - 1
    }
}

/// The newest games in the order of their numbers.
#[derive(Debug)]
pub struct Window<G: Notation> {
    games: VecDeque<Replayed<G>>,
    /// Searched positions up to and including each game, counted since the window was made.
    ends: VecDeque<u64>,
    /// Positions that have left.
    left: u64,
    /// Positions ever played, those before the window was made included.
    total: u64,
    /// Memory of all games held, those held out included.
    bytes: u64,
    /// Games of the same age that are held out. They count nowhere else.
    held_out: VecDeque<Replayed<G>>,
}

impl<G: Notation> Default for Window<G> {
    fn default() -> Self {
        let (games, ends) = (VecDeque::new(), VecDeque::new());
        Self { games, ends, left: 0, total: 0, bytes: 0, held_out: VecDeque::new() }
    }
}

impl<G: Notation> Window<G> {
    /// A window that begins after `total` positions that are no longer held.
    pub fn after(total: u64) -> Self {
        Self { total, ..Self::default() }
    }

    /// Adds the next game, or holds it out; games without a searched position are not held.
    pub fn push(&mut self, settings: &ReplaySettings, game: Replayed<G>) {
        let positions = game.searched.len() as u64;
        if settings.holds_out(game.index) {
            self.bytes += game.bytes();
            self.held_out.push_back(game);
        } else if positions > 0 {
            let before = self.ends.back().copied().unwrap_or(self.left);
            self.ends.push_back(before + positions);
            self.bytes += game.bytes();
            self.games.push_back(game);
            self.total += positions;
        }
    }

    /// Lets the oldest games go that the settings no longer want. At least one game stays.
    pub fn shrink(&mut self, settings: &ReplaySettings) {
        let size = settings.size(self.total);
        while self.games.len() > 1 && self.ends[self.ends.len() - 1] - self.ends[0] >= size {
            self.drop_oldest();
        }
        self.drop_held_out();
    }

    /// Lets the oldest games go until the rest takes at most `most` bytes. At least one game
    /// stays.
    pub fn fit(&mut self, most: u64) {
        while self.games.len() > 1 && self.bytes > most {
            self.drop_oldest();
            self.drop_held_out();
        }
    }

    fn drop_oldest(&mut self) {
        if let (Some(end), Some(game)) = (self.ends.pop_front(), self.games.pop_front()) {
            self.left = end;
            self.bytes -= game.bytes();
        }
    }

    /// Games held out leave with their neighbours.
    fn drop_held_out(&mut self) {
        let oldest = self.games.front().map_or(0, |game| game.index);
        while self.held_out.front().is_some_and(|game| game.index < oldest) {
            self.bytes -= self.held_out.pop_front().map_or(0, |game| game.bytes());
        }
    }

    /// Positions held.
    pub fn positions(&self) -> u64 {
        self.ends.back().map_or(0, |end| end - self.left)
    }

    /// Memory of the games held, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Positions ever played.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Positions ever played that are not held any more.
    pub fn before(&self) -> u64 {
        self.total - self.positions()
    }

    /// Games held, oldest first.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &Replayed<G>> {
        self.games.iter()
    }

    /// Games held out, oldest first.
    pub fn held_out(&self) -> impl ExactSizeIterator<Item = &Replayed<G>> {
        self.held_out.iter()
    }

    /// The `position`-th of the held positions: its game, and which of the game's searched
    /// positions it is.
    pub fn at(&self, position: u64) -> (&Replayed<G>, usize) {
        let place = self.left + position;
        let game = self.ends.partition_point(|&end| end <= place);
        let before = if game == 0 { self.left } else { self.ends[game - 1] };
        (&self.games[game], (place - before) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::toy::{self, Heap};

    #[test]
    fn the_window_grows_more_slowly_than_the_games() {
        let settings = ReplaySettings {
            min_positions: 1000,
            exponent: 0.5,
            slope: 0.5,
            ..ReplaySettings::default()
        };
        assert_eq!(settings.size(10), 1000);
        assert_eq!(settings.size(1000), 1000);
        // 1000 · (1 + 0.5 · (√4 − 1) / 0.5) = 2000
        assert_eq!(settings.size(4000), 2000);
        // 1000 · (1 + 0.5 · (√100 − 1) / 0.5) = 10000
        assert_eq!(settings.size(100_000), 10_000);
        let capped = ReplaySettings { max_positions: 1500, ..settings };
        assert_eq!(capped.size(4000), 1500);
    }

    #[test]
    fn games_held_out_are_never_drawn_and_leave_with_their_neighbours() {
        let settings =
            ReplaySettings { holdout_every: 4, min_positions: 1, ..ReplaySettings::default() };
        let settings = ReplaySettings { max_positions: 12, ..settings };
        let mut window = Window::default();
        for index in 0..20 {
            let record = toy::record(index);
            window.push(&settings, record.replay(&Heap::default()).unwrap());
        }
        let indices = |window: &Window<Heap>| -> (Vec<u64>, Vec<u64>) {
            let held_out = window.held_out().map(|game| game.index).collect();
            (window.games().map(|game| game.index).collect(), held_out)
        };
        let (games, held_out) = indices(&window);
        assert_eq!(held_out, [3, 7, 11, 15, 19]);
        assert!(games.iter().all(|game| !held_out.contains(game)));
        for position in 0..window.positions() {
            assert!(!settings.holds_out(window.at(position).0.index));
        }
        assert_eq!(window.total(), window.positions());
        window.shrink(&settings);
        let (games, held_out) = indices(&window);
        assert!(games[0] > 3, "{games:?}");
        assert!(!held_out.is_empty() && held_out.iter().all(|&game| game >= games[0]));
    }

    #[test]
    fn the_window_fits_into_its_memory() {
        let settings = ReplaySettings { holdout_every: 4, ..ReplaySettings::default() };
        let mut window = Window::default();
        for index in 0..20 {
            window.push(&settings, toy::record(index).replay(&Heap::default()).unwrap());
        }
        let held = |window: &Window<Heap>| -> u64 {
            window.games().chain(window.held_out()).map(|game| game.bytes()).sum()
        };
        let all = window.bytes();
        assert_eq!(all, held(&window));
        window.fit(u64::MAX);
        assert_eq!(window.bytes(), all);
        window.fit(all / 2);
        assert!(window.bytes() <= all / 2 && window.bytes() > all / 3, "{} {all}", window.bytes());
        assert_eq!(window.bytes(), held(&window));
        assert_eq!(window.total(), window.before() + window.positions());
        assert_eq!(window.at(window.positions() - 1).0.index, 18);
        assert!(window.held_out().next().unwrap().index > window.games().next().unwrap().index);
        window.fit(0);
        assert_eq!(window.games().len(), 1);
    }
}
