//! One generation of self-play: games `first..first + count`, all by the same weights, on all
//! threads. Finished games are written down at once; a generation that was broken off goes on with
//! the games that are missing.

use super::tally::{Counted, SelfplayMetrics, Sitting, Sums};
use super::{TrainError, fault};
use crate::codec::Encode;
use crate::disk::DiskError;
use crate::endgame::Oracle;
use crate::game::Notation;
use crate::metrics::Progress;
use crate::nn::{EngineWeights, NetworkEvaluator};
use crate::record::{GameRecord, Journal, RulesHash, ShardHeader, shard};
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
    /// Number of the generation, from 0.
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

/// The games of the generation that there are, and how they are counted.
struct Collected {
    journal: Journal,
    games: BTreeMap<u64, GameRecord>,
    /// All of them, and those of this sitting.
    all: Sums,
    new: Sums,
}

impl Collected {
    /// Takes a game that has just ended.
    fn add(&mut self, record: GameRecord) -> Result<(), TrainError> {
        self.journal.append(&record)?;
        fault::reach("after-journal");
        self.all.add(&record);
        self.new.add(&record);
        self.games.insert(record.index, record);
        Ok(())
    }
}

impl<G: Encode + Notation> Generation<'_, G> {
    /// Was the game played in this run? Not by its number: an earlier generation's may be left.
    fn is_own(&self, record: &GameRecord) -> bool {
        record.game == self.game.name()
            && record.rules == RulesHash::of(self.game)
            && record.seed == self.seed
    }

    /// Plays what is missing and publishes the shard; a shard that stands is left as it is.
    /// Returns `None` if the stop flag was set before all games had ended.
    pub fn play(
        &self,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<SelfplayMetrics>, TrainError> {
        let count = u64::from(self.selfplay.games);
        let (journal, found) = Journal::open(self.journal)?;
        if found.torn > 0 {
            progress.say(&format!(
                "{}: {} bytes after its last whole game were cut off; what they held is played \
                 again",
                self.journal.display(),
                found.torn
            ));
        }
        let mine = self.first..self.first + count;
        let (own, foreign): (Vec<_>, Vec<_>) =
            found.games.into_iter().partition(|game| self.is_own(game));
        if !foreign.is_empty() {
            progress.say(&format!(
                "{}: {} games of another run (its game, rules or seed differ) were passed over",
                self.journal.display(),
                foreign.len()
            ));
        }
        let games: BTreeMap<u64, GameRecord> = own
            .into_iter()
            .filter(|game| mine.contains(&game.index) && game.generation == self.number)
            .map(|game| (game.index, game))
            .collect();
        // People count from 1: generation n leads to the weights after n generations.
        let title = format!("generation {}: self-play", self.number + 1);
        progress.begin(&title, "games", Some(count));
        progress.set(games.len() as u64);

        let missing: Vec<u64> = mine.filter(|index| !games.contains_key(index)).collect();
        let next = AtomicU64::new(0);
        let claim = || missing.get(next.fetch_add(1, Ordering::Relaxed) as usize).copied();
        let failed = AtomicBool::new(false);
        let mut all = Sums::default();
        games.values().for_each(|game| all.add(game));
        let collected = Mutex::new(Collected { journal, games, all, new: Sums::default() });
        let started = Instant::now();
        let work = || -> Result<Counted, TrainError> {
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
                guard.add(record)?;
                let Sums { games, plies, .. } = guard.all;
                let (mean, seconds) =
                    (plies as f64 / games as f64, started.elapsed().as_secs_f64());
                progress.set(games);
                progress.note(&format!("{mean:.0} plies a game, {seconds:.0} s"));
                if failed.load(Ordering::Relaxed) { Err(TrainError::Stopped) } else { Ok(()) }
            };
            let work = selfplay::play(&job, &mut evaluator, &mut finished)
                .inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            let network = evaluator.inner().counters();
            Ok(Counted {
                batches: work.batches,
                leaves: work.leaves,
                evaluations: network.evaluations,
                nanoseconds: network.forward_ns,
            })
        };
        let counted: Result<Vec<Counted>, TrainError> = std::thread::scope(|scope| {
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
        let counted: Counted = counted?.into_iter().sum();
        let collected = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Collected { journal, games, new, .. } = collected;
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
        let metrics = SelfplayMetrics {
            sitting: Sitting::of(new, counted, self.threads, seconds),
            ..SelfplayMetrics::of(self.number, self.visits, &games)
        };
        progress.end(&metrics.summary());
        Ok(Some(metrics))
    }
}
