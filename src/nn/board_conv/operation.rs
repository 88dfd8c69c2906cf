//! The board convolution and its companions as burn operations with gradients, on the CPU backend.
//!
//! Tensors of boards are `[boards, blocks, cells, LANES]` in the layout of [`Board`]. They pass
//! from one of these operations to the next and through nothing else, so their zero cells stay
//! zero. Each operation fuses what follows a convolution, forward and backward, so that training
//! makes no pass over memory of its own for biases, skips and ReLUs.

use super::{BlockWeights, Board, Instructions, LANES, Pass, Weights, blocks, pool, pool_gradient};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::{
    NodeId,
    grads::Gradients,
    ops::{Backward, Ops, OpsKind},
};
use burn::backend::flex::FlexTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension, tensor::FloatTensor};
use burn::tensor::{Tensor, TensorData};

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
    /// `(out, inner)` of a block, see [`Pass::block`].
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
    x: B::FloatTensorPrimitive,
    weights: B::FloatTensorPrimitive,
    bias: B::FloatTensorPrimitive,
    out: B::FloatTensorPrimitive,
    setting: Setting,
}

/// What the backward pass of [`board_block`] remembers.
#[derive(Clone, Debug)]
pub struct BlockState<B: Backend> {
    x: B::FloatTensorPrimitive,
    first: (B::FloatTensorPrimitive, B::FloatTensorPrimitive),
    second: (B::FloatTensorPrimitive, B::FloatTensorPrimitive),
    inner: B::FloatTensorPrimitive,
    out: B::FloatTensorPrimitive,
    setting: Setting,
}

impl Setting {
    fn pass(&self) -> Pass {
        Pass { board: self.board, instructions: self.instructions }
    }

    fn boards(&self, values: Vec<f32>, channels: usize) -> FlexTensor {
        let boards = values.len() / self.board.floats(channels);
        tensor(values, [boards, blocks(channels), self.board.cells(), LANES])
    }
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}

/// The numbers of a contiguous tensor.
fn values(tensor: &FlexTensor) -> &[f32] {
    match tensor.as_slice() {
        Some(values) => values,
        None => panic!("the tensor is not contiguous, or not made of f32"),
    }
}

/// Weights of a convolution from its tensors, which must be contiguous.
fn weights<'a>(weights: &'a FlexTensor, bias: &'a FlexTensor) -> Weights<'a> {
    let shape = weights.layout().shape();
    Weights {
        outputs: shape[0],
        inputs: shape[1],
        taps: shape[2] * shape[3],
        weights: values(weights),
        bias: values(bias),
    }
}

fn shaped_like(values: Vec<f32>, like: &FlexTensor) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, like.layout().shape().clone()))
}

impl BoardOperations for Flex {
    fn board_conv(x: FlexTensor, w: FlexTensor, bias: FlexTensor, setting: Setting) -> FlexTensor {
        let (x, w, bias) = (x.to_contiguous(), w.to_contiguous(), bias.to_contiguous());
        let weights = weights(&w, &bias);
        let out = setting.pass().conv(values(&x), &weights, setting.relu);
        setting.boards(out, weights.outputs)
    }

    fn board_block(
        x: FlexTensor,
        w: FlexTensor,
        bias: FlexTensor,
        w_second: FlexTensor,
        bias_second: FlexTensor,
        setting: Setting,
    ) -> FlexTensor {
        Self::block_with_inner(x, (w, bias), (w_second, bias_second), setting).0
    }

    fn board_pool(x: FlexTensor, setting: Setting) -> FlexTensor {
        let x = x.to_contiguous();
        let (board, channels) = (setting.board, setting.channels);
        let x = values(&x).chunks_exact(board.floats(channels));
        let mut out = vec![0f32; x.len() * 2 * channels];
        let boards = x.len();
        for (x, out) in x.zip(out.chunks_exact_mut(2 * channels)) {
            pool(setting.instructions, board, channels, x, out);
        }
        tensor(out, [boards, 2 * channels])
    }

    fn board_gather(x: FlexTensor, setting: Setting) -> FlexTensor {
        let x = x.to_contiguous();
        let (board, channels) = (setting.board, setting.channels);
        let x = values(&x).chunks_exact(board.floats(channels));
        let squares = board.squares() * channels;
        let boards = x.len();
        let mut out = vec![0f32; boards * squares];
        for (x, out) in x.zip(out.chunks_exact_mut(squares)) {
            board.gather(channels, x, out);
        }
        tensor(out, [boards, squares])
    }
}

impl BoardKernels for Flex {
    fn block_with_inner(
        x: FlexTensor,
        first: (FlexTensor, FlexTensor),
        second: (FlexTensor, FlexTensor),
        setting: Setting,
    ) -> (FlexTensor, FlexTensor) {
        let x = x.to_contiguous();
        let first = (first.0.to_contiguous(), first.1.to_contiguous());
        let second = (second.0.to_contiguous(), second.1.to_contiguous());
        let both = BlockWeights {
            first: weights(&first.0, &first.1),
            second: weights(&second.0, &second.1),
        };
        let (out, inner) = setting.pass().block(values(&x), &both);
        (setting.boards(out, both.second.outputs), setting.boards(inner, both.first.outputs))
    }

    fn conv_gradients(
        state: ConvState<Self>,
        gradient: FlexTensor,
        wants_x: bool,
    ) -> (Option<FlexTensor>, [FlexTensor; 2]) {
        let ConvState { x, weights: w, bias, out, setting } = state;
        let (x, w, bias) = (x.to_contiguous(), w.to_contiguous(), bias.to_contiguous());
        let (out, gradient) = (out.to_contiguous(), gradient.to_contiguous());
        let found = setting.pass().conv_gradients(
            values(&x),
            &weights(&w, &bias),
            setting.relu,
            values(&out),
            values(&gradient),
            wants_x,
        );
        let of_x = found.x.map(|values| shaped_like(values, &x));
        (of_x, [shaped_like(found.weights, &w), shaped_like(found.bias, &bias)])
    }

    fn block_gradients(state: BlockState<Self>, gradient: FlexTensor) -> [FlexTensor; 5] {
        let BlockState { x, first, second, inner, out, setting } = state;
        let x = x.to_contiguous();
        let first = (first.0.to_contiguous(), first.1.to_contiguous());
        let second = (second.0.to_contiguous(), second.1.to_contiguous());
        let (inner, out) = (inner.to_contiguous(), out.to_contiguous());
        let gradient = gradient.to_contiguous();
        let both = BlockWeights {
            first: weights(&first.0, &first.1),
            second: weights(&second.0, &second.1),
        };
        let found = setting.pass().block_gradients(
            values(&x),
            &both,
            values(&inner),
            values(&out),
            values(&gradient),
        );
        [
            shaped_like(found.x, &x),
            shaped_like(found.first.weights, &first.0),
            shaped_like(found.first.bias, &first.1),
            shaped_like(found.second.weights, &second.0),
            shaped_like(found.second.bias, &second.1),
        ]
    }

    fn pool_gradients(x: FlexTensor, gradient: FlexTensor, setting: Setting) -> FlexTensor {
        let (x, gradient) = (x.to_contiguous(), gradient.to_contiguous());
        let (board, channels) = (setting.board, setting.channels);
        let mut out = vec![0f32; values(&x).len()];
        let boards = out.chunks_exact_mut(board.floats(channels));
        let given = values(&x).chunks_exact(board.floats(channels));
        let gradients = values(&gradient).chunks_exact(2 * channels);
        for ((out, x), gradient) in boards.zip(given).zip(gradients) {
            pool_gradient(board, channels, x, gradient, out);
        }
        shaped_like(out, &x)
    }

    fn gather_gradients(gradient: FlexTensor, setting: Setting) -> FlexTensor {
        let gradient = gradient.to_contiguous();
        let (board, channels) = (setting.board, setting.channels);
        let squares = values(&gradient).chunks_exact(board.squares() * channels);
        let mut out = vec![0f32; squares.len() * board.floats(channels)];
        for (squares, out) in squares.zip(out.chunks_exact_mut(board.floats(channels))) {
            board.spread(channels, squares, out);
        }
        setting.boards(out, channels)
    }
}

impl<B: BoardKernels, C: CheckpointStrategy> BoardOperations for Autodiff<B, C> {
    fn board_conv(
        x: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        setting: Setting,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Conv;
        impl<B: BoardKernels> Backward<B, 3> for Conv {
            type State = ConvState<B>;
            fn backward(
                self,
                ops: Ops<Self::State, 3>,
                grads: &mut Gradients,
                _: &mut Checkpointer,
            ) {
                let gradient = grads.consume::<B>(&ops.node);
                let [x, weights, bias] = ops.parents.map(|node| node.map(|node| node.id));
                let (of_x, [of_weights, of_bias]) =
                    B::conv_gradients(ops.state, gradient, x.is_some());
                let parents = [(x, of_x), (weights, Some(of_weights)), (bias, Some(of_bias))];
                register::<B>(grads, parents);
            }
        }
        let nodes = [x.node(), weights.node(), bias.node()];
        let (x, weights, bias) =
            (x.primitive().clone(), weights.primitive().clone(), bias.primitive().clone());
        let out = B::board_conv(x.clone(), weights.clone(), bias.clone(), setting);
        match Conv.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let state = ConvState { x, weights, bias, out: out.clone(), setting };
                prepared.finish(state, out)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(out),
        }
    }

    fn board_block(
        x: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        weights_second: FloatTensor<Self>,
        bias_second: FloatTensor<Self>,
        setting: Setting,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Block;
        impl<B: BoardKernels> Backward<B, 5> for Block {
            type State = BlockState<B>;
            fn backward(
                self,
                ops: Ops<Self::State, 5>,
                grads: &mut Gradients,
                _: &mut Checkpointer,
            ) {
                let gradient = grads.consume::<B>(&ops.node);
                let parents = ops.parents.map(|node| node.map(|node| node.id));
                let found = B::block_gradients(ops.state, gradient).map(Some);
                let [a, b, c, d, e] = parents;
                let [fa, fb, fc, fd, fe] = found;
                register::<B>(grads, [(a, fa), (b, fb), (c, fc), (d, fd), (e, fe)]);
            }
        }
        let nodes =
            [x.node(), weights.node(), bias.node(), weights_second.node(), bias_second.node()];
        let x = x.primitive().clone();
        let first = (weights.primitive().clone(), bias.primitive().clone());
        let second = (weights_second.primitive().clone(), bias_second.primitive().clone());
        let (out, inner) = B::block_with_inner(x.clone(), first.clone(), second.clone(), setting);
        match Block.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let state = BlockState { x, first, second, inner, out: out.clone(), setting };
                prepared.finish(state, out)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(out),
        }
    }

    fn board_pool(x: FloatTensor<Self>, setting: Setting) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Pool;
        impl<B: BoardKernels> Backward<B, 1> for Pool {
            type State = (B::FloatTensorPrimitive, Setting);
            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _: &mut Checkpointer,
            ) {
                let gradient = grads.consume::<B>(&ops.node);
                let [x] = ops.parents.map(|node| node.map(|node| node.id));
                let (given, setting) = ops.state;
                register::<B>(grads, [(x, Some(B::pool_gradients(given, gradient, setting)))]);
            }
        }
        let nodes = [x.node()];
        let x = x.primitive().clone();
        let out = B::board_pool(x.clone(), setting);
        match Pool.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish((x, setting), out),
            OpsKind::UnTracked(prepared) => prepared.finish(out),
        }
    }

    fn board_gather(x: FloatTensor<Self>, setting: Setting) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Gather;
        impl<B: BoardKernels> Backward<B, 1> for Gather {
            type State = Setting;
            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _: &mut Checkpointer,
            ) {
                let gradient = grads.consume::<B>(&ops.node);
                let [x] = ops.parents.map(|node| node.map(|node| node.id));
                register::<B>(grads, [(x, Some(B::gather_gradients(gradient, ops.state)))]);
            }
        }
        let nodes = [x.node()];
        let out = B::board_gather(x.primitive().clone(), setting);
        match Gather.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(setting, out),
            OpsKind::UnTracked(prepared) => prepared.finish(out),
        }
    }
}

/// Registers the gradients of those parents that are tracked.
fn register<B: Backend>(
    grads: &mut Gradients,
    found: impl IntoIterator<Item = (Option<NodeId>, Option<B::FloatTensorPrimitive>)>,
) {
    for (node, gradient) in found {
        if let (Some(node), Some(gradient)) = (node, gradient) {
            grads.register::<B>(node, gradient);
        }
    }
}
