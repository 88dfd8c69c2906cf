//! What can be set about self-play.

crate::settings! {
    /// Games that the network plays against itself.
    pub struct SelfplaySettings {
        /// Games in one generation: all are played by the same weights.
        games: u32 = 400, in 1..=1_000_000;
        /// Games in flight on each thread; their leaves are evaluated in one batch.
        in_flight: u32 = 8, in 1..=4096;
        /// Simulations for a move in the first generation.
        visits: u32 = 32, in 1..=100_000;
        /// Simulations for a move in the last generation; between them they grow evenly.
        final_visits: u32 = 64, in 1..=100_000;
        /// Share of moves that get only `fast_visits` and teach nothing, so that more games end.
        fast_share: f64 = 0.0, in 0.0..=0.95;
        /// Simulations of a fast move.
        fast_visits: u32 = 12, in 1..=100_000;
        /// In this share of the games the first plies are random.
        opening_share: f64 = 0.75, in 0.0..=1.0;
        /// At most so many random plies at the start of a game.
        opening_plies: u32 = 8, in 0..=1000;
        /// For so many plies after the opening, moves are drawn from the policy target.
        temperature_plies: u32 = 16, in 0..=100_000;
        /// The drawn moves' temperature: 1 draws by the target itself, towards 0 its best move.
        temperature: f64 = 1.0, in 0.05..=10.0;
        /// A game of this many plies is cut and stored as unfinished: it teaches policy and root
        /// value, never a draw.
        max_plies: u32 = 300, in 2..=100_000;
        /// End a game as soon as its result is proven by the search. Played on, it also teaches how
        /// to finish, how many plies that takes, and the margin.
        stop_proven: bool = false;
        /// End a game as soon as endgame tables prove its result; they must have been made before
        /// (`solve`).
        adjudicate_tables: bool = false;
        /// Teach the exact policy and value of positions that endgame tables prove.
        table_targets: bool = false;
        /// Memory of the evaluation cache on each thread, in MiB; 0 turns it off.
        cache_mib: u32 = 64, in 0..=65_536;
    }
}

impl SelfplaySettings {
    /// Do endgame tables teach the policy, the value, or the results of games?
    pub fn taught_by_tables(&self) -> bool {
        self.adjudicate_tables || self.table_targets
    }

    /// Simulations for a full move when `progress` (0 to 1) of the run is done.
    pub fn visits_at(&self, progress: f64) -> u32 {
        let (first, last) = (f64::from(self.visits), f64::from(self.final_visits));
        (first + (last - first) * progress.clamp(0.0, 1.0)).round() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_grow_evenly() {
        let settings =
            SelfplaySettings { visits: 20, final_visits: 60, ..SelfplaySettings::default() };
        assert_eq!(settings.visits_at(0.0), 20);
        assert_eq!(settings.visits_at(0.5), 40);
        assert_eq!(settings.visits_at(1.0), 60);
    }
}
