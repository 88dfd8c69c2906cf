//! Self-play with the learner off: positions and evaluations per second, how much of the threads'
//! time is spent inside the network, and how busy the threads are.
//!
//! A round is a window of time: games that are in flight when it ends count with the positions
//! searched so far, so short rounds see more of the beginnings of games.

use super::inputs::{SEED, network};
use super::spread::Spread;
use super::{BenchError, Plan, Size};
use crate::codec::Encode;
use crate::game::Notation;
use crate::nn::{EngineWeights, NetworkEvaluator};
use crate::search::SearchSettings;
use crate::search::cache::CachedEvaluator;
use crate::selfplay::{self, Job, SelfplaySettings};
use crate::train::thread_seconds;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

/// One game, size, number of threads and cache.
#[derive(Clone, Debug, Serialize)]
pub struct SelfplayRow {
    pub game: &'static str,
    pub size: Size,
    pub threads: usize,
    /// Games in flight on each thread.
    pub in_flight: u32,
    /// Simulations for a move.
    pub visits: u32,
    /// Memory of the evaluation cache on each thread; 0: none.
    pub cache_mib: u32,
    /// Positions searched.
    pub positions_per_second: Spread,
    /// Positions evaluated by the network; answers of the cache do not count.
    pub evaluations_per_second: Spread,
    /// Share of the threads' time inside the network's forward call, encoding left out.
    pub network_share: Spread,
    /// CPU time of the threads ÷ (time of the wall × threads).
    pub busy_share: Spread,
    /// Share of the leaves that the cache answered.
    pub cached_share: Spread,
}

/// What one thread did in a window of time.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    positions: u64,
    leaves: u64,
    evaluations: u64,
    forward: f64,
    wall: f64,
    cpu: f64,
}

/// Measures one game with a network of one size on `threads` threads.
pub fn measure<G: Encode + Notation>(
    game: &G,
    settings: &SelfplaySettings,
    search: &SearchSettings,
    size: Size,
    threads: usize,
    plan: &Plan,
) -> Result<SelfplayRow, BenchError> {
    let weights = Arc::new(EngineWeights::new(&network(game, size)?));
    let next = AtomicU64::new(0);
    let window = |_| window(game, settings, search, &weights, threads, plan.seconds, &next);
    let rounds: Vec<Vec<Done>> = (0..plan.rounds).map(window).collect::<Result<_, _>>()?;
    let spread = |value: &dyn Fn(&[Done]) -> f64| Spread::of(rounds.iter().map(|r| value(r)));
    let rate = |count: fn(&Done) -> u64| {
        spread(&|round| round.iter().map(|done| count(done) as f64 / done.wall).sum())
    };
    let share = |part: fn(&Done) -> f64, whole: fn(&Done) -> f64| {
        spread(&|round| {
            let whole: f64 = round.iter().map(whole).sum();
            round.iter().map(part).sum::<f64>() / whole.max(1e-9)
        })
    };
    Ok(SelfplayRow {
        game: game.name(),
        size,
        threads,
        in_flight: settings.in_flight,
        visits: settings.visits,
        cache_mib: settings.cache_mib,
        positions_per_second: rate(|done| done.positions),
        evaluations_per_second: rate(|done| done.evaluations),
        network_share: share(|done| done.forward, |done| done.wall),
        busy_share: share(|done| done.cpu, |done| done.wall),
        cached_share: share(
            |done| done.leaves.saturating_sub(done.evaluations) as f64,
            |done| done.leaves as f64,
        ),
    })
}

/// Plays on all threads for `seconds`, with evaluators of their own.
fn window<G: Encode + Notation>(
    game: &G,
    settings: &SelfplaySettings,
    search: &SearchSettings,
    weights: &Arc<EngineWeights>,
    threads: usize,
    seconds: f64,
    next: &AtomicU64,
) -> Result<Vec<Done>, BenchError> {
    let evaluators = (0..threads).map(|_| {
        let network = NetworkEvaluator::new(game.clone(), Arc::clone(weights))?;
        Ok(CachedEvaluator::new(game, network, (settings.cache_mib as usize) << 20))
    });
    let evaluators: Vec<_> = evaluators.collect::<Result<_, BenchError>>()?;
    let (stop, barrier) = (AtomicBool::new(false), Barrier::new(threads + 1));
    let (stop, barrier) = (&stop, &barrier);
    let claim = || Some(next.fetch_add(1, Ordering::Relaxed));
    let claim = &claim;
    let work = |mut evaluator: CachedEvaluator<G, NetworkEvaluator<G>>| {
        let visits = settings.visits;
        let job = Job { game, settings, search, seed: SEED, visits, claim, oracle: None, stop };
        barrier.wait();
        let (begun, cpu) = (Instant::now(), thread_seconds());
        let work = selfplay::play(&job, &mut evaluator, &mut |_| Ok::<(), BenchError>(()))?;
        let network = evaluator.inner().counters();
        Ok(Done {
            positions: work.positions,
            leaves: work.leaves,
            evaluations: network.evaluations,
            forward: network.forward_ns as f64 / 1e9,
            wall: begun.elapsed().as_secs_f64(),
            cpu: thread_seconds() - cpu,
        })
    };
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            evaluators.into_iter().map(|evaluator| scope.spawn(move || work(evaluator))).collect();
        barrier.wait();
        std::thread::sleep(Duration::from_secs_f64(seconds));
        stop.store(true, Ordering::Relaxed);
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
