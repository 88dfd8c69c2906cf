//! The settings of the arena.

use crate::settings::Conflict;

settings! {
    /// How players are measured against each other.
    pub struct ArenaSettings {
        /// Games against each opponent; every opening is played twice, so an odd number is rounded up.
        games: u32 = 200, in 2..=1_000_000;
        /// Fewest random plies before the players take over.
        opening_plies_min: u32 = 4, in 0..=60;
        /// Most random plies before the players take over.
        opening_plies_max: u32 = 8, in 0..=60;
        /// A game that reaches this many plies (the opening's included) is cut and counts as a draw.
        max_plies: u32 = 400, in 1..=100_000;
        /// Threads; each plays whole pairs of games. The result does not depend on it.
        threads: usize = 2, in 1..=256;
    }
    conflicts no_opening;
}

fn no_opening(settings: &ArenaSettings) -> Option<Conflict> {
    let message = "leaves no opening: `arena.opening_plies_min` is above `arena.opening_plies_max`";
    let keys = &["opening_plies_min", "opening_plies_max"];
    let none = settings.opening_plies_min > settings.opening_plies_max;
    none.then_some(Conflict { keys, message })
}

impl ArenaSettings {
    /// Pairs of games against each opponent.
    pub fn pairs(&self) -> u32 {
        self.games.div_ceil(2)
    }
}
