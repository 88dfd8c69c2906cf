//! The door to the kernels: safe functions that check every size and then choose the kernel.
//!
//! A kernel is only entered from here, and only with an [`Instructions`] value, which proves that
//! the processor has what the kernel uses.

use super::board::{LANES, blocks};
use super::instructions::Set;
use super::weights::tap_offsets;
use super::{Board, Instructions, PackedConv, portable};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// What is added to a convolution's result before the rest.
#[derive(Clone, Copy, Debug)]
pub enum Skip<'a> {
    Nothing,
    /// A board with the output's channels.
    Add(&'a [f32]),
    /// What stands in the output already.
    Output,
}

/// A convolution of one board: `mask × relu(weights * x + bias + skip)`, each part but the first
/// optional.
#[derive(Clone, Copy, Debug)]
pub struct Conv<'a> {
    pub board: Board,
    pub weights: &'a PackedConv,
    /// One board with the weights' inputs.
    pub x: &'a [f32],
    /// One number for each output channel, filled up to whole blocks.
    pub bias: Option<&'a [f32]>,
    pub skip: Skip<'a>,
    pub relu: bool,
    /// A board with the output's channels: the result is zero where this is not positive.
    pub mask: Option<&'a [f32]>,
}

/// What a convolution kernel needs, checked. Pointers may be null where a part is absent.
pub(super) struct RawConv {
    pub board: Board,
    pub x: *const f32,
    pub weights: *const f32,
    pub bias: *const f32,
    pub skip: *const f32,
    pub mask: *const f32,
    pub out: *mut f32,
    pub inputs: usize,
    pub outputs: usize,
    pub taps: usize,
    pub offsets: [isize; 9],
    pub relu: bool,
}

impl RawConv {
    /// Floats of the weights of one output block.
    pub fn panel(&self) -> usize {
        blocks(self.inputs) * self.taps * LANES * LANES
    }
}

/// Runs a convolution of one board. Zero cells of `out` are left alone: they must be zero before.
///
/// # Panics
/// If a slice has another length than the board and the channels ask for.
pub fn convolve(instructions: Instructions, conv: &Conv, out: &mut [f32]) {
    let PackedConv { inputs, outputs, taps, ref values } = *conv.weights;
    let floats = conv.board.floats(outputs);
    assert!(inputs > 0 && outputs > 0);
    assert_eq!(values.len(), PackedConv::length(outputs, inputs, taps));
    assert_eq!(conv.x.len(), conv.board.floats(inputs));
    assert_eq!(out.len(), floats);
    assert!(conv.bias.is_none_or(|bias| bias.len() == blocks(outputs) * LANES));
    assert!(conv.mask.is_none_or(|mask| mask.len() == floats));
    let out = out.as_mut_ptr();
    let skip = match conv.skip {
        Skip::Nothing => std::ptr::null(),
        Skip::Output => out.cast_const(),
        Skip::Add(skip) => {
            assert_eq!(skip.len(), floats);
            skip.as_ptr()
        }
    };
    let raw = RawConv {
        board: conv.board,
        x: conv.x.as_ptr(),
        weights: values.as_ptr(),
        bias: conv.bias.map_or(std::ptr::null(), <[f32]>::as_ptr),
        skip,
        mask: conv.mask.map_or(std::ptr::null(), <[f32]>::as_ptr),
        out,
        inputs,
        outputs,
        taps,
        offsets: tap_offsets(conv.board, taps),
        relu: conv.relu,
    };
    // SAFETY: all sizes are checked above, every tap of a square lies within its plane (see
    // `Board`), and `instructions` proves that the processor has the kernel's instructions.
    unsafe {
        match instructions.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => avx512::convolve(&raw),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => avx2::convolve(&raw),
            Set::Portable => portable::convolve(&raw),
        }
    }
}

/// What a weight-gradient kernel needs, checked.
pub(super) struct RawGradient {
    pub board: Board,
    pub boards: usize,
    pub x: *const f32,
    pub gradient: *const f32,
    pub sums: *mut f32,
    pub inputs: usize,
    pub outputs: usize,
    pub taps: usize,
    pub offsets: [isize; 9],
}

impl RawGradient {
    /// The input under a tap of the square at `at`. The way there never leaves the inputs: a tap's
    /// offset alone may point before them.
    ///
    /// # Safety
    /// `at` lies on a square.
    #[inline(always)]
    pub unsafe fn tap(&self, at: usize, tap: usize) -> *const f32 {
        // SAFETY: every neighbour of a square is a cell of its plane (see `Board`).
        unsafe { self.x.offset(at as isize + self.offsets[tap]) }
    }
}

/// Adds to `sums` (packed, see [`PackedConv`]) the gradient of a convolution's weights over some
/// boards: for each tap the products of the inputs there and the gradient here, summed over all
/// squares in a fixed order.
///
/// # Panics
/// If a slice has another length than the boards and the channels ask for.
pub fn weight_gradient(
    instructions: Instructions,
    board: Board,
    (inputs, x): (usize, &[f32]),
    (outputs, gradient): (usize, &[f32]),
    taps: usize,
    sums: &mut [f32],
) {
    assert!(inputs > 0 && outputs > 0 && (taps == 1 || taps == 9));
    let boards = x.len() / board.floats(inputs);
    assert_eq!(x.len(), boards * board.floats(inputs));
    assert_eq!(gradient.len(), boards * board.floats(outputs));
    assert_eq!(sums.len(), PackedConv::length(outputs, inputs, taps));
    let raw = RawGradient {
        board,
        boards,
        x: x.as_ptr(),
        gradient: gradient.as_ptr(),
        sums: sums.as_mut_ptr(),
        inputs,
        outputs,
        taps,
        offsets: tap_offsets(board, taps),
    };
    // SAFETY: as in `convolve`.
    unsafe {
        match instructions.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => avx512::weight_gradient(&raw),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => avx2::weight_gradient(&raw),
            Set::Portable => portable::weight_gradient(&raw),
        }
    }
}

/// Adds `x × weights` to `out`; the weights are `[x.len()][out.len()]`.
///
/// # Panics
/// If the weights have another length, `x` is empty, or `out` is not made of whole blocks.
pub fn dense(instructions: Instructions, x: &[f32], weights: &[f32], out: &mut [f32]) {
    assert!(!x.is_empty() && !out.is_empty());
    assert_eq!(weights.len(), x.len() * out.len());
    assert_eq!(out.len() % LANES, 0);
    match instructions.0 {
        // SAFETY: the sizes are checked above; as in `convolve`.
        #[cfg(target_arch = "x86_64")]
        Set::Avx512 => unsafe { avx512::dense(x, weights, out) },
        // SAFETY: as for AVX-512.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { avx2::dense(x, weights, out) },
        Set::Portable => portable::dense(x, weights, out),
    }
}

/// Means and maxima over the squares of one board, as `[mean of each channel, max of each channel]`.
///
/// # Panics
/// If `x` is not one board of `channels`, or `out` is not `2 × channels` long.
pub fn pool(instructions: Instructions, board: Board, channels: usize, x: &[f32], out: &mut [f32]) {
    assert_eq!(x.len(), board.floats(channels));
    assert_eq!(out.len(), 2 * channels);
    match instructions.0 {
        // SAFETY: the sizes are checked above; as in `convolve`.
        #[cfg(target_arch = "x86_64")]
        Set::Avx512 => unsafe { avx512::pool(board, channels, x, out) },
        // SAFETY: as for AVX-512.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { avx2::pool(board, channels, x, out) },
        Set::Portable => portable::pool(board, channels, x, out),
    }
}
