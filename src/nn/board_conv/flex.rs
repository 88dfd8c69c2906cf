//! The board operations and their gradients on the CPU backend: tensors in, tensors out, the work is
//! done by the passes.

use super::operation::{BlockState, BoardKernels, BoardOperations, ConvState, Setting};
use super::{BlockWeights, LANES, Pass, Weights, blocks, pool, pool_gradient};
use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

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
