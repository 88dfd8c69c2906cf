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
                    compute::<{ $rows * $columns }, $columns, BLOCKS>(raw, block, tile.cell);
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

/// Computes a tile of `SQUARES` squares in rows of `COLUMNS`, for 1 or 2 output blocks.
///
#[target_feature(enable = "avx512f")]
unsafe fn compute<const SQUARES: usize, const COLUMNS: usize, const BLOCKS: usize>(
    raw: &RawConv,
    block: usize,
    cell: usize,
) {
    // Every loop over the squares must be short enough for the compiler to unroll it: one index
    // known only at run time sends all sums to memory, at every step, and halves the speed.
    macro_rules! squares {
        ($square:ident, $body:block) => {
            let mut $square = 0;
            while $square < SQUARES {
                $body
                $square += 1;
            }
        };
    }
    let plane = raw.board.plane();
    let panel = raw.panel();
    let zero = _mm512_setzero_ps();
    // SAFETY: input planes, weight panels, bias, skip, mask and output have the sizes that `door`
    // checked; a tap of a square lies within its plane.
    unsafe {
        let bias = |block: usize| {
            if raw.bias.is_null() { zero } else { _mm512_loadu_ps(raw.bias.add(block * LANES)) }
        };
        let mut low = [bias(block); SQUARES];
        let mut high = [if BLOCKS == 2 { bias(block + 1) } else { zero }; SQUARES];
        let mut weights = raw.weights.add(block * panel);
        for input in 0..blocks(raw.inputs) {
            let x = raw.x.add(input * plane + cell * LANES);
            let channels = LANES.min(raw.inputs - input * LANES);
            for tap in 0..raw.taps {
                let x = x.offset(raw.offsets[tap]);
                for channel in 0..channels {
                    let x = x.add(channel);
                    let weight = weights.add(channel * LANES);
                    let low_weight = _mm512_loadu_ps(weight);
                    let high_weight =
                        if BLOCKS == 2 { _mm512_loadu_ps(weight.add(panel)) } else { zero };
                    squares!(square, {
                        let value = _mm512_set1_ps(*x.add(place::<COLUMNS>(square)));
                        low[square] = _mm512_fmadd_ps(value, low_weight, low[square]);
                        if BLOCKS == 2 {
                            high[square] = _mm512_fmadd_ps(value, high_weight, high[square]);
                        }
                    });
                }
                weights = weights.add(LANES * LANES);
            }
        }
        let at = block * plane + cell * LANES;
        if !raw.skip.is_null() {
            let skip = raw.skip.add(at);
            squares!(square, {
                let skip = skip.add(place::<COLUMNS>(square));
                low[square] = _mm512_add_ps(low[square], _mm512_loadu_ps(skip));
                if BLOCKS == 2 {
                    high[square] = _mm512_add_ps(high[square], _mm512_loadu_ps(skip.add(plane)));
                }
            });
        }
        if raw.relu {
            squares!(square, {
                low[square] = _mm512_max_ps(low[square], zero);
                if BLOCKS == 2 {
                    high[square] = _mm512_max_ps(high[square], zero);
                }
            });
        }
        if !raw.mask.is_null() {
            let mask = raw.mask.add(at);
            squares!(square, {
                let mask = mask.add(place::<COLUMNS>(square));
                low[square] = masked(low[square], mask);
                if BLOCKS == 2 {
                    high[square] = masked(high[square], mask.add(plane));
                }
            });
        }
        let out = raw.out.add(at);
        squares!(square, {
            let out = out.add(place::<COLUMNS>(square));
            _mm512_storeu_ps(out, low[square]);
            if BLOCKS == 2 {
                _mm512_storeu_ps(out.add(plane), high[square]);
            }
        });
    }
}

/// Where a tile's square lies behind its first. A tile of two rows has full rows, so that the row
/// below is a constant distance away.
const fn place<const COLUMNS: usize>(square: usize) -> usize {
    (square / COLUMNS * (COLUMNS + 1) + square % COLUMNS) * LANES
}

/// `sum` where the mask is positive, zero elsewhere.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn masked(sum: __m512, mask: *const f32) -> __m512 {
    // SAFETY: the mask has a block of floats there.
    let mask = unsafe { _mm512_loadu_ps(mask) };
    let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(mask, _mm512_setzero_ps());
    _mm512_maskz_mov_ps(positive, sum)
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
        let mut low = [_mm512_setzero_ps(); CHANNELS];
        let mut high = [_mm512_setzero_ps(); CHANNELS];
        let mut c = 0;
        while c < CHANNELS {
            low[c] = _mm512_loadu_ps(at.add(c * LANES));
            if BLOCKS == 2 {
                high[c] = _mm512_loadu_ps(at.add(panel + c * LANES));
            }
            c += 1;
        }
        for index in 0..raw.boards {
            let start = (index * inputs + input) * plane + channel;
            let gradient = raw.gradient.add((index * blocks(raw.outputs) + output) * plane);
            for row in 0..board.height() {
                let cell = board.cell(row, 0);
                for cell in cell..cell + board.width() {
                    let x = raw.tap(start + cell * LANES, tap);
                    let change = gradient.add(cell * LANES);
                    let low_change = _mm512_loadu_ps(change);
                    let high_change = if BLOCKS == 2 {
                        _mm512_loadu_ps(change.add(plane))
                    } else {
                        _mm512_setzero_ps()
                    };
                    let mut c = 0;
                    while c < CHANNELS {
                        let value = _mm512_set1_ps(*x.add(c));
                        low[c] = _mm512_fmadd_ps(value, low_change, low[c]);
                        if BLOCKS == 2 {
                            high[c] = _mm512_fmadd_ps(value, high_change, high[c]);
                        }
                        c += 1;
                    }
                }
            }
        }
        let mut c = 0;
        while c < CHANNELS {
            _mm512_storeu_ps(at.add(c * LANES), low[c]);
            if BLOCKS == 2 {
                _mm512_storeu_ps(at.add(panel + c * LANES), high[c]);
            }
            c += 1;
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
        let mut even = [_mm512_setzero_ps(); BLOCKS];
        let mut odd = [_mm512_setzero_ps(); BLOCKS];
        for (b, sum) in even.iter_mut().enumerate() {
            *sum = _mm512_loadu_ps(out.add(b * LANES));
        }
        let mut weights = weights;
        let mut pairs = x.chunks_exact(2);
        for pair in &mut pairs {
            let (first, second) = (_mm512_set1_ps(pair[0]), _mm512_set1_ps(pair[1]));
            for (b, (even, odd)) in even.iter_mut().zip(&mut odd).enumerate() {
                let weight = weights.add(b * LANES);
                *even = _mm512_fmadd_ps(first, _mm512_loadu_ps(weight), *even);
                *odd = _mm512_fmadd_ps(second, _mm512_loadu_ps(weight.add(row)), *odd);
            }
            weights = weights.wrapping_add(2 * row);
        }
        for &value in pairs.remainder() {
            let value = _mm512_set1_ps(value);
            for (b, even) in even.iter_mut().enumerate() {
                *even = _mm512_fmadd_ps(value, _mm512_loadu_ps(weights.add(b * LANES)), *even);
            }
        }
        for (b, (even, odd)) in even.into_iter().zip(odd).enumerate() {
            _mm512_storeu_ps(out.add(b * LANES), _mm512_add_ps(even, odd));
        }
    }
}

/// # Safety
/// AVX-512F.
#[target_feature(enable = "avx512f")]
pub unsafe fn pool(board: Board, channels: usize, x: &[f32], out: &mut [f32]) {
    portable::pool(board, channels, x, out);
}
