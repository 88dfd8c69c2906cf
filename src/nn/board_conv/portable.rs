//! Kernels in plain Rust, for processors without the other instruction sets: short loops over
//! whole lanes that the compiler turns into whatever vectors the processor has.

use super::Board;
use super::board::{LANES, blocks};
use super::door::{RawConv, RawGradient};

/// Channels that are summed together: half a block.
const HALF: usize = 8;

/// # Safety
/// The pointers and sizes of `raw` as `door` checks them.
pub unsafe fn convolve(raw: &RawConv) {
    for channel in (0..raw.outputs).step_by(HALF) {
        for tile in raw.board.tiles() {
            for row in 0..tile.rows {
                for column in (0..tile.columns).step_by(4) {
                    let cell = tile.cell + row * raw.board.stride() + column;
                    // SAFETY: the channels and the squares are the output's own.
                    unsafe {
                        match tile.columns - column {
                            1 => compute::<1>(raw, channel, cell),
                            2 => compute::<2>(raw, channel, cell),
                            3 => compute::<3>(raw, channel, cell),
                            _ => compute::<4>(raw, channel, cell),
                        }
                    }
                }
            }
        }
    }
}

unsafe fn compute<const SQUARES: usize>(raw: &RawConv, channel: usize, cell: usize) {
    let plane = raw.board.plane();
    let (block, lane) = (channel / LANES, channel % LANES);
    // SAFETY: input planes, weight panels, bias, skip, mask and output have the sizes that `door`
    // checked; a tap of a square lies within its plane.
    unsafe {
        let mut bias = [0f32; HALF];
        if !raw.bias.is_null() {
            bias = raw.bias.add(channel).cast::<[f32; HALF]>().read();
        }
        let mut sums = [bias; SQUARES];
        let mut weights = raw.weights.add(block * raw.panel() + lane);
        for input in 0..blocks(raw.inputs) {
            let x = raw.x.add(input * plane + cell * LANES);
            let channels = LANES.min(raw.inputs - input * LANES);
            for tap in 0..raw.taps {
                let x = x.offset(raw.offsets[tap]);
                for channel in 0..channels {
                    let weight = weights.add(channel * LANES).cast::<[f32; HALF]>().read();
                    for (square, sums) in sums.iter_mut().enumerate() {
                        let value = *x.add(square * LANES + channel);
                        for (sum, weight) in sums.iter_mut().zip(weight) {
                            *sum += value * weight;
                        }
                    }
                }
                weights = weights.add(LANES * LANES);
            }
        }
        // A copy, so that the sums above can stay in registers.
        let done = std::hint::black_box(sums);
        for (square, sums) in done.iter().enumerate() {
            let at = block * plane + (cell + square) * LANES + lane;
            for (i, &sum) in sums.iter().enumerate() {
                let mut sum = sum;
                if !raw.skip.is_null() {
                    sum += *raw.skip.add(at + i);
                }
                if raw.relu {
                    sum = sum.max(0.0);
                }
                if !raw.mask.is_null() && *raw.mask.add(at + i) <= 0.0 {
                    sum = 0.0;
                }
                *raw.out.add(at + i) = sum;
            }
        }
    }
}

/// # Safety
/// The pointers and sizes of `raw` as `door` checks them.
pub unsafe fn weight_gradient(raw: &RawGradient) {
    let (board, plane) = (raw.board, raw.board.plane());
    let (inputs, outputs) = (blocks(raw.inputs), blocks(raw.outputs));
    for output in 0..outputs {
        for channel in 0..raw.inputs {
            for tap in 0..raw.taps {
                let (input, lane) = (channel / LANES, channel % LANES);
                let tile = (output * inputs + input) * raw.taps + tap;
                // SAFETY: the sums, planes and cells lie within what `door` checked.
                unsafe {
                    let at = raw.sums.add((tile * LANES + lane) * LANES).cast::<[f32; LANES]>();
                    let mut sums = at.read();
                    for index in 0..raw.boards {
                        let start = (index * inputs + input) * plane + lane;
                        let gradient = raw.gradient.add((index * outputs + output) * plane);
                        for cell in board.square_cells() {
                            let value = *raw.tap(start + cell * LANES, tap);
                            let change = gradient.add(cell * LANES).cast::<[f32; LANES]>().read();
                            for (sum, change) in sums.iter_mut().zip(change) {
                                *sum += value * change;
                            }
                        }
                    }
                    at.write(sums);
                }
            }
        }
    }
}

/// Adds `x × weights` to `out`.
pub fn dense(x: &[f32], weights: &[f32], out: &mut [f32]) {
    for (&value, weights) in x.iter().zip(weights.chunks_exact(out.len())) {
        for (sum, weight) in out.iter_mut().zip(weights) {
            *sum += value * weight;
        }
    }
}

/// Means and maxima over the squares. Inlined into the other sets' functions of the same name, so
/// that the compiler may use their registers.
#[inline(always)]
pub fn pool(board: Board, channels: usize, x: &[f32], out: &mut [f32]) {
    let (means, maxima) = out.split_at_mut(channels);
    let share = 1.0 / board.squares() as f32;
    for (block, plane) in x.chunks_exact(board.plane()).enumerate() {
        let mut sums = [0f32; LANES];
        let mut most = [f32::NEG_INFINITY; LANES];
        for row in 0..board.height() {
            let from = board.cell(row, 0) * LANES;
            for cell in plane[from..from + board.width() * LANES].chunks_exact(LANES) {
                for lane in 0..LANES {
                    sums[lane] += cell[lane];
                    most[lane] = if cell[lane] > most[lane] { cell[lane] } else { most[lane] };
                }
            }
        }
        let first = block * LANES;
        for lane in 0..LANES.min(channels - first) {
            means[first + lane] = sums[lane] * share;
            maxima[first + lane] = most[lane];
        }
    }
}
