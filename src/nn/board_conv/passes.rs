//! Forward and backward passes over a batch of boards, cut into groups that rayon may share out.
//! Groups and the order of every sum depend on the number of boards alone, so that the results are
//! bit-identical on any number of threads.

use super::board::{LANES, blocks};
use super::door::{Conv, Skip, convolve, weight_gradient};
use super::{Aligned, Board, Instructions, PackedConv};
use rayon::prelude::*;
use std::borrow::Cow;

/// Boards of one group.
const GROUP: usize = 32;
/// Boards whose gradients wait in cache for the weights' gradients.
const HANDFUL: usize = 4;

/// What all passes ask for: the board and the kernels.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub board: Board,
    pub instructions: Instructions,
}

/// A convolution's weights (burn's order) and biases: one row for all boards or one for each.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    pub outputs: usize,
    pub inputs: usize,
    pub taps: usize,
    pub weights: &'a [f32],
    pub bias: &'a [f32],
}

/// The two convolutions of a residual block.
#[derive(Clone, Copy, Debug)]
pub struct BlockWeights<'a> {
    pub first: Weights<'a>,
    pub second: Weights<'a>,
}

/// Gradients of a convolution; `weights` and `bias` in the order in which they came.
#[derive(Debug)]
pub struct ConvGradients {
    pub x: Option<Vec<f32>>,
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
}

/// Gradients of a residual block.
#[derive(Debug)]
pub struct BlockGradients {
    pub x: Vec<f32>,
    pub first: ConvGradients,
    pub second: ConvGradients,
}

impl<'a> Weights<'a> {
    fn pack(&self) -> PackedConv {
        PackedConv::pack(self.outputs, self.inputs, self.taps, self.weights)
    }

    fn pack_transposed(&self) -> PackedConv {
        PackedConv::pack_transposed(self.outputs, self.inputs, self.taps, self.weights)
    }

    fn bias_rows(&self, boards: usize) -> BiasRows<'a> {
        BiasRows::new(self.bias, self.outputs, boards)
    }
}

/// Biases filled up to whole blocks.
struct BiasRows<'a> {
    values: Cow<'a, [f32]>,
    row: usize,
    shared: bool,
}

impl<'a> BiasRows<'a> {
    fn new(bias: &'a [f32], outputs: usize, boards: usize) -> Self {
        assert!(
            bias.len() == outputs || bias.len() == outputs * boards,
            "{} biases for {outputs} channels of {boards} boards",
            bias.len()
        );
        let row = blocks(outputs) * LANES;
        let values = if outputs == row {
            Cow::Borrowed(bias)
        } else {
            let filled = bias.chunks_exact(outputs).flat_map(|bias| {
                bias.iter().copied().chain(std::iter::repeat_n(0.0, row - outputs))
            });
            Cow::Owned(filled.collect())
        };
        Self { values, row, shared: bias.len() == outputs }
    }

    fn of(&self, board: usize) -> &[f32] {
        let at = if self.shared { 0 } else { board * self.row };
        &self.values[at..at + self.row]
    }
}

/// Sums of a group that make up one convolution's gradients.
struct Sums {
    weights: Aligned,
    /// One row, or one for each board of the group.
    bias: Vec<f32>,
}

impl Sums {
    fn new(weights: &Weights, bias_rows: usize) -> Self {
        let length = PackedConv::length(weights.outputs, weights.inputs, weights.taps);
        Self { weights: Aligned::zeros(length), bias: vec![0.0; bias_rows * weights.outputs] }
    }

    fn add_bias(&mut self, board: Board, outputs: usize, row: usize, gradient: &[f32]) {
        let row = &mut self.bias[row * outputs..][..outputs];
        for (sums, plane) in row.chunks_mut(LANES).zip(gradient.chunks_exact(board.plane())) {
            // Zero cells hold zeros, so the whole plane may be summed.
            let mut lanes = [0f32; LANES];
            for cell in plane.chunks_exact(LANES) {
                for (lane, value) in lanes.iter_mut().zip(cell) {
                    *lane += value;
                }
            }
            for (sum, lane) in sums.iter_mut().zip(lanes) {
                *sum += lane;
            }
        }
    }
}

/// Joins the groups' sums in the order of the groups.
fn join(
    weights: &Weights,
    shared_bias: bool,
    groups: Vec<Sums>,
    x: Option<Vec<f32>>,
) -> ConvGradients {
    let length = PackedConv::length(weights.outputs, weights.inputs, weights.taps);
    let mut packed = vec![0f32; length];
    let mut bias = if shared_bias { vec![0f32; weights.outputs] } else { Vec::new() };
    for group in groups {
        for (sum, value) in packed.iter_mut().zip(group.weights.iter()) {
            *sum += value;
        }
        if shared_bias {
            for (sum, value) in bias.iter_mut().zip(group.bias) {
                *sum += value;
            }
        } else {
            bias.extend(group.bias);
        }
    }
    let Weights { outputs, inputs, taps, .. } = *weights;
    ConvGradients { x, weights: PackedConv::unpack(outputs, inputs, taps, &packed), bias }
}

/// The gradient where the output is positive, zero elsewhere.
fn masked(gradient: &[f32], output: &[f32], out: &mut [f32]) {
    for ((out, &gradient), &output) in out.iter_mut().zip(gradient).zip(output) {
        *out = if output > 0.0 { gradient } else { 0.0 };
    }
}

impl Pass {
    fn boards(&self, channels: usize, x: &[f32]) -> usize {
        let floats = self.board.floats(channels);
        assert_eq!(x.len() % floats, 0, "a batch of whole boards of {channels} channels");
        x.len() / floats
    }

    /// `relu(weights * x + bias)`, the ReLU optional, for a batch in the layout of [`Board`].
    pub fn conv(&self, x: &[f32], weights: &Weights, relu: bool) -> Vec<f32> {
        let boards = self.boards(weights.inputs, x);
        let (packed, bias) = (weights.pack(), weights.bias_rows(boards));
        let (read, write) = (self.board.floats(weights.inputs), self.board.floats(weights.outputs));
        let mut out = vec![0f32; boards * write];
        let groups = out.par_chunks_mut(GROUP * write).zip(x.par_chunks(GROUP * read)).enumerate();
        groups.for_each(|(group, (out, x))| {
            let each = out.chunks_exact_mut(write).zip(x.chunks_exact(read)).enumerate();
            for (index, (out, x)) in each {
                let conv = Conv {
                    board: self.board,
                    weights: &packed,
                    x,
                    bias: Some(bias.of(group * GROUP + index)),
                    skip: Skip::Nothing,
                    relu,
                    mask: None,
                };
                convolve(self.instructions, &conv, out);
            }
        });
        out
    }

    /// Gradients of [`Pass::conv`]; `out` is what it gave. The gradient of `x` only if wanted.
    pub fn conv_gradients(
        &self,
        x: &[f32],
        weights: &Weights,
        relu: bool,
        out: &[f32],
        gradient: &[f32],
        wants_x: bool,
    ) -> ConvGradients {
        let boards = self.boards(weights.inputs, x);
        let (read, write) = (self.board.floats(weights.inputs), self.board.floats(weights.outputs));
        assert_eq!(gradient.len(), boards * write);
        assert_eq!(out.len(), boards * write);
        let shared = weights.bias_rows(boards).shared;
        let transposed = wants_x.then(|| weights.pack_transposed());
        let mut x_gradient = wants_x.then(|| vec![0f32; boards * read]);
        let parts: Vec<Option<&mut [f32]>> = match &mut x_gradient {
            Some(all) => all.chunks_mut(GROUP * read).map(Some).collect(),
            None => (0..boards.div_ceil(GROUP)).map(|_| None).collect(),
        };
        let groups = parts.into_par_iter().enumerate().map(|(group, mut x_gradient)| {
            let first = group * GROUP;
            let count = GROUP.min(boards - first);
            let mut sums = Sums::new(weights, if shared { 1 } else { count });
            let mut changes = Aligned::zeros(HANDFUL * write);
            for from in (0..count).step_by(HANDFUL) {
                let some = HANDFUL.min(count - from);
                for index in from..from + some {
                    let at = (first + index) * write;
                    let gradient = &gradient[at..at + write];
                    let change = &mut changes[(index - from) * write..][..write];
                    if relu {
                        masked(gradient, &out[at..at + write], change);
                    } else {
                        change.copy_from_slice(gradient);
                    }
                    let row = if shared { 0 } else { index };
                    sums.add_bias(self.board, weights.outputs, row, change);
                    if let (Some(part), Some(transposed)) = (&mut x_gradient, &transposed) {
                        let conv = self.backward(transposed, change);
                        convolve(self.instructions, &conv, &mut part[index * read..][..read]);
                    }
                }
                let x = &x[(first + from) * read..][..some * read];
                self.add_products(weights, x, &changes[..some * write], &mut sums);
            }
            sums
        });
        let groups: Vec<Sums> = groups.collect();
        join(weights, shared, groups, x_gradient)
    }

    /// A residual block, `out = relu(second * inner + bias + x)` with
    /// `inner = relu(first * x + bias)`. Gives `(out, inner)`.
    pub fn block(&self, x: &[f32], weights: &BlockWeights) -> (Vec<f32>, Vec<f32>) {
        let BlockWeights { first, second } = weights;
        assert!(first.outputs == second.inputs && first.inputs == second.outputs);
        let boards = self.boards(first.inputs, x);
        let (packed, bias) = (first.pack(), first.bias_rows(boards));
        let (packed_second, bias_second) = (second.pack(), second.bias_rows(boards));
        let (outer, middle) = (self.board.floats(first.inputs), self.board.floats(first.outputs));
        let mut inner = vec![0f32; boards * middle];
        let mut out = vec![0f32; boards * outer];
        let groups = inner.par_chunks_mut(GROUP * middle).zip(out.par_chunks_mut(GROUP * outer));
        groups.enumerate().for_each(|(group, (inner, out))| {
            let both = inner.chunks_exact_mut(middle).zip(out.chunks_exact_mut(outer));
            for (index, (inner, out)) in both.enumerate() {
                let index = group * GROUP + index;
                let x = &x[index * outer..][..outer];
                let mut conv = Conv {
                    board: self.board,
                    weights: &packed,
                    x,
                    bias: Some(bias.of(index)),
                    skip: Skip::Nothing,
                    relu: true,
                    mask: None,
                };
                convolve(self.instructions, &conv, inner);
                conv.weights = &packed_second;
                conv.x = inner;
                conv.bias = Some(bias_second.of(index));
                conv.skip = Skip::Add(x);
                convolve(self.instructions, &conv, out);
            }
        });
        (out, inner)
    }

    /// Gradients of [`Pass::block`]; `out` and `inner` are what it gave.
    pub fn block_gradients(
        &self,
        x: &[f32],
        weights: &BlockWeights,
        inner: &[f32],
        out: &[f32],
        gradient: &[f32],
    ) -> BlockGradients {
        let BlockWeights { first, second } = weights;
        let boards = self.boards(first.inputs, x);
        let (outer, middle) = (self.board.floats(first.inputs), self.board.floats(first.outputs));
        assert_eq!(inner.len(), boards * middle);
        assert_eq!(out.len(), boards * outer);
        assert_eq!(gradient.len(), boards * outer);
        let shared = first.bias_rows(boards).shared;
        let shared_second = second.bias_rows(boards).shared;
        let (packed, packed_second) = (first.pack_transposed(), second.pack_transposed());
        let mut x_gradient = vec![0f32; boards * outer];
        let groups = x_gradient.par_chunks_mut(GROUP * outer).enumerate().map(|(group, part)| {
            let start = group * GROUP;
            let count = part.len() / outer;
            let mut sums = Sums::new(first, if shared { 1 } else { count });
            let mut sums_second = Sums::new(second, if shared_second { 1 } else { count });
            let mut changes = Aligned::zeros(HANDFUL * middle);
            let mut changes_second = Aligned::zeros(HANDFUL * outer);
            for from in (0..count).step_by(HANDFUL) {
                let some = HANDFUL.min(count - from);
                for index in from..from + some {
                    let (at, slot) = ((start + index) * outer, index - from);
                    let change_second = &mut changes_second[slot * outer..][..outer];
                    masked(&gradient[at..at + outer], &out[at..at + outer], change_second);
                    let row = if shared_second { 0 } else { index };
                    sums_second.add_bias(self.board, second.outputs, row, change_second);

                    let change = &mut changes[slot * middle..][..middle];
                    let mut conv = self.backward(&packed_second, change_second);
                    conv.mask = Some(&inner[(start + index) * middle..][..middle]);
                    convolve(self.instructions, &conv, change);
                    let row = if shared { 0 } else { index };
                    sums.add_bias(self.board, first.outputs, row, change);

                    let mut conv = self.backward(&packed, change);
                    conv.skip = Skip::Add(change_second);
                    convolve(self.instructions, &conv, &mut part[index * outer..][..outer]);
                }
                let inner = &inner[(start + from) * middle..][..some * middle];
                self.add_products(second, inner, &changes_second[..some * outer], &mut sums_second);
                let x = &x[(start + from) * outer..][..some * outer];
                self.add_products(first, x, &changes[..some * middle], &mut sums);
            }
            (sums, sums_second)
        });
        let (sums, sums_second) = groups.unzip();
        BlockGradients {
            x: x_gradient,
            first: join(first, shared, sums, None),
            second: join(second, shared_second, sums_second, None),
        }
    }

    fn backward<'a>(&self, transposed: &'a PackedConv, gradient: &'a [f32]) -> Conv<'a> {
        Conv {
            board: self.board,
            weights: transposed,
            x: gradient,
            bias: None,
            skip: Skip::Nothing,
            relu: false,
            mask: None,
        }
    }

    fn add_products(&self, weights: &Weights, x: &[f32], gradient: &[f32], sums: &mut Sums) {
        weight_gradient(
            self.instructions,
            self.board,
            (weights.inputs, x),
            (weights.outputs, gradient),
            weights.taps,
            &mut sums.weights,
        );
    }
}

/// The gradient of [`super::pool`] of one board, added to `out`: the mean's share goes to every
/// square, the maximum's to the first square that holds it.
///
/// # Panics
/// If a slice has another length than the board and the channels ask for.
pub fn pool_gradient(board: Board, channels: usize, x: &[f32], gradient: &[f32], out: &mut [f32]) {
    assert_eq!(x.len(), board.floats(channels));
    assert_eq!(out.len(), x.len());
    assert_eq!(gradient.len(), 2 * channels);
    let share = 1.0 / board.squares() as f32;
    let (means, maxima) = gradient.split_at(channels);
    for block in 0..blocks(channels) {
        let first = block * LANES;
        let lanes = LANES.min(channels - first);
        let at = block * board.plane();
        let corner = at + board.cell(0, 0) * LANES;
        let mut most: [_; LANES] = std::array::from_fn(|lane| (f32::NEG_INFINITY, corner + lane));
        for cell in board.square_cells() {
            let here = at + cell * LANES;
            for lane in 0..lanes {
                out[here + lane] += means[first + lane] * share;
                if x[here + lane] > most[lane].0 {
                    most[lane] = (x[here + lane], here + lane);
                }
            }
        }
        for lane in 0..lanes {
            out[most[lane].1] += maxima[first + lane];
        }
    }
}
