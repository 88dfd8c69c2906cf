//! The board operations on a backend with autodiff: what the backward pass remembers, and to whom
//! its gradients go.

use super::operation::{BlockState, BoardKernels, BoardOperations, ConvState, Setting};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::{
    NodeId,
    grads::Gradients,
    ops::{Backward, Ops, OpsKind},
};
use burn::backend::{Autodiff, Backend, tensor::FloatTensor};

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
