//! Kernels for AVX2 with FMA: a tile of up to 14 squares × 8 channels stays in the 16 registers
//! (14 sums, 1 weight, 1 input).

use super::Board;
use super::board::{LANES, Tile, blocks};
use super::door::{RawConv, RawGradient};
use super::portable;
use std::arch::x86_64::*;

/// Channels of one register: half a block.
const HALF: usize = 8;

/// # Safety
/// AVX2 and FMA; the pointers and sizes of `raw` as `door` checks them.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn convolve(raw: &RawConv) {
    // A half block beyond the last channel stays as it is: zero.
    for channel in (0..raw.outputs).step_by(HALF) {
        for tile in raw.board.tiles() {
            // SAFETY: the channels and the tile are the output's own.
            unsafe { choose(raw, channel, tile) };
        }
    }
}

/// Enters the kernel for the tile's size.
#[target_feature(enable = "avx2,fma")]
unsafe fn choose(raw: &RawConv, channel: usize, tile: Tile) {
    macro_rules! sizes {
        ($(($rows:literal, $columns:literal))*) => {
            match (tile.rows, tile.columns) {
                // SAFETY: the sizes are the tile's.
                $(($rows, $columns) => unsafe {
                    compute::<$rows, $columns>(raw, channel, tile.cell);
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

#[target_feature(enable = "avx2,fma")]
unsafe fn compute<const ROWS: usize, const COLUMNS: usize>(
    raw: &RawConv,
    channel: usize,
    cell: usize,
) {
    let plane = raw.board.plane();
    let (block, lane) = (channel / LANES, channel % LANES);
    let place = |row: usize, column: usize| (row * (COLUMNS + 1) + column) * LANES;
    // SAFETY: input planes, weight panels, bias, skip, mask and output have the sizes that `door`
    // checked; a tap of a square lies within its plane.
    unsafe {
        let mut sums = [[_mm256_setzero_ps(); COLUMNS]; ROWS];
        if !raw.bias.is_null() {
            sums = [[_mm256_loadu_ps(raw.bias.add(channel)); COLUMNS]; ROWS];
        }
        let mut weights = raw.weights.add(block * raw.panel() + lane);
        for input in 0..blocks(raw.inputs) {
            let x = raw.x.add(input * plane + cell * LANES);
            let channels = LANES.min(raw.inputs - input * LANES);
            for tap in 0..raw.taps {
                let x = x.offset(raw.offsets[tap]);
                for channel in 0..channels {
                    let x = x.add(channel);
                    let weight = _mm256_loadu_ps(weights.add(channel * LANES));
                    for row in 0..ROWS {
                        for column in 0..COLUMNS {
                            let value = _mm256_set1_ps(*x.add(place(row, column)));
                            sums[row][column] = _mm256_fmadd_ps(value, weight, sums[row][column]);
                        }
                    }
                }
                weights = weights.add(LANES * LANES);
            }
        }
        let zero = _mm256_setzero_ps();
        let at = block * plane + cell * LANES + lane;
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let at = at + place(row, column);
                let mut sum = sums[row][column];
                if !raw.skip.is_null() {
                    sum = _mm256_add_ps(sum, _mm256_loadu_ps(raw.skip.add(at)));
                }
                if raw.relu {
                    sum = _mm256_max_ps(sum, zero);
                }
                if !raw.mask.is_null() {
                    let mask = _mm256_loadu_ps(raw.mask.add(at));
                    sum = _mm256_and_ps(sum, _mm256_cmp_ps::<_CMP_GT_OQ>(mask, zero));
                }
                _mm256_storeu_ps(raw.out.add(at), sum);
            }
        }
    }
}

/// # Safety
/// AVX2 and FMA; the pointers and sizes of `raw` as `door` checks them.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn weight_gradient(raw: &RawGradient) {
    for output in 0..blocks(raw.outputs) {
        for tap in 0..raw.taps {
            for channel in (0..raw.inputs).step_by(4) {
                // SAFETY: the blocks are the tensors' own.
                unsafe { products(raw, output, channel, tap) };
            }
        }
    }
}

/// Sums of 4 inputs × 1 output block for one tap.
#[target_feature(enable = "avx2,fma")]
unsafe fn products(raw: &RawGradient, output: usize, channel: usize, tap: usize) {
    let (board, plane) = (raw.board, raw.board.plane());
    let inputs = blocks(raw.inputs);
    let (input, lane) = (channel / LANES, channel % LANES);
    // SAFETY: the sums, planes and cells lie within what `door` checked.
    unsafe {
        let tile = (output * inputs + input) * raw.taps + tap;
        let at = raw.sums.add((tile * LANES + lane) * LANES);
        let mut sums = [[_mm256_setzero_ps(); 2]; 4];
        for c in 0..4 {
            for half in 0..2 {
                sums[c][half] = _mm256_loadu_ps(at.add(c * LANES + half * HALF));
            }
        }
        for index in 0..raw.boards {
            let x = raw.x.add((index * inputs + input) * plane + lane).offset(raw.offsets[tap]);
            let gradient = raw.gradient.add((index * blocks(raw.outputs) + output) * plane);
            for row in 0..board.height() {
                let cell = board.cell(row, 0);
                for cell in cell..cell + board.width() {
                    let x = x.add(cell * LANES);
                    let low = _mm256_loadu_ps(gradient.add(cell * LANES));
                    let high = _mm256_loadu_ps(gradient.add(cell * LANES + HALF));
                    for c in 0..4 {
                        let value = _mm256_set1_ps(*x.add(c));
                        sums[c][0] = _mm256_fmadd_ps(value, low, sums[c][0]);
                        sums[c][1] = _mm256_fmadd_ps(value, high, sums[c][1]);
                    }
                }
            }
        }
        for c in 0..4 {
            for half in 0..2 {
                _mm256_storeu_ps(at.add(c * LANES + half * HALF), sums[c][half]);
            }
        }
    }
}

/// # Safety
/// AVX2 and FMA; `weights` is `[x.len()][out.len()]`, `out` is made of whole blocks.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn dense(x: &[f32], weights: &[f32], out: &mut [f32]) {
    let row = out.len();
    for (part, out) in out.chunks_exact_mut(LANES).enumerate() {
        // SAFETY: the columns of this part lie within each row of the weights.
        unsafe {
            let mut weights = weights.as_ptr().add(part * LANES);
            let out = out.as_mut_ptr();
            let mut sums = [[_mm256_setzero_ps(); 2]; 4];
            sums[0] = [_mm256_loadu_ps(out), _mm256_loadu_ps(out.add(HALF))];
            for four in x.chunks(4) {
                for (sums, &value) in sums.iter_mut().zip(four) {
                    let value = _mm256_set1_ps(value);
                    for half in 0..2 {
                        let weight = _mm256_loadu_ps(weights.add(half * HALF));
                        sums[half] = _mm256_fmadd_ps(value, weight, sums[half]);
                    }
                    weights = weights.wrapping_add(row);
                }
            }
            for half in 0..2 {
                let low = _mm256_add_ps(sums[0][half], sums[1][half]);
                let high = _mm256_add_ps(sums[2][half], sums[3][half]);
                _mm256_storeu_ps(out.add(half * HALF), _mm256_add_ps(low, high));
            }
        }
    }
}

/// # Safety
/// AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn pool(board: Board, channels: usize, x: &[f32], out: &mut [f32]) {
    portable::pool(board, channels, x, out);
}
