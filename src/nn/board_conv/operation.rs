//! The board convolution and its companions as burn operations with gradients, on the CPU backend.
//!
//! Tensors of boards are `[boards, blocks, cells, LANES]` in the layout of [`Board`]. They pass
//! from one of these operations to the next and through nothing else, so their zero cells stay
//! zero. Each operation fuses what follows a convolution, forward and backward, so that training
//! makes no pass over memory of its own for biases, skips and ReLUs.

use super::{Board, Instructions};
use burn::backend::{Backend, Dispatch, backend_extension, tensor::FloatTensor};
use burn::tensor::Tensor;

/// What an operation needs to know beside its tensors.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub board: Board,
    pub instructions: Instructions,
    /// Real channels of the boards that come in.
    pub channels: usize,
    /// Does a ReLU follow the convolution? A residual block always has its own.
    pub relu: bool,
}

/// The operations as burn dispatches them.
#[backend_extension(Flex, Autodiff)]
pub trait BoardOperations: Backend {
    fn board_conv(
        x: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        setting: Setting,
    ) -> FloatTensor<Self>;
    fn board_block(
        x: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        weights_second: FloatTensor<Self>,
        bias_second: FloatTensor<Self>,
        setting: Setting,
    ) -> FloatTensor<Self>;
    fn board_pool(x: FloatTensor<Self>, setting: Setting) -> FloatTensor<Self>;
    fn board_gather(x: FloatTensor<Self>, setting: Setting) -> FloatTensor<Self>;
}

/// Convolution, bias and (by `setting`) ReLU.
///
/// `x`: boards; `weights`: `[outputs, inputs, 3, 3]` or `[outputs, inputs, 1, 1]`; `bias`:
/// `[1, outputs]` or `[boards, outputs]`. Gives boards of `outputs` channels.
pub fn board_conv(
    x: Tensor<4>,
    weights: Tensor<4>,
    bias: Tensor<2>,
    setting: Setting,
) -> Tensor<4> {
    let (x, weights, bias) = (x.into_dispatch(), weights.into_dispatch(), bias.into_dispatch());
    Tensor::from_dispatch(Dispatch::board_conv(x, weights, bias, setting))
}

/// A residual block: `relu(second * relu(first * x + bias) + bias + x)`, each `(weights, bias)` as
/// in [`board_conv`].
pub fn board_block(
    x: Tensor<4>,
    first: (Tensor<4>, Tensor<2>),
    second: (Tensor<4>, Tensor<2>),
    setting: Setting,
) -> Tensor<4> {
    Tensor::from_dispatch(Dispatch::board_block(
        x.into_dispatch(),
        first.0.into_dispatch(),
        first.1.into_dispatch(),
        second.0.into_dispatch(),
        second.1.into_dispatch(),
        setting,
    ))
}

/// Means and maxima over the squares, `[boards, 2 × channels]`: all means, then all maxima.
pub fn board_pool(x: Tensor<4>, setting: Setting) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::board_pool(x.into_dispatch(), setting))
}

/// The real squares and channels alone, `[boards, squares × channels]`.
pub fn board_gather(x: Tensor<4>, setting: Setting) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::board_gather(x.into_dispatch(), setting))
}

/// The operations and their gradients on a backend without autodiff.
pub trait BoardKernels: BoardOperations {
    /// `(out, inner)` of a block, see [`super::Pass::block`].
    fn block_with_inner(
        x: FloatTensor<Self>,
        first: (FloatTensor<Self>, FloatTensor<Self>),
        second: (FloatTensor<Self>, FloatTensor<Self>),
        setting: Setting,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);
    /// Gradients of `x` (if wanted), weights and bias.
    fn conv_gradients(
        state: ConvState<Self>,
        gradient: FloatTensor<Self>,
        wants_x: bool,
    ) -> (Option<FloatTensor<Self>>, [FloatTensor<Self>; 2]);
    /// Gradients of `x`, weights, bias, second weights, second bias.
    fn block_gradients(
        state: BlockState<Self>,
        gradient: FloatTensor<Self>,
    ) -> [FloatTensor<Self>; 5];
    fn pool_gradients(
        x: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        setting: Setting,
    ) -> FloatTensor<Self>;
    fn gather_gradients(gradient: FloatTensor<Self>, setting: Setting) -> FloatTensor<Self>;
}

/// What the backward pass of [`board_conv`] remembers.
#[derive(Clone, Debug)]
pub struct ConvState<B: Backend> {
    pub(super) x: B::FloatTensorPrimitive,
    pub(super) weights: B::FloatTensorPrimitive,
    pub(super) bias: B::FloatTensorPrimitive,
    pub(super) out: B::FloatTensorPrimitive,
    pub(super) setting: Setting,
}

/// What the backward pass of [`board_block`] remembers.
#[derive(Clone, Debug)]
pub struct BlockState<B: Backend> {
    pub(super) x: B::FloatTensorPrimitive,
    pub(super) first: (B::FloatTensorPrimitive, B::FloatTensorPrimitive),
    pub(super) second: (B::FloatTensorPrimitive, B::FloatTensorPrimitive),
    pub(super) inner: B::FloatTensorPrimitive,
    pub(super) out: B::FloatTensorPrimitive,
    pub(super) setting: Setting,
}
