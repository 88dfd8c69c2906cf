//! The 3×3 board convolution: a layout of boards in which it needs no edge tests, kernels for each
//! instruction set, and the burn operations with gradients on top.
//!
//! The only place of the house where `unsafe` is allowed, for a measured reason: burn's own
//! convolution reaches 14-43 % of a core's multiply-add peak on boards this small, these kernels
//! about 85 %. Every entry checks the sizes of its slices before a kernel runs; nothing here knows
//! a game, a network or a file.

#![allow(unsafe_code)]

mod aligned;
mod autodiff;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod board;
mod door;
mod flex;
mod instructions;
pub mod operation;
mod passes;
mod peak;
mod portable;
mod weights;

pub use aligned::Aligned;
pub use board::{Board, LANES, blocks};
pub use door::{Conv, Skip, convolve, dense, pool, weight_gradient};
pub use instructions::{Instructions, VARIABLE};
pub use passes::{BlockGradients, BlockWeights, ConvGradients, Pass, Weights, pool_gradient};
pub use peak::multiply_adds;
pub use weights::PackedConv;

#[cfg(test)]
mod tests;
