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
                    compute::<{ $rows * $columns }, $columns>(raw, channel, tile.cell);
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

/// Computes a tile of `SQUARES` squares in rows of `COLUMNS`.
#[target_feature(enable = "avx2,fma")]
unsafe fn compute<const SQUARES: usize, const COLUMNS: usize>(
    raw: &RawConv,
    channel: usize,
    cell: usize,
) {
    let plane = raw.board.plane();
    let (block, lane) = (channel / LANES, channel % LANES);
    // A tile of two rows has full rows, so that the row below is a constant distance away.
    let place = |square: usize| (square / COLUMNS * (COLUMNS + 1) + square % COLUMNS) * LANES;
    // SAFETY: input planes, weight panels, bias, skip, mask and output have the sizes that `door`
    // checked; a tap of a square lies within its plane.
    unsafe {
        let zero = _mm256_setzero_ps();
        let bias = if raw.bias.is_null() { zero } else { _mm256_loadu_ps(raw.bias.add(channel)) };
        let mut sums = [bias; SQUARES];
        let mut weights = raw.weights.add(block * raw.panel() + lane);
        for input in 0..blocks(raw.inputs) {
            let x = raw.x.add(input * plane + cell * LANES);
            let channels = LANES.min(raw.inputs - input * LANES);
            for tap in 0..raw.taps {
                let x = x.offset(raw.offsets[tap]);
                for channel in 0..channels {
                    let x = x.add(channel);
                    let weight = _mm256_loadu_ps(weights.add(channel * LANES));
                    let mut square = 0;
                    while square < SQUARES {
                        let value = _mm256_set1_ps(*x.add(place(square)));
                        sums[square] = _mm256_fmadd_ps(value, weight, sums[square]);
                        square += 1;
                    }
                }
                weights = weights.add(LANES * LANES);
            }
        }
        let at = block * plane + cell * LANES + lane;
        // Each step is a loop of its own, short enough for the compiler to unroll it: one index known
        // only at run time would send all sums to memory, at every step above.
        if !raw.skip.is_null() {
            let mut square = 0;
            while square < SQUARES {
                let more = _mm256_loadu_ps(raw.skip.add(at + place(square)));
                sums[square] = _mm256_add_ps(sums[square], more);
                square += 1;
            }
        }
        if raw.relu {
            let mut square = 0;
            while square < SQUARES {
                sums[square] = _mm256_max_ps(sums[square], zero);
                square += 1;
            }
        }
        if !raw.mask.is_null() {
            let mut square = 0;
            while square < SQUARES {
                let mask = _mm256_loadu_ps(raw.mask.add(at + place(square)));
                let positive = _mm256_cmp_ps::<_CMP_GT_OQ>(mask, zero);
                sums[square] = _mm256_and_ps(sums[square], positive);
                square += 1;
            }
        }
        let mut square = 0;
        while square < SQUARES {
            _mm256_storeu_ps(raw.out.add(at + place(square)), sums[square]);
            square += 1;
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
        let mut low = [_mm256_setzero_ps(); 4];
        let mut high = [_mm256_setzero_ps(); 4];
        for c in 0..4 {
            low[c] = _mm256_loadu_ps(at.add(c * LANES));
            high[c] = _mm256_loadu_ps(at.add(c * LANES + HALF));
        }
        for index in 0..raw.boards {
            let start = (index * inputs + input) * plane + lane;
            let gradient = raw.gradient.add((index * blocks(raw.outputs) + output) * plane);
            for row in 0..board.height() {
                let cell = board.cell(row, 0);
                for cell in cell..cell + board.width() {
                    let x = raw.tap(start + cell * LANES, tap);
                    let low_change = _mm256_loadu_ps(gradient.add(cell * LANES));
                    let high_change = _mm256_loadu_ps(gradient.add(cell * LANES + HALF));
                    let mut c = 0;
                    while c < 4 {
                        let value = _mm256_set1_ps(*x.add(c));
                        low[c] = _mm256_fmadd_ps(value, low_change, low[c]);
                        high[c] = _mm256_fmadd_ps(value, high_change, high[c]);
                        c += 1;
                    }
                }
            }
        }
        for c in 0..4 {
            _mm256_storeu_ps(at.add(c * LANES), low[c]);
            _mm256_storeu_ps(at.add(c * LANES + HALF), high[c]);
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
            let zero = _mm256_setzero_ps();
            // Four sums for each output, so that a multiply-add need not wait for the last.
            let mut low = [_mm256_loadu_ps(out), zero, zero, zero];
            let mut high = [_mm256_loadu_ps(out.add(HALF)), zero, zero, zero];
            let mut fours = x.chunks_exact(4);
            for four in &mut fours {
                for ((low, high), &value) in low.iter_mut().zip(&mut high).zip(four) {
                    let value = _mm256_set1_ps(value);
                    *low = _mm256_fmadd_ps(value, _mm256_loadu_ps(weights), *low);
                    *high = _mm256_fmadd_ps(value, _mm256_loadu_ps(weights.add(HALF)), *high);
                    weights = weights.wrapping_add(row);
                }
            }
            for &value in fours.remainder() {
                let value = _mm256_set1_ps(value);
                low[0] = _mm256_fmadd_ps(value, _mm256_loadu_ps(weights), low[0]);
                high[0] = _mm256_fmadd_ps(value, _mm256_loadu_ps(weights.add(HALF)), high[0]);
                weights = weights.wrapping_add(row);
            }
            let sum = |of: [__m256; 4]| {
                _mm256_add_ps(_mm256_add_ps(of[0], of[1]), _mm256_add_ps(of[2], of[3]))
            };
            _mm256_storeu_ps(out, sum(low));
            _mm256_storeu_ps(out.add(HALF), sum(high));
        }
    }
}

/// # Safety
/// AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn pool(board: Board, channels: usize, x: &[f32], out: &mut [f32]) {
    portable::pool(board, channels, x, out);
}
