//! One generation of self-play: games `first..first + count`, all by the same weights, on all
//! threads. Finished games are written down at once; a generation that was broken off goes on with
//! the games that are missing.

use super::{TrainError, fault};
use crate::codec::Encode;
use crate::disk::DiskError;
use crate::endgame::Oracle;
use crate::game::Notation;
use crate::metrics::Progress;
use crate::nn::{EngineWeights, NetworkEvaluator};
use crate::record::{GameRecord, Journal, ShardHeader, shard};
use crate::replay;
use crate::search::SearchSettings;
use crate::search::cache::CachedEvaluator;
use crate::selfplay::{self, Job, PlayedGame, SelfplaySettings};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a generation is to play, and where to.
pub struct Generation<'a, G: Notation> {
    pub game: &'a G,
    pub selfplay: &'a SelfplaySettings,
    pub search: &'a SearchSettings,
    pub weights: Arc<EngineWeights>,
    pub seed: u64,
    pub threads: usize,
    /// Number of the generation.
    pub number: u64,
    /// Number of its first game.
    pub first: u64,
    /// Simulations for a full move.
    pub visits: u32,
    /// Endgame tables, if self-play is to use them.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// The shard to publish, and the journal of games until then.
    pub shard: &'a Path,
    pub journal: &'a Path,
}

/// What self-play did, for the metrics.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct SelfplayMetrics {
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
    /// Positions evaluated by the network, and leaves answered by the cache, in this sitting.
    pub evaluations: u64,
    pub cached: u64,
    pub batch_fill: f64,
    pub seconds: f64,
    pub games_per_second: f64,
    pub positions_per_second: f64,
    pub evaluations_per_second: f64,
    /// Share of the threads' time inside the network.
    pub network_share: f64,
}

/// What one thread counted.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    batches: u64,
    leaves: u64,
    evaluations: u64,
    nanoseconds: u64,
}

impl<G: Encode + Notation> Generation<'_, G> {
    /// Plays what is missing and publishes the shard; a shard that stands is left as it is.
    /// Returns `None` if the stop flag was set before all games had ended.
    pub fn play(
        &self,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<SelfplayMetrics>, TrainError> {
        let count = u64::from(self.selfplay.games);
        let (journal, done) = Journal::open(self.journal)?;
        let mine = self.first..self.first + count;
        let games: BTreeMap<u64, GameRecord> = done
            .into_iter()
            .filter(|game| mine.contains(&game.index) && game.generation == self.number)
            .map(|game| (game.index, game))
            .collect();
        progress.begin(&format!("generation {}: self-play", self.number), "games", Some(count));
        progress.set(games.len() as u64);

        let missing: Vec<u64> = mine.filter(|index| !games.contains_key(index)).collect();
        let next = AtomicU64::new(0);
        let claim = || missing.get(next.fetch_add(1, Ordering::Relaxed) as usize).copied();
        let failed = AtomicBool::new(false);
        let collected = Mutex::new((journal, games));
        let started = Instant::now();
        let work = || -> Result<Spent, TrainError> {
            let network = NetworkEvaluator::new(self.game.clone(), Arc::clone(&self.weights))?;
            let cache = (self.selfplay.cache_mib as usize) << 20;
            let mut evaluator = CachedEvaluator::new(self.game, network, cache);
            let job = Job {
                game: self.game,
                settings: self.selfplay,
                search: self.search,
                seed: self.seed,
                visits: self.visits,
                claim: &claim,
                oracle: self.oracle.clone(),
                stop,
            };
            let mut finished = |game: PlayedGame<G>| -> Result<(), TrainError> {
                let record = game.record(self.game, self.seed, self.number);
                let mut guard = collected.lock().unwrap_or_else(PoisonError::into_inner);
                guard.0.append(&record)?;
                fault::reach("after-journal");
                guard.1.insert(record.index, record);
                let done = guard.1.len() as u64;
                progress.set(done);
                progress.note(&rates(&guard.1, started.elapsed().as_secs_f64()));
                if failed.load(Ordering::Relaxed) { Err(TrainError::Stopped) } else { Ok(()) }
            };
            let work = selfplay::play(&job, &mut evaluator, &mut finished)
                .inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            let network = evaluator.inner().counters();
            Ok(Spent {
                batches: work.batches,
                leaves: work.leaves,
                evaluations: network.evaluations,
                nanoseconds: network.forward_ns,
            })
        };
        let spent: Result<Vec<Spent>, TrainError> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(work)).collect();
            let results: Vec<_> = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|p| std::panic::resume_unwind(p)))
                .collect();
            // The first real error says more than the stops that followed it.
            let (stops, others): (Vec<_>, Vec<_>) =
                results.into_iter().partition(|r| matches!(r, Err(TrainError::Stopped)));
            others.into_iter().chain(stops).collect()
        });
        let spent = spent?;
        let (journal, games) = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        journal.sync()?;
        if (games.len() as u64) < count {
            progress.end(&format!("{} of {count} games are safe", games.len()));
            return Ok(None);
        }
        let games: Vec<GameRecord> = games.into_values().collect();
        let header = ShardHeader::new(self.game, G::CODEC_VERSION, self.number);
        fault::reach("before-shard");
        shard::write(self.shard, &header, &games)?;
        fault::reach("after-shard");
        std::fs::remove_file(self.journal).map_err(DiskError::on("remove", self.journal))?;
        let seconds = started.elapsed().as_secs_f64();
        let metrics = self.measure(&games, &spent, seconds);
        progress.end(&metrics.summary());
        Ok(Some(metrics))
    }

    fn measure(&self, games: &[GameRecord], spent: &[Spent], seconds: f64) -> SelfplayMetrics {
        use crate::game::Side;
        use crate::record::End;
        let mut metrics = SelfplayMetrics {
            generation: self.number,
            games: games.len() as u64,
            visits_per_move: self.visits,
            seconds,
            ..SelfplayMetrics::default()
        };
        let mut entropy = 0.0;
        for game in games {
            metrics.positions += game.searched.len() as u64;
            metrics.plies += game.actions.len() as u64;
            metrics.proven += u64::from(matches!(game.end, End::Adjudicated { .. }));
            match game.end.winner() {
                None => metrics.cut += 1,
                Some(None) => metrics.draws += 1,
                Some(Some(Side::First)) => metrics.first_side_wins += 1,
                Some(Some(Side::Second)) => metrics.second_side_wins += 1,
            }
            entropy += game.searched.iter().map(target_entropy).sum::<f64>();
        }
        let (games_played, positions) = (metrics.games as f64, metrics.positions as f64);
        metrics.mean_plies = metrics.plies as f64 / games_played;
        metrics.draw_rate = metrics.draws as f64 / games_played;
        metrics.target_entropy = entropy / positions.max(1.0);
        metrics.distinct_at_8 = distinct_beginnings(games, 8);
        metrics.distinct_at_16 = distinct_beginnings(games, 16);
        let leaves: u64 = spent.iter().map(|s| s.leaves).sum();
        let batches: u64 = spent.iter().map(|s| s.batches).sum();
        let nanoseconds: u64 = spent.iter().map(|s| s.nanoseconds).sum();
        metrics.evaluations = spent.iter().map(|s| s.evaluations).sum();
        metrics.cached = leaves - metrics.evaluations.min(leaves);
        metrics.batch_fill = leaves as f64 / batches.max(1) as f64;
        metrics.games_per_second = games_played / seconds;
        metrics.positions_per_second = positions / seconds;
        metrics.evaluations_per_second = metrics.evaluations as f64 / seconds;
        metrics.network_share = nanoseconds as f64 / 1e9 / (seconds * self.threads as f64);
        metrics
    }
}

impl SelfplayMetrics {
    fn summary(&self) -> String {
        format!(
            "{} games, {} positions in {:.0} s: {:.1} games/s, {:.0} evaluations/s, {:.0} plies a \
             game, draws {:.0} %, cut {:.0} %",
            self.games,
            self.positions,
            self.seconds,
            self.games_per_second,
            self.evaluations_per_second,
            self.mean_plies,
            100.0 * self.draw_rate,
            100.0 * self.cut as f64 / self.games as f64,
        )
    }
}

fn rates(games: &BTreeMap<u64, GameRecord>, seconds: f64) -> String {
    let plies: usize = games.values().map(|game| game.actions.len()).sum();
    format!("{:.0} plies a game, {:.0} s", plies as f64 / games.len() as f64, seconds)
}

/// Entropy of a recorded policy target, in nats.
fn target_entropy(searched: &crate::record::Searched) -> f64 {
    let whole = f64::from(crate::record::WHOLE);
    let term = |share: u16| {
        let p = f64::from(share) / whole;
        -p * p.ln()
    };
    searched.target.iter().map(|&(_, share)| term(share)).sum()
}

/// How many different beginnings of `plies` plies there are.
fn distinct_beginnings(games: &[GameRecord], plies: usize) -> usize {
    let beginnings = games.iter().filter_map(|game| game.actions.get(..plies));
    beginnings.collect::<std::collections::HashSet<_>>().len()
}

/// Games of a published shard as the window holds them, without what is reserved for measuring;
/// what was dropped is said.
pub fn read_shard<G: Notation>(
    game: &G,
    path: &Path,
    progress: &dyn Progress,
) -> Result<Vec<crate::record::Replayed<G>>, TrainError> {
    let mut games = shard::read_games(path, game)?;
    games.games.iter_mut().for_each(|replayed| replay::forget_reserved(game, replayed));
    if let Some(damage) = &games.damage {
        progress.say(&format!("{}: {damage}", path.display()));
    }
    for dropped in &games.dropped {
        progress.say(&format!("dropped: {}", dropped.why));
    }
    if !games.dropped.is_empty() {
        let (dropped, kept) = (games.dropped.len(), games.games.len());
        let path = path.display();
        progress.say(&format!("{path}: {dropped} of {} games were dropped", dropped + kept));
    }
    Ok(games.games)
}
