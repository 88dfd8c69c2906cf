//! Inference on a CPU, without burn: convolution, bias, skip and ReLU in one pass, nothing
//! allocated once it is built (beyond the room for answers), no threads.
//!
//! Every board is computed by itself, in the same order of sums: the answer about a position is
//! the same to the bit in any batch and at any place in it.

use super::board_conv::{Aligned, Board, Conv, Instructions, LANES, Skip, convolve, dense, pool};
use super::net::{MARGIN_SCALE, PLIES_SCALE};
use super::weights::{EngineWeights, Filter, Matrix};
use std::sync::Arc;

/// Boards that go through a layer before the next layer's weights are read.
const GROUP: usize = 4;

/// Answers about a batch. Kept and refilled by the caller.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    /// `[positions][codes]`: unnormalised log-probabilities of all policy codes.
    pub logits: Vec<f32>,
    /// Unnormalised log-probabilities of win, draw, loss as the actor sees them.
    pub wdl: Vec<[f32; 3]>,
    /// Plies left until the end.
    pub plies: Vec<f32>,
    /// Points of the actor minus points of the opponent; 0 where the game has no points.
    pub margin: Vec<f32>,
}

/// A network that evaluates positions on one thread. Build one for each thread; they share the
/// weights.
#[derive(Debug)]
pub struct Engine {
    weights: Arc<EngineWeights>,
    instructions: Instructions,
    /// Boards of a group: input, tower, inside of a block.
    input: Aligned,
    tower: Aligned,
    inner: Aligned,
    /// One board of the heads.
    policy_inner: Aligned,
    policy: Aligned,
    value: Aligned,
    /// Vectors of one board.
    bias: Aligned,
    pooled: Vec<f32>,
    features: Vec<f32>,
    hidden: Aligned,
    out: Aligned,
}

impl Engine {
    pub fn new(weights: Arc<EngineWeights>) -> Self {
        Self::with_instructions(weights, Instructions::chosen())
    }

    /// An engine with kernels of one's choice, for tests and measurements.
    pub fn with_instructions(weights: Arc<EngineWeights>, instructions: Instructions) -> Self {
        let board = weights.board;
        let boards = |count: usize, channels: usize| Aligned::zeros(count * board.floats(channels));
        let of = |filter: &Filter| boards(1, filter.conv.outputs());
        let mut widest_out = weights.value_out.bias.len();
        let mut widest_hidden = weights.value_hidden.bias.len();
        if let Some((hidden, out)) = &weights.extra {
            widest_hidden = widest_hidden.max(hidden.bias.len());
            widest_out = widest_out.max(out.bias.len());
        }
        let widest_bias = weights.stem.bias.len().max(weights.policy_conv.bias.len());
        let features = board.squares() * weights.value_conv.conv.outputs() + 2 * weights.channels;
        Self {
            instructions,
            input: boards(GROUP, weights.shape.planes),
            tower: boards(GROUP, weights.channels),
            inner: boards(GROUP, weights.channels),
            policy_inner: of(&weights.policy_conv),
            policy: of(&weights.policy_out),
            value: of(&weights.value_conv),
            bias: Aligned::zeros(widest_bias),
            pooled: vec![0.0; 2 * weights.channels],
            features: vec![0.0; features],
            hidden: Aligned::zeros(widest_hidden),
            out: Aligned::zeros(widest_out),
            weights,
        }
    }

    /// The weights that it plays.
    pub fn weights(&self) -> &Arc<EngineWeights> {
        &self.weights
    }

    /// Evaluates a batch: `planes` is `[positions][squares][planes]`, `globals`
    /// `[positions][globals]`, as [`crate::codec::Encode::encode`] writes them.
    ///
    /// # Panics
    /// If a slice does not hold whole positions, or they hold different numbers of positions.
    pub fn evaluate(&mut self, planes: &[f32], globals: &[f32], out: &mut Predictions) {
        let shape = self.weights.shape;
        let positions = planes.len() / shape.plane_values();
        assert_eq!(planes.len(), positions * shape.plane_values());
        assert_eq!(globals.len(), positions * shape.globals);
        out.logits.resize(positions * shape.codes(), 0.0);
        out.wdl.resize(positions, [0.0; 3]);
        out.plies.resize(positions, 0.0);
        out.margin.resize(positions, 0.0);
        for first in (0..positions).step_by(GROUP) {
            let count = GROUP.min(positions - first);
            let planes = &planes[first * shape.plane_values()..][..count * shape.plane_values()];
            let globals = &globals[first * shape.globals..][..count * shape.globals];
            self.tower(count, planes, globals);
            for index in 0..count {
                let position = first + index;
                let logits = &mut out.logits[position * shape.codes()..][..shape.codes()];
                let value = self.heads(index, logits);
                out.wdl[position] = [value[0], value[1], value[2]];
                out.plies[position] = softplus(value[3]) * PLIES_SCALE;
                out.margin[position] = if shape.margin { value[4] * MARGIN_SCALE } else { 0.0 };
            }
        }
    }

    /// Stem and blocks for the boards of a group.
    fn tower(&mut self, count: usize, planes: &[f32], globals: &[f32]) {
        let Self { weights, instructions, input, tower, inner, bias, pooled, .. } = self;
        let (shape, board, instructions) = (weights.shape, weights.board, *instructions);
        let (entry, floats) = (board.floats(shape.planes), board.floats(weights.channels));
        for index in 0..count {
            let planes = &planes[index * shape.plane_values()..][..shape.plane_values()];
            let input = &mut input[index * entry..][..entry];
            board.spread(shape.planes, planes, input);
            let bias = match &weights.globals {
                Some(matrix) => {
                    let globals = &globals[index * shape.globals..][..shape.globals];
                    sum_bias(instructions, &weights.stem, matrix, globals, bias)
                }
                None => &weights.stem.bias,
            };
            let conv = layer(board, &weights.stem, input, bias, true);
            convolve(instructions, &conv, &mut tower[index * floats..][..floats]);
        }
        for block in &weights.blocks {
            for index in 0..count {
                let x = &tower[index * floats..][..floats];
                let bias = match &block.pool {
                    Some(matrix) => {
                        pool(instructions, board, weights.channels, x, pooled);
                        sum_bias(instructions, &block.first, matrix, pooled, bias)
                    }
                    None => &block.first.bias,
                };
                let conv = layer(board, &block.first, x, bias, true);
                convolve(instructions, &conv, &mut inner[index * floats..][..floats]);
            }
            for index in 0..count {
                let x = &inner[index * floats..][..floats];
                let mut conv = layer(board, &block.second, x, &block.second.bias, true);
                conv.skip = Skip::Output;
                convolve(instructions, &conv, &mut tower[index * floats..][..floats]);
            }
        }
    }

    /// The heads of one board of the group; writes the policy and gives the value outputs.
    fn heads(&mut self, index: usize, logits: &mut [f32]) -> &[f32] {
        let Self { weights, instructions, tower, features, hidden, out, .. } = self;
        let (board, instructions) = (weights.board, *instructions);
        let floats = board.floats(weights.channels);
        let x = &tower[index * floats..][..floats];
        let flat = board.squares() * weights.value_conv.conv.outputs();
        let (on_squares, pooled) = features.split_at_mut(flat);
        pool(instructions, board, weights.channels, x, pooled);

        let bias = sum_bias(
            instructions,
            &weights.policy_conv,
            &weights.policy_pool,
            pooled,
            &mut self.bias,
        );
        let conv = layer(board, &weights.policy_conv, x, bias, true);
        convolve(instructions, &conv, &mut self.policy_inner);
        let bias = &weights.policy_out.bias;
        let conv = layer(board, &weights.policy_out, &self.policy_inner, bias, false);
        convolve(instructions, &conv, &mut self.policy);
        let (on_board, extra) = logits.split_at_mut(board.squares() * weights.shape.policy_planes);
        board.gather(weights.shape.policy_planes, &self.policy, on_board);

        let conv = layer(board, &weights.value_conv, x, &weights.value_conv.bias, true);
        convolve(instructions, &conv, &mut self.value);
        board.gather(weights.value_conv.conv.outputs(), &self.value, on_squares);
        if let Some((matrix, last)) = &weights.extra {
            rectify(product(instructions, matrix, features, hidden));
            extra.copy_from_slice(product(instructions, last, &hidden[..matrix.outputs], out));
        }
        let matrix = &weights.value_hidden;
        rectify(product(instructions, matrix, features, hidden));
        product(instructions, &weights.value_out, &hidden[..matrix.outputs], out)
    }
}

fn layer<'a>(
    board: Board,
    filter: &'a Filter,
    x: &'a [f32],
    bias: &'a [f32],
    relu: bool,
) -> Conv<'a> {
    let weights = &filter.conv;
    Conv { board, weights, x, bias: Some(bias), skip: Skip::Nothing, relu, mask: None }
}

/// A convolution's biases plus a linear layer of `x`.
fn sum_bias<'a>(
    instructions: Instructions,
    filter: &Filter,
    matrix: &Matrix,
    x: &[f32],
    out: &'a mut [f32],
) -> &'a [f32] {
    let out = &mut out[..filter.bias.len()];
    for ((out, own), other) in out.iter_mut().zip(filter.bias.iter()).zip(matrix.bias.iter()) {
        *out = own + other;
    }
    dense(instructions, x, &matrix.weights, out);
    out
}

/// A linear layer; gives its real outputs.
fn product<'a>(
    instructions: Instructions,
    matrix: &Matrix,
    x: &[f32],
    out: &'a mut [f32],
) -> &'a mut [f32] {
    let out = &mut out[..matrix.bias.len()];
    out.copy_from_slice(&matrix.bias);
    dense(instructions, x, &matrix.weights, out);
    &mut out[..matrix.outputs]
}

fn rectify(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}

/// `ln(1 + eˣ)` without overflow.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

const _: () = assert!(LANES >= 5, "one block holds all value outputs");
