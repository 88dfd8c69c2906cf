//! A network's weights as the inference engine reads them: a snapshot, shared by all engines.

use super::Net;
use super::board_conv::{Aligned, Board, LANES, PackedConv};
use super::flat::floats;
use super::layers::{Convolution, Dense};
use crate::codec::Shape;

/// The weights of a network, packed for inference. Independent of the net they were read from;
/// share them between engines with an `Arc`.
#[derive(Debug)]
pub struct EngineWeights {
    pub(super) shape: Shape,
    pub(super) board: Board,
    pub(super) channels: usize,
    pub(super) stem: Filter,
    pub(super) globals: Option<Matrix>,
    pub(super) blocks: Vec<BlockFilters>,
    pub(super) policy_conv: Filter,
    pub(super) policy_pool: Matrix,
    pub(super) policy_out: Filter,
    pub(super) value_conv: Filter,
    pub(super) value_hidden: Matrix,
    /// Hidden → win, draw, loss, plies and, where the game has points, margin.
    pub(super) value_out: Matrix,
    /// Features → hidden → codes tied to no square.
    pub(super) extra: Option<(Matrix, Matrix)>,
}

/// A packed convolution and its biases, filled up to whole blocks.
#[derive(Debug)]
pub(super) struct Filter {
    pub conv: PackedConv,
    pub bias: Aligned,
}

#[derive(Debug)]
pub(super) struct BlockFilters {
    pub first: Filter,
    pub second: Filter,
    pub pool: Option<Matrix>,
}

/// A linear layer as `[inputs][outputs]`, outputs filled up to whole blocks.
#[derive(Debug)]
pub(super) struct Matrix {
    pub outputs: usize,
    pub weights: Aligned,
    pub bias: Aligned,
}

impl EngineWeights {
    /// Reads the weights of a network.
    pub fn new(net: &Net) -> Self {
        let heads = &net.heads;
        let mut value_out = vec![&heads.wdl, &heads.plies];
        value_out.extend(&heads.margin);
        Self {
            shape: *net.shape(),
            board: net.board(),
            channels: net.settings().channels,
            stem: Filter::new(&net.stem),
            globals: net.globals.as_ref().map(|layer| Matrix::new(&[layer])),
            blocks: net
                .blocks
                .iter()
                .map(|block| BlockFilters {
                    first: Filter::new(&block.first),
                    second: Filter::new(&block.second),
                    pool: block.pool.as_ref().map(|layer| Matrix::new(&[layer])),
                })
                .collect(),
            policy_conv: Filter::new(&heads.policy_conv),
            policy_pool: Matrix::new(&[&heads.policy_pool]),
            policy_out: Filter::new(&heads.policy_out),
            value_conv: Filter::new(&heads.value_conv),
            value_hidden: Matrix::new(&[&heads.value_hidden]),
            value_out: Matrix::new(&value_out),
            extra: heads
                .extra
                .as_ref()
                .map(|extra| (Matrix::new(&[&extra.hidden]), Matrix::new(&[&extra.out]))),
        }
    }

    /// The shape of input that the network was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

impl Filter {
    fn new(layer: &Convolution) -> Self {
        let weight = layer.weight.val();
        let [outputs, inputs, height, width] = weight.dims();
        Self {
            conv: PackedConv::pack(outputs, inputs, height * width, &floats(weight)),
            bias: Aligned::copy_of(&floats(layer.bias.val())),
        }
    }
}

impl Matrix {
    /// Layers with the same inputs, side by side.
    fn new(layers: &[&Dense]) -> Self {
        let outputs = layers.iter().map(|layer| layer.bias.val().dims()[0]).sum();
        let inputs = layers.first().map_or(0, |layer| layer.weight.val().dims()[0]);
        let row = usize::next_multiple_of(outputs, LANES);
        let mut weights = Aligned::zeros(inputs * row);
        let mut bias = Aligned::zeros(row);
        let mut at = 0;
        for layer in layers {
            let these = floats(layer.bias.val());
            let width = these.len();
            bias[at..at + width].copy_from_slice(&these);
            let rows = weights.chunks_exact_mut(row);
            for (row, these) in rows.zip(floats(layer.weight.val()).chunks_exact(width)) {
                row[at..at + width].copy_from_slice(these);
            }
            at += width;
        }
        Self { outputs, weights, bias }
    }
}
