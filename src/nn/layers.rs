//! The parts a network is made of, and the two ways to compute them: board operations on the CPU
//! backend, burn's own convolution elsewhere, on the same parameters.

use super::board_conv::operation::{Setting, board_block, board_conv, board_gather, board_pool};
use super::board_conv::{Board, Instructions, LANES, blocks};
use crate::rng::Stream;
use burn::module::{Module, Param, ParamId};
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};
use rand_distr::{Distribution, StandardNormal};

/// A convolution of the neighbours of a square (3×3) or of the square alone (1×1).
#[derive(Module, Debug)]
pub(super) struct Convolution {
    /// `[outputs, inputs, 3, 3]` or `[outputs, inputs, 1, 1]`.
    pub weight: Param<Tensor<4>>,
    /// `[outputs]`.
    pub bias: Param<Tensor<1>>,
}

/// A linear layer.
#[derive(Module, Debug)]
pub(super) struct Dense {
    /// `[inputs, outputs]`.
    pub weight: Param<Tensor<2>>,
    /// `[outputs]`.
    pub bias: Param<Tensor<1>>,
}

/// Makes parameters one after the other from a stream of its own, initialised at once, numbered in
/// their order: the same seed gives the same network, to the bit, whatever else burn draws.
pub(super) struct Maker<'a> {
    pub stream: Stream,
    pub device: &'a Device,
    made: u64,
}

impl<'a> Maker<'a> {
    pub fn new(stream: Stream, device: &'a Device) -> Self {
        Self { stream, device, made: 0 }
    }

    fn parameter<const D: usize>(
        &mut self,
        values: Vec<f32>,
        shape: [usize; D],
    ) -> Param<Tensor<D>> {
        self.made += 1;
        let tensor = Tensor::from_data(TensorData::new(values, shape), self.device);
        let mut parameter = Param::from_tensor(tensor);
        parameter.id = ParamId::from(self.made);
        parameter
    }

    /// Normal numbers with variance `gain² × 2 / inputs` (He et al. 2015, "Delving Deep into
    /// Rectifiers", for gain 1).
    fn normal(&mut self, count: usize, inputs: usize, gain: f64) -> Vec<f32> {
        let deviation = gain * (2.0 / inputs as f64).sqrt();
        let mut draw = || {
            let value: f64 = StandardNormal.sample(&mut self.stream);
            (value * deviation) as f32
        };
        (0..count).map(|_| draw()).collect()
    }

    /// A convolution of `side` × `side` taps.
    pub fn convolution(
        &mut self,
        (inputs, outputs): (usize, usize),
        side: usize,
        gain: f64,
    ) -> Convolution {
        let fan = inputs * side * side;
        let weights = self.normal(outputs * fan, fan, gain);
        Convolution {
            weight: self.parameter(weights, [outputs, inputs, side, side]),
            bias: self.parameter(vec![0.0; outputs], [outputs]),
        }
    }

    pub fn dense(&mut self, (inputs, outputs): (usize, usize), gain: f64) -> Dense {
        let weights = self.normal(inputs * outputs, inputs, gain);
        Dense {
            weight: self.parameter(weights, [inputs, outputs]),
            bias: self.parameter(vec![0.0; outputs], [outputs]),
        }
    }
}

impl Dense {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.val()) + self.bias.val().unsqueeze()
    }
}

impl Convolution {
    /// Biases as one row, to which rows for single boards may be added.
    pub fn bias_row(&self) -> Tensor<2> {
        self.bias.val().unsqueeze()
    }
}

/// How the layers are computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arithmetic {
    /// The board operations, for tensors of the CPU backend.
    BoardOperations(Instructions),
    /// burn's convolution, for every backend.
    Convolutions,
}

/// Boards on their way through the network: `[boards, blocks, cells, LANES]` for the board
/// operations, `[boards, channels, height, width]` for burn's convolution.
#[derive(Clone, Debug)]
pub(super) struct Boards {
    tensor: Tensor<4>,
    channels: usize,
}

/// A board size together with the way to compute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layers {
    pub board: Board,
    pub arithmetic: Arithmetic,
}

impl Layers {
    /// The way that suits the device.
    pub fn on(board: Board, device: &Device) -> Self {
        let arithmetic = if *device == Device::flex() {
            Arithmetic::BoardOperations(Instructions::chosen())
        } else {
            Arithmetic::Convolutions
        };
        Self { board, arithmetic }
    }

    fn setting(&self, channels: usize, relu: bool) -> Option<Setting> {
        match self.arithmetic {
            Arithmetic::BoardOperations(instructions) => {
                Some(Setting { board: self.board, instructions, channels, relu })
            }
            Arithmetic::Convolutions => None,
        }
    }

    /// Boards from `[boards][squares][channels]`.
    pub fn input(&self, channels: usize, values: &[f32], device: &Device) -> Boards {
        let (board, squares) = (self.board, self.board.squares() * channels);
        let count = values.len() / squares;
        let tensor = match self.arithmetic {
            Arithmetic::BoardOperations(_) => {
                let mut spread = vec![0f32; count * board.floats(channels)];
                let boards = spread.chunks_exact_mut(board.floats(channels));
                for (out, values) in boards.zip(values.chunks_exact(squares)) {
                    board.spread(channels, values, out);
                }
                let shape = [count, blocks(channels), board.cells(), LANES];
                Tensor::from_data(TensorData::new(spread, shape), device)
            }
            Arithmetic::Convolutions => {
                let shape = [count, board.height(), board.width(), channels];
                let data = TensorData::new(values.to_vec(), shape);
                Tensor::<4>::from_data(data, device).permute([0, 3, 1, 2])
            }
        };
        Boards { tensor, channels }
    }

    /// Convolution and ReLU; `bias` is `[1 or boards, outputs]`.
    pub fn conv(&self, x: Boards, layer: &Convolution, bias: Tensor<2>, rectify: bool) -> Boards {
        let weight = layer.weight.val();
        let channels = weight.dims()[0];
        let tensor = match self.setting(x.channels, rectify) {
            Some(setting) => board_conv(x.tensor, weight, bias, setting),
            None => {
                let sum = convolved(x.tensor, weight, bias);
                if rectify { relu(sum) } else { sum }
            }
        };
        Boards { tensor, channels }
    }

    /// A residual block; biases are `[1 or boards, channels]`.
    pub fn block(
        &self,
        x: Boards,
        (first, first_bias): (&Convolution, Tensor<2>),
        (second, second_bias): (&Convolution, Tensor<2>),
    ) -> Boards {
        let channels = x.channels;
        let first = (first.weight.val(), first_bias);
        let second = (second.weight.val(), second_bias);
        let tensor = match self.setting(channels, true) {
            Some(setting) => board_block(x.tensor, first, second, setting),
            None => {
                let inner = relu(convolved(x.tensor.clone(), first.0, first.1));
                relu(convolved(inner, second.0, second.1) + x.tensor)
            }
        };
        Boards { tensor, channels }
    }

    /// Means, then maxima over the squares: `[boards, 2 × channels]`.
    pub fn pool(&self, x: Boards) -> Tensor<2> {
        match self.setting(x.channels, false) {
            Some(setting) => board_pool(x.tensor, setting),
            None => {
                let flat: Tensor<3> = x.tensor.flatten(2, 3);
                let means: Tensor<2> = flat.clone().mean_dim(2).squeeze_dim(2);
                let maxima: Tensor<2> = flat.max_dim(2).squeeze_dim(2);
                Tensor::cat(vec![means, maxima], 1)
            }
        }
    }

    /// `[boards, squares × channels]`.
    pub fn gather(&self, x: Boards) -> Tensor<2> {
        match self.setting(x.channels, false) {
            Some(setting) => board_gather(x.tensor, setting),
            None => x.tensor.permute([0, 2, 3, 1]).flatten(1, 3),
        }
    }
}

fn convolved(x: Tensor<4>, weight: Tensor<4>, bias: Tensor<2>) -> Tensor<4> {
    let padding = (weight.dims()[2] - 1) / 2;
    let options = ConvOptions::new([1, 1], [padding, padding], [1, 1], 1);
    let [rows, outputs] = bias.dims();
    conv2d(x, weight, None, options) + bias.reshape([rows, outputs, 1, 1])
}
