//! Evaluations per second by size, batch and threads, and the share of the processor's
//! multiply-add peak, measured on the same threads in the same rounds.
//!
//! Rates count time of the wall; the share of the peak counts CPU time on both sides, so that
//! another program that takes a core away for a while does not change it.

use super::clock::{Spent, repeat};
use super::inputs::{Encoded, encode, lines, network};
use super::machine::peak;
use super::spread::Spread;
use super::{BenchError, Plan, Size};
use crate::codec::Encode;
use crate::nn::{Engine, EngineWeights, Predictions};
use serde::Serialize;
use std::sync::{Arc, Barrier};

/// Different positions in a batch; larger batches repeat them.
const POSITIONS: usize = 256;
/// Time of the peak loop as a share of the network's.
const PEAK_TIME: f64 = 0.4;

/// One size, batch and number of threads.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkRow {
    pub game: &'static str,
    pub size: Size,
    /// Positions in one call of the engine.
    pub batch: usize,
    /// Threads, each with an engine of its own.
    pub threads: usize,
    /// Of all threads together.
    pub evaluations_per_second: Spread,
    /// The 3 × 3 convolutions' operations ([`Size::operations`]) at the median rate, in billions
    /// per second.
    pub gflops: f64,
    /// What the peak loop did on the same threads, in billions per second of CPU time.
    pub peak_gflops: f64,
    /// Operations per second of CPU time as a share of the peak loop's; the median of the rounds.
    pub peak_share: f64,
    pub peak_share_min: f64,
    pub peak_share_max: f64,
}

/// What a round gave.
struct Round {
    rate: f64,
    peak: f64,
    share: f64,
}

/// Measures all batches and numbers of threads for one size.
pub fn measure<G: Encode>(
    game: &G,
    size: Size,
    plan: &Plan,
) -> Result<Vec<NetworkRow>, BenchError> {
    let weights = Arc::new(EngineWeights::new(&network(game, size)?));
    let encoded = encode(game, &lines(game, POSITIONS));
    let shape = game.shape();
    let mut rows = Vec::new();
    for &threads in &plan.threads {
        for &batch in &plan.batches {
            let input = Encoded {
                planes: cycle(&encoded.planes, shape.plane_values(), batch),
                globals: cycle(&encoded.globals, shape.globals, batch),
            };
            let operations = size.operations(&shape);
            let rounds: Vec<Round> = (0..plan.rounds)
                .map(|_| round(&weights, &input, batch, threads, plan.seconds, operations))
                .collect();
            let rate = Spread::of(rounds.iter().map(|round| round.rate));
            let share = Spread::of(rounds.iter().map(|round| round.share));
            rows.push(NetworkRow {
                game: game.name(),
                size,
                batch,
                threads,
                evaluations_per_second: rate,
                gflops: rate.median * operations / 1e9,
                peak_gflops: Spread::of(rounds.iter().map(|round| round.peak)).median / 1e9,
                peak_share: share.median,
                peak_share_min: share.min,
                peak_share_max: share.max,
            });
        }
    }
    Ok(rows)
}

/// The first `count` of the entries of `width` numbers, from the beginning again when they end.
fn cycle(values: &[f32], width: usize, count: usize) -> Vec<f32> {
    values.iter().copied().cycle().take(width * count).collect()
}

/// Peak loop and then network on each thread; the threads do the same thing at the same time.
fn round(
    weights: &Arc<EngineWeights>,
    input: &Encoded,
    batch: usize,
    threads: usize,
    seconds: f64,
    operations: f64,
) -> Round {
    let barrier = Barrier::new(threads);
    let work = || {
        let mut engine = Engine::new(Arc::clone(weights));
        let mut predictions = Predictions::default();
        // The first call makes room for the answers.
        engine.evaluate(&input.planes, &input.globals, &mut predictions);
        barrier.wait();
        let peak = peak(seconds * PEAK_TIME);
        barrier.wait();
        let spent = repeat(seconds, || {
            engine.evaluate(&input.planes, &input.globals, &mut predictions);
            batch as u64
        });
        (peak, spent)
    };
    let results: Vec<(f64, Spent)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let peak: f64 = results.iter().map(|(peak, _)| peak).sum();
    let busy: f64 = results.iter().map(|(_, spent)| spent.cpu_rate()).sum();
    let rate = results.iter().map(|(_, spent)| spent.rate()).sum();
    Round { rate, peak, share: busy * operations / peak }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_repeats_its_positions_whole() {
        assert_eq!(cycle(&[1.0, 2.0, 3.0, 4.0], 2, 3), [1.0, 2.0, 3.0, 4.0, 1.0, 2.0]);
        assert!(cycle(&[], 0, 3).is_empty());
    }
}
