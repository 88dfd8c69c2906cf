//! Training samples per second: whole steps of the learner, from arrays to new weights.

use super::clock::repeat;
use super::inputs::{encode, lines, network};
use super::spread::Spread;
use super::{BenchError, Plan, Size};
use crate::codec::Encode;
use crate::learn::{Guard, LearnSettings, LossSettings, OptimiserSettings, Trainer, Weights};
use crate::nn::flat;
use crate::replay::{Batch, ILLEGAL};
use ndarray::{Array1, Array2, s};
use serde::Serialize;

/// Samples in a step.
pub const BATCH: usize = 256;

/// One size and number of threads.
#[derive(Clone, Debug, Serialize)]
pub struct TrainingRow {
    pub game: &'static str,
    pub size: Size,
    /// Samples in a step.
    pub batch: usize,
    /// Replicas, each on a thread of its own with its part of the batch.
    pub threads: usize,
    pub samples_per_second: Spread,
}

/// Measures all numbers of threads for one size.
pub fn measure<G: Encode>(
    game: &G,
    size: Size,
    learn: &LearnSettings,
    plan: &Plan,
) -> Result<Vec<TrainingRow>, BenchError> {
    let batch = samples(game, BATCH);
    let mut rows = Vec::new();
    for &threads in &plan.threads {
        let weights = Weights::new(flat::read(&network(game, size)?));
        let settings = size.settings();
        let (shape, guard) = (game.shape(), Guard::default());
        let mut trainer = Trainer::new(shape, &settings, weights, guard, learn.device, threads)?;
        let mut step = || {
            let (loss, optimiser) = (LossSettings::default(), OptimiserSettings::default());
            let rate = optimiser.learning_rate;
            let part = |from, count| part(&batch, from, count);
            trainer.step(learn, &optimiser, &loss, rate, BATCH, part);
            BATCH as u64
        };
        // The first step starts threads and takes memory.
        step();
        let rounds = (0..plan.rounds).map(|_| repeat(plan.seconds, &mut step).rate());
        let samples_per_second = Spread::of(rounds);
        let game = game.name();
        rows.push(TrainingRow { game, size, batch: BATCH, threads, samples_per_second });
    }
    Ok(rows)
}

/// Samples of random play: every legal action a target alike, results in turn.
fn samples<G: Encode>(game: &G, size: usize) -> Batch {
    let (shape, lines) = (game.shape(), lines(game, size));
    let encoded = encode(game, &lines);
    let matrix = |width: usize, values: &[f32]| {
        Array2::from_shape_fn((size, width), |(row, column)| values[row * width + column])
    };
    let mut policy = Array2::zeros((size, shape.codes()));
    let mut mask = Array2::from_elem((size, shape.codes()), ILLEGAL);
    for (row, line) in lines.iter().enumerate() {
        let legal = line.legal();
        for &action in &legal {
            let code = game.code(line.position(), action);
            policy[[row, code]] = 1.0 / legal.len() as f32;
            mask[[row, code]] = 0.0;
        }
    }
    Batch {
        planes: matrix(shape.plane_values(), &encoded.planes),
        globals: matrix(shape.globals, &encoded.globals),
        policy,
        mask,
        wdl: Array2::from_shape_fn((size, 3), |(row, column)| f32::from(row % 3 == column)),
        plies: Array1::from_shape_fn(size, |row| (row % 100) as f32),
        plies_known: Array1::ones(size),
        margin: Array1::zeros(size),
        margin_known: Array1::ones(size),
    }
}

/// Samples `from..from + count` of a batch.
fn part(batch: &Batch, from: usize, count: usize) -> Batch {
    let rows = |array: &Array2<f32>| array.slice(s![from..from + count, ..]).to_owned();
    let column = |array: &Array1<f32>| array.slice(s![from..from + count]).to_owned();
    Batch {
        planes: rows(&batch.planes),
        globals: rows(&batch.globals),
        policy: rows(&batch.policy),
        mask: rows(&batch.mask),
        wdl: rows(&batch.wdl),
        plies: column(&batch.plies),
        plies_known: column(&batch.plies_known),
        margin: column(&batch.margin),
        margin_known: column(&batch.margin_known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::jungle::Jungle;

    #[test]
    fn samples_are_whole_and_parts_are_theirs() {
        let game = Jungle::new(Default::default()).unwrap();
        let batch = samples(&game, 5);
        for row in batch.policy.rows() {
            assert!((row.sum() - 1.0).abs() < 1e-5);
        }
        let part = part(&batch, 2, 3);
        assert_eq!(part.len(), 3);
        assert_eq!(part.wdl.row(0), batch.wdl.row(2));
        assert_eq!(part.mask.row(2), batch.mask.row(4));
    }
}
