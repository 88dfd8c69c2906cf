//! What a generation's games come to, in figures: what its shard tells at any time, and what only
//! the sitting that played it knows. Pure: reads no clock and no file.

use crate::game::Side;
use crate::record::{End, GameRecord, Searched, WHOLE};
use std::collections::HashSet;

/// What self-play did, for the metrics: one line of `selfplay.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct SelfplayMetrics {
    /// Number of the generation, from 0.
    pub generation: u64,
    pub games: u64,
    /// Searched and recorded positions.
    pub positions: u64,
    pub plies: u64,
    pub mean_plies: f64,
    pub visits_per_move: u32,
    pub first_side_wins: u64,
    pub draws: u64,
    pub second_side_wins: u64,
    /// Games cut at the length cap.
    pub cut: u64,
    /// Games ended early because the result was proven.
    pub proven: u64,
    pub draw_rate: f64,
    /// Distinct positions after 8 and 16 plies.
    pub distinct_at_8: usize,
    pub distinct_at_16: usize,
    /// Mean entropy of the policy targets, in nats.
    pub target_entropy: f64,
    /// What the sitting that ended the generation knows. Absent if it played no game of it: there
    /// is then nothing to tell, and nothing is made up.
    #[serde(flatten)]
    pub sitting: Option<Sitting>,
}

/// The work of the process that ended a generation, from its (latest) beginning there: rates count
/// what was played in this time and nothing that an earlier process left.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Sitting {
    /// Positions evaluated by the network, and leaves answered by the cache.
    pub evaluations: u64,
    pub cached: u64,
    /// Mean number of leaves in a batch.
    pub batch_fill: f64,
    pub seconds: f64,
    pub games_per_second: f64,
    pub positions_per_second: f64,
    pub evaluations_per_second: f64,
    /// Share of the threads' time inside the network.
    pub network_share: f64,
}

/// What one thread counted, or several together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub batches: u64,
    pub leaves: u64,
    pub evaluations: u64,
    /// Time inside the network.
    pub nanoseconds: u64,
}

impl std::iter::Sum for Counted {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, one| Self {
            batches: sum.batches + one.batches,
            leaves: sum.leaves + one.leaves,
            evaluations: sum.evaluations + one.evaluations,
            nanoseconds: sum.nanoseconds + one.nanoseconds,
        })
    }
}

/// Games counted while they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub games: u64,
    pub positions: u64,
    pub plies: u64,
}

impl Sums {
    pub fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.positions += game.searched.len() as u64;
        self.plies += game.actions.len() as u64;
    }
}

impl Sitting {
    /// What `threads` threads did in `seconds`, in which they played `played`; `None` if that is
    /// nothing.
    pub(super) fn of(played: Sums, counted: Counted, threads: usize, seconds: f64) -> Option<Self> {
        (played.games > 0).then(|| Self {
            evaluations: counted.evaluations,
            cached: counted.leaves.saturating_sub(counted.evaluations),
            batch_fill: counted.leaves as f64 / counted.batches.max(1) as f64,
            seconds,
            games_per_second: played.games as f64 / seconds,
            positions_per_second: played.positions as f64 / seconds,
            evaluations_per_second: counted.evaluations as f64 / seconds,
            network_share: counted.nanoseconds as f64 / 1e9 / (seconds * threads as f64),
        })
    }
}

impl SelfplayMetrics {
    /// What the games of a generation tell, as they stand in its shard.
    pub fn of(generation: u64, visits_per_move: u32, games: &[GameRecord]) -> Self {
        let mut metrics = Self { generation, visits_per_move, ..Self::default() };
        let (mut sums, mut entropy) = (Sums::default(), 0.0);
        for game in games {
            sums.add(game);
            metrics.proven += u64::from(matches!(game.end, End::Adjudicated { .. }));
            match game.end.winner() {
                None => metrics.cut += 1,
                Some(None) => metrics.draws += 1,
                Some(Some(Side::First)) => metrics.first_side_wins += 1,
                Some(Some(Side::Second)) => metrics.second_side_wins += 1,
            }
            entropy += game.searched.iter().map(target_entropy).sum::<f64>();
        }
        (metrics.games, metrics.positions, metrics.plies) =
            (sums.games, sums.positions, sums.plies);
        let all = sums.games.max(1) as f64;
        metrics.mean_plies = sums.plies as f64 / all;
        metrics.draw_rate = metrics.draws as f64 / all;
        metrics.target_entropy = entropy / sums.positions.max(1) as f64;
        metrics.distinct_at_8 = distinct_beginnings(games, 8);
        metrics.distinct_at_16 = distinct_beginnings(games, 16);
        metrics
    }

    pub(super) fn summary(&self) -> String {
        let rates = self.sitting.map_or_else(
            || String::from(", played before"),
            |sitting| {
                format!(
                    " in {:.0} s: {:.1} games/s, {:.0} evaluations/s",
                    sitting.seconds, sitting.games_per_second, sitting.evaluations_per_second
                )
            },
        );
        format!(
            "{} games, {} positions{rates}, {:.0} plies a game, draws {:.0} %, cut {:.0} %",
            self.games,
            self.positions,
            self.mean_plies,
            100.0 * self.draw_rate,
            100.0 * self.cut as f64 / self.games.max(1) as f64,
        )
    }
}

/// Entropy of a recorded policy target, in nats.
fn target_entropy(searched: &Searched) -> f64 {
    let whole = f64::from(WHOLE);
    let term = |share: u16| {
        let p = f64::from(share) / whole;
        -p * p.ln()
    };
    searched.target.iter().map(|&(_, share)| term(share)).sum()
}

/// How many different beginnings of `plies` plies there are.
fn distinct_beginnings(games: &[GameRecord], plies: usize) -> usize {
    let beginnings = games.iter().filter_map(|game| game.actions.get(..plies));
    beginnings.collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_count_what_was_played_in_their_time() {
        let counted =
            Counted { batches: 10, leaves: 80, evaluations: 60, nanoseconds: 2_000_000_000 };
        let played = Sums { games: 3, positions: 90, plies: 100 };
        let sitting = Sitting::of(played, counted, 2, 2.0).unwrap();
        assert_eq!((sitting.games_per_second, sitting.positions_per_second), (1.5, 45.0));
        assert_eq!((sitting.evaluations, sitting.cached, sitting.batch_fill), (60, 20, 8.0));
        assert_eq!((sitting.evaluations_per_second, sitting.network_share), (30.0, 0.5));
        assert_eq!(Sitting::of(Sums::default(), Counted::default(), 2, 0.0), None);
    }

    #[test]
    fn what_no_sitting_knows_is_absent() {
        let metrics = SelfplayMetrics { games: 4, positions: 50, ..SelfplayMetrics::default() };
        let line = serde_json::to_value(&metrics).unwrap();
        assert!(line["games"] == 4 && line.get("seconds").is_none(), "{line}");
        assert!(metrics.summary().starts_with("4 games, 50 positions, played before, 0 plies"));
        let known = SelfplayMetrics { sitting: Some(Sitting::default()), ..metrics };
        assert_eq!(serde_json::to_value(&known).unwrap()["seconds"], 0.0);
        let none = SelfplayMetrics::of(3, 8, &[]);
        assert_eq!((none.generation, none.mean_plies, none.target_entropy), (3, 0.0, 0.0));
    }
}
