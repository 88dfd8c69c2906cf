//! What suits this machine: games in flight, threads, and the network's size for a number of hours.
//!
//! The first two are measured: the smallest number that self-plays as fast as any, but for
//! [`NEAR`]. The size is a rule of thumb on top of measurements: how many positions a network of
//! this size can self-play *and learn from* in that time, how many samples these are, and whether
//! that is [`SAMPLES_PER_WEIGHT`] for each weight. The largest network that gets them is
//! suggested. A larger one would be slower and half-taught, a smaller one would stop improving
//! earlier; where exactly the best size lies depends on the game, and nothing here knows that.

use super::machine::cores;
use super::{BenchError, Plan, Size, network, selfplay, training};
use crate::codec::Encode;
use crate::game::Notation;
use crate::learn::LearnSettings;
use crate::nn::weight_count;
use crate::search::SearchSettings;
use crate::selfplay::SelfplaySettings;
use serde::Serialize;

/// Samples that the learner should draw for each weight of a network.
pub const SAMPLES_PER_WEIGHT: f64 = 20.0;
/// A setting is as good as the best if it reaches this share of it.
const NEAR: f64 = 0.98;
/// Games in flight that are tried.
const IN_FLIGHT: [u32; 6] = [1, 4, 8, 16, 32, 64];
/// Sizes that are tried, smallest first; the search for the largest ends at the first that does
/// not get enough samples.
const SIZES: [Size; 8] = [
    Size { blocks: 2, channels: 16 },
    Size { blocks: 2, channels: 32 },
    Size { blocks: 3, channels: 32 },
    Size { blocks: 4, channels: 48 },
    Size { blocks: 6, channels: 64 },
    Size { blocks: 8, channels: 96 },
    Size { blocks: 10, channels: 128 },
    Size { blocks: 15, channels: 192 },
];

/// The settings of the run that is planned.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub search: &'a SearchSettings,
    pub selfplay: &'a SelfplaySettings,
    pub learn: &'a LearnSettings,
    /// Samples that the learner draws for each new position.
    pub reuse: f64,
    /// Hours of self-play and learning.
    pub hours: f64,
}

/// What was measured, and what follows.
#[derive(Clone, Debug, Serialize)]
pub struct Tuning {
    pub game: &'static str,
    pub hours: f64,
    pub in_flight: Vec<Trial>,
    pub threads: Vec<Trial>,
    pub sizes: Vec<SizeTrial>,
    pub suggestion: Suggestion,
}

/// Self-play with the default network at one value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trial {
    pub value: u32,
    pub positions_per_second: f64,
}

/// What a network of one size could do in the given time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SizeTrial {
    pub size: Size,
    pub weights: u64,
    /// On all threads, with the suggested games in flight for a batch.
    pub evaluations_per_second: f64,
    pub samples_per_second: f64,
    /// Positions that can be played and learnt from.
    pub positions: f64,
    /// Samples drawn from them, for each weight.
    pub samples_per_weight: f64,
}

/// What to write into a config.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    pub hours: f64,
    pub threads: usize,
    pub in_flight: u32,
    pub blocks: usize,
    pub channels: usize,
}

impl Suggestion {
    /// The settings as a part of a config file.
    pub fn to_toml(&self) -> String {
        let Suggestion { hours, threads, in_flight, blocks, channels } = self;
        format!(
            "[train]\nhours = {hours:?}\nthreads = {threads}\n\n[network]\nblocks = {blocks}\n\
             channels = {channels}\n\n[selfplay]\nin_flight = {in_flight}\n"
        )
    }
}

/// Measures and suggests.
pub fn tune<G: Encode + Notation>(game: &G, run: &Run, plan: &Plan) -> Result<Tuning, BenchError> {
    let size = Size::default();
    let play = |in_flight: u32, threads: usize| {
        let settings = SelfplaySettings { in_flight, cache_mib: 0, ..run.selfplay.clone() };
        selfplay::measure(game, &settings, run.search, size, threads, plan)
    };
    let mut in_flight = Vec::new();
    for value in IN_FLIGHT {
        let row = play(value, cores())?;
        in_flight.push(Trial { value, positions_per_second: row.positions_per_second.median });
    }
    let games = least(&in_flight);
    let mut threads = Vec::new();
    let mut played = 0.0;
    for value in numbers_of_threads(cores()) {
        let row = play(games, value)?;
        let positions_per_second = row.positions_per_second.median;
        threads.push(Trial { value: value as u32, positions_per_second });
        played = row.evaluations_per_second.median;
    }
    let workers = least(&threads) as usize;
    if let Some(last) = threads.last()
        && last.value as usize != workers
    {
        played = play(games, workers)?.evaluations_per_second.median;
    }
    let one = Plan { batches: vec![games as usize], threads: vec![workers], ..plan.clone() };
    // What an evaluation costs beside the network, on all threads together.
    let alone = evaluations(game, size, &one)?;
    let beside = (1.0 / played - 1.0 / alone).max(0.0);
    let mut sizes = Vec::new();
    for size in SIZES {
        let trial = try_size(game, size, run, &one, beside)?;
        let enough = trial.samples_per_weight >= SAMPLES_PER_WEIGHT;
        sizes.push(trial);
        if !enough {
            break;
        }
    }
    let Size { blocks, channels } = largest(&sizes);
    let hours = run.hours;
    let suggestion = Suggestion { hours, threads: workers, in_flight: games, blocks, channels };
    Ok(Tuning { game: game.name(), hours, in_flight, threads, sizes, suggestion })
}

fn try_size<G: Encode>(
    game: &G,
    size: Size,
    run: &Run,
    plan: &Plan,
    beside: f64,
) -> Result<SizeTrial, BenchError> {
    let weights = weight_count(&game.shape(), &size.settings());
    let evaluations_per_second = evaluations(game, size, plan)?;
    let rows = training::measure(game, size, run.learn, plan)?;
    let samples_per_second = rows.first().map_or(0.0, |row| row.samples_per_second.median);
    // On average over the run, and the root's own evaluation.
    let visits = 0.5 * f64::from(run.selfplay.visits + run.selfplay.final_visits) + 1.0;
    let playing = visits * (1.0 / evaluations_per_second + beside);
    let learning = run.reuse / samples_per_second;
    let positions = run.hours * 3600.0 / (playing + learning);
    let samples_per_weight = positions * run.reuse / weights as f64;
    Ok(SizeTrial {
        size,
        weights,
        evaluations_per_second,
        samples_per_second,
        positions,
        samples_per_weight,
    })
}

fn evaluations<G: Encode>(game: &G, size: Size, plan: &Plan) -> Result<f64, BenchError> {
    let rows = network::measure(game, size, plan)?;
    Ok(rows.first().map_or(0.0, |row| row.evaluations_per_second.median))
}

/// 1, 2, 4, … and all cores.
fn numbers_of_threads(cores: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|&n| n < cores).collect();
    numbers.push(cores);
    numbers
}

/// The least value that is nearly as fast as the fastest.
fn least(trials: &[Trial]) -> u32 {
    let best = trials.iter().map(|trial| trial.positions_per_second).fold(0.0, f64::max);
    let near = trials.iter().find(|trial| trial.positions_per_second >= NEAR * best);
    near.map_or(1, |trial| trial.value)
}

/// The largest size that gets enough samples; the smallest of all if none does.
fn largest(sizes: &[SizeTrial]) -> Size {
    let enough = |trial: &&SizeTrial| trial.samples_per_weight >= SAMPLES_PER_WEIGHT;
    sizes.iter().rev().find(enough).map_or(SIZES[0], |trial| trial.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_equally_fast_values_is_taken() {
        let trial = |(value, positions_per_second)| Trial { value, positions_per_second };
        let trials = [(1, 50.0), (4, 99.0), (8, 97.0), (16, 100.0)].map(trial);
        assert_eq!(least(&trials), 4);
        assert_eq!(least(&[]), 1);
    }

    #[test]
    fn threads_double_up_to_all_cores() {
        assert_eq!(numbers_of_threads(1), [1]);
        assert_eq!(numbers_of_threads(2), [1, 2]);
        assert_eq!(numbers_of_threads(6), [1, 2, 4, 6]);
    }

    #[test]
    fn the_largest_size_with_enough_samples_is_suggested() {
        let trial = |size, samples_per_weight| SizeTrial {
            size,
            weights: 1,
            evaluations_per_second: 1.0,
            samples_per_second: 1.0,
            positions: 1.0,
            samples_per_weight,
        };
        let trials = [trial(SIZES[0], 90.0), trial(SIZES[1], 20.0), trial(SIZES[2], 19.9)];
        assert_eq!(largest(&trials), SIZES[1]);
        assert_eq!(largest(&[trial(SIZES[0], 1.0)]), SIZES[0]);
    }

    #[test]
    fn the_snippet_is_toml() {
        let (threads, in_flight, blocks, channels) = (2, 8, 3, 32);
        let suggestion = Suggestion { hours: 1.0, threads, in_flight, blocks, channels };
        let table: toml::Table = toml::from_str(&suggestion.to_toml()).unwrap();
        assert_eq!(table["train"]["hours"].as_float(), Some(1.0));
        assert_eq!(table["network"]["channels"].as_integer(), Some(32));
        assert_eq!(table["selfplay"]["in_flight"].as_integer(), Some(8));
    }
}
