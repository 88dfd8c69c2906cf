//! Kernels for AVX-512: a tile of up to 14 squares × 32 channels stays in registers (28 sums, 2
//! weights, 1 input), so that two multiply-adds follow each load.

use super::Board;
use super::board::{LANES, Tile, blocks};
use super::door::{RawConv, RawGradient};
use super::portable;
use std::arch::x86_64::*;

/// # Safety
/// AVX-512F; the pointers and sizes of `raw` as `door` checks them.
#[target_feature(enable = "avx512f")]
pub unsafe fn convolve(raw: &RawConv) {
    let count = blocks(raw.outputs);
    for block in (0..count).step_by(2) {
        for tile in raw.board.tiles() {
            // SAFETY: the block (or pair of blocks) and the tile are the output's own.
            unsafe {
                if block + 1 < count {
                    choose::<2>(raw, block, tile);
                } else {
                    choose::<1>(raw, block, tile);
                }
            }
        }
    }
}

/// Enters the kernel for the tile's size.
#[target_feature(enable = "avx512f")]
unsafe fn choose<const BLOCKS: usize>(raw: &RawConv, block: usize, tile: Tile) {
    macro_rules! sizes {
        ($(($rows:literal, $columns:literal))*) => {
            match (tile.rows, tile.columns) {
                // SAFETY: the sizes are the tile's.
                $(($rows, $columns) => unsafe {
                    compute::<$rows, $columns, BLOCKS>(raw, block, tile.cell);
                },)*
                _ => unreachable!("a tile has at most 14 squares"),
            }
        };
    }
    sizes! {
        (1, 1) (1, 2) (1, 3) (1, 4) (1, 5) (1, 6) (1, 7)
        (1, 8) (1, 9) (1, 10) (1, 11) (1, 12) (1, 13) (1, 14)
        (2, 1) (2, 2) (2, 3) (2, 4) (2, 5) (2, 6) (2, 7)
    }
}

#[target_feature(enable = "avx512f")]
unsafe fn compute<const ROWS: usize, const COLUMNS: usize, const BLOCKS: usize>(
    raw: &RawConv,
    block: usize,
    cell: usize,
) {
    let plane = raw.board.plane();
    let panel = raw.panel();
    // A tile of two rows has full rows, so that the row below is a constant distance away.
    let place = |row: usize, column: usize| (row * (COLUMNS + 1) + column) * LANES;
    // SAFETY: input planes, weight panels, bias, skip, mask and output have the sizes that `door`
    // checked; a tap of a square lies within its plane.
    unsafe {
        let mut sums = [[[_mm512_setzero_ps(); COLUMNS]; ROWS]; BLOCKS];
        if !raw.bias.is_null() {
            for b in 0..BLOCKS {
                sums[b] = [[_mm512_loadu_ps(raw.bias.add((block + b) * LANES)); COLUMNS]; ROWS];
            }
        }
        let mut weights = raw.weights.add(block * panel);
        for input in 0..blocks(raw.inputs) {
            let x = raw.x.add(input * plane + cell * LANES);
            let channels = LANES.min(raw.inputs - input * LANES);
            for tap in 0..raw.taps {
                let x = x.offset(raw.offsets[tap]);
                for channel in 0..channels {
                    let x = x.add(channel);
                    let mut weight = [_mm512_setzero_ps(); BLOCKS];
                    for b in 0..BLOCKS {
                        weight[b] = _mm512_loadu_ps(weights.add(b * panel + channel * LANES));
                    }
                    for row in 0..ROWS {
                        for column in 0..COLUMNS {
                            let value = _mm512_set1_ps(*x.add(place(row, column)));
                            for b in 0..BLOCKS {
                                sums[b][row][column] =
                                    _mm512_fmadd_ps(value, weight[b], sums[b][row][column]);
                            }
                        }
                    }
                }
                weights = weights.add(LANES * LANES);
            }
        }
        let zero = _mm512_setzero_ps();
        for b in 0..BLOCKS {
            let at = (block + b) * plane + cell * LANES;
            for row in 0..ROWS {
                for column in 0..COLUMNS {
                    let at = at + place(row, column);
                    let mut sum = sums[b][row][column];
                    if !raw.skip.is_null() {
                        sum = _mm512_add_ps(sum, _mm512_loadu_ps(raw.skip.add(at)));
                    }
                    if raw.relu {
                        sum = _mm512_max_ps(sum, zero);
                    }
                    if !raw.mask.is_null() {
                        let mask = _mm512_loadu_ps(raw.mask.add(at));
                        let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(mask, zero);
                        sum = _mm512_maskz_mov_ps(positive, sum);
                    }
                    _mm512_storeu_ps(raw.out.add(at), sum);
                }
            }
        }
    }
}

/// # Safety
/// AVX-512F; the pointers and sizes of `raw` as `door` checks them.
#[target_feature(enable = "avx512f")]
pub unsafe fn weight_gradient(raw: &RawGradient) {
    let count = blocks(raw.outputs);
    for output in (0..count).step_by(2) {
        for input in 0..blocks(raw.inputs) {
            for tap in 0..raw.taps {
                // SAFETY: the blocks are the tensors' own.
                unsafe {
                    if output + 1 < count {
                        products::<8, 2>(raw, output, input, tap, 0);
                        if raw.inputs - input * LANES > 8 {
                            products::<8, 2>(raw, output, input, tap, 8);
                        }
                    } else {
                        products::<16, 1>(raw, output, input, tap, 0);
                    }
                }
            }
        }
    }
}

/// Sums of `CHANNELS` inputs × `BLOCKS` output blocks for one tap.
#[target_feature(enable = "avx512f")]
unsafe fn products<const CHANNELS: usize, const BLOCKS: usize>(
    raw: &RawGradient,
    output: usize,
    input: usize,
    tap: usize,
    channel: usize,
) {
    let (board, plane) = (raw.board, raw.board.plane());
    let inputs = blocks(raw.inputs);
    let panel = inputs * raw.taps * LANES * LANES;
    // SAFETY: the sums, planes and cells lie within what `door` checked.
    unsafe {
        let at = raw.sums.add(output * panel + (input * raw.taps + tap) * LANES * LANES);
        let at = at.add(channel * LANES);
        let mut sums = [[_mm512_setzero_ps(); CHANNELS]; BLOCKS];
        for b in 0..BLOCKS {
            for c in 0..CHANNELS {
                sums[b][c] = _mm512_loadu_ps(at.add(b * panel + c * LANES));
            }
        }
        for index in 0..raw.boards {
            let x = raw.x.add((index * inputs + input) * plane + channel);
            let x = x.offset(raw.offsets[tap]);
            let gradient = raw.gradient.add((index * blocks(raw.outputs) + output) * plane);
            for row in 0..board.height() {
                let cell = board.cell(row, 0);
                for cell in cell..cell + board.width() {
                    let x = x.add(cell * LANES);
                    let mut change = [_mm512_setzero_ps(); BLOCKS];
                    for b in 0..BLOCKS {
                        change[b] = _mm512_loadu_ps(gradient.add(b * plane + cell * LANES));
                    }
                    for c in 0..CHANNELS {
                        let value = _mm512_set1_ps(*x.add(c));
                        for b in 0..BLOCKS {
                            sums[b][c] = _mm512_fmadd_ps(value, change[b], sums[b][c]);
                        }
                    }
                }
            }
        }
        for b in 0..BLOCKS {
            for c in 0..CHANNELS {
                _mm512_storeu_ps(at.add(b * panel + c * LANES), sums[b][c]);
            }
        }
    }
}

/// # Safety
/// AVX-512F; `weights` is `[x.len()][out.len()]`, `out` is made of whole blocks.
#[target_feature(enable = "avx512f")]
pub unsafe fn dense(x: &[f32], weights: &[f32], out: &mut [f32]) {
    let row = out.len();
    for (part, out) in out.chunks_mut(4 * LANES).enumerate() {
        let weights = weights.as_ptr().wrapping_add(part * 4 * LANES);
        // SAFETY: the columns of this part lie within each row of the weights.
        unsafe {
            match out.len() / LANES {
                1 => dense_part::<1>(x, weights, row, out),
                2 => dense_part::<2>(x, weights, row, out),
                3 => dense_part::<3>(x, weights, row, out),
                _ => dense_part::<4>(x, weights, row, out),
            }
        }
    }
}

#[target_feature(enable = "avx512f")]
unsafe fn dense_part<const BLOCKS: usize>(
    x: &[f32],
    weights: *const f32,
    row: usize,
    out: &mut [f32],
) {
    // SAFETY: `out` has `BLOCKS` blocks, every row of the weights at least as many from here on.
    unsafe {
        let out = out.as_mut_ptr();
        // Two sums for each output, so that a multiply-add need not wait for the last.
        let mut sums = [[_mm512_setzero_ps(); BLOCKS]; 2];
        for b in 0..BLOCKS {
            sums[0][b] = _mm512_loadu_ps(out.add(b * LANES));
        }
        let mut row_weights = weights;
        for pair in x.chunks(2) {
            for (sums, &value) in sums.iter_mut().zip(pair) {
                let value = _mm512_set1_ps(value);
                for b in 0..BLOCKS {
                    let weight = _mm512_loadu_ps(row_weights.add(b * LANES));
                    sums[b] = _mm512_fmadd_ps(value, weight, sums[b]);
                }
                row_weights = row_weights.wrapping_add(row);
            }
        }
        for b in 0..BLOCKS {
            _mm512_storeu_ps(out.add(b * LANES), _mm512_add_ps(sums[0][b], sums[1][b]));
        }
    }
}

/// # Safety
/// AVX-512F.
#[target_feature(enable = "avx512f")]
pub unsafe fn pool(board: Board, channels: usize, x: &[f32], out: &mut [f32]) {
    portable::pool(board, channels, x, out);
}
