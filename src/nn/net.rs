//! The network: a stem, a tower of residual blocks, heads. It knows no loss and no optimizer.
//!
//! There is no batch normalisation. The second convolution of each block starts at zero, so that a
//! new tower passes its input through, and the first is scaled by `1 / √blocks` (Zhang et al.
//! 2019, "Fixup Initialization").

use super::board_conv::Board;
use super::heads::Heads;
use super::layers::{Arithmetic, Convolution, Dense, Layers, Maker};
use super::settings::{NetError, NetworkSettings, check};
use crate::codec::Shape;
use crate::rng::stream;
use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};

/// Plies left are `softplus(output) × PLIES_SCALE`.
pub const PLIES_SCALE: f32 = 50.0;
/// The margin is `output × MARGIN_SCALE` points.
pub const MARGIN_SCALE: f32 = 10.0;

/// A network for one shape of input. Build it with [`Net::init`] or load it.
#[derive(Module, Debug)]
pub struct Net {
    pub(super) stem: Convolution,
    /// Globals → a bias of the stem.
    pub(super) globals: Option<Dense>,
    pub(super) blocks: Vec<Block>,
    pub(super) heads: Heads,
    #[module(skip)]
    board: Board,
    #[module(skip)]
    shape: Shape,
    #[module(skip)]
    settings: NetworkSettings,
}

/// A residual block.
#[derive(Module, Debug)]
pub(super) struct Block {
    pub first: Convolution,
    pub second: Convolution,
    /// Means and maxima of the block's input → a bias of the first convolution.
    pub pool: Option<Dense>,
}

/// What the network says about a batch, on the device of its weights.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// `[positions, codes]`: unnormalised log-probabilities of all policy codes.
    pub policy: Tensor<2>,
    /// `[positions, 3]`: unnormalised log-probabilities of win, draw, loss as the actor sees them.
    pub wdl: Tensor<2>,
    /// `[positions]`: plies left until the end.
    pub plies: Tensor<1>,
    /// `[positions]`: points of the actor minus points of the opponent, where the game has points.
    pub margin: Option<Tensor<1>>,
}

impl Net {
    /// A new network. The same seed gives the same weights, to the bit; on a device with autodiff
    /// it can be trained.
    pub fn init(
        shape: Shape,
        settings: &NetworkSettings,
        seed: u64,
        device: &Device,
    ) -> Result<Self, NetError> {
        let board = check(&shape, settings)?;
        let mut make = Maker::new(stream(seed, "nn", 0), device);
        let channels = settings.channels;
        let scale = 1.0 / (settings.blocks as f64).sqrt();
        let stem = make.convolution((shape.planes, channels), 3, 1.0);
        let globals = (shape.globals > 0).then(|| make.dense((shape.globals, channels), 0.5));
        let blocks = (1..=settings.blocks).map(|number| Block {
            first: make.convolution((channels, channels), 3, scale),
            second: make.convolution((channels, channels), 3, 0.0),
            pool: (settings.pool_every > 0 && number % settings.pool_every == 0)
                .then(|| make.dense((2 * channels, channels), 0.5 * scale)),
        });
        let blocks = blocks.collect();
        let heads = Heads::new(&shape, settings, &mut make);
        Ok(Self { stem, globals, blocks, heads, board, shape, settings: settings.clone() })
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(super) fn board(&self) -> Board {
        self.board
    }

    pub fn settings(&self) -> &NetworkSettings {
        &self.settings
    }

    /// The device of the weights.
    pub fn device(&self) -> Device {
        self.stem.bias.val().device()
    }

    /// Evaluates a batch: `planes` is `[positions][squares][planes]`, `globals`
    /// `[positions][globals]`, as [`crate::codec::Encode::encode`] writes them.
    ///
    /// # Panics
    /// If a slice does not hold whole positions, or they hold different numbers of positions.
    pub fn forward(&self, planes: &[f32], globals: &[f32]) -> Outputs {
        self.forward_by(&self.layers(), planes, globals)
    }

    /// The way to compute that suits the weights' device.
    pub(super) fn layers(&self) -> Layers {
        Layers::on(self.board, &self.device())
    }

    pub(super) fn forward_by(&self, layers: &Layers, planes: &[f32], globals: &[f32]) -> Outputs {
        let shape = &self.shape;
        let positions = planes.len() / shape.plane_values();
        assert_eq!(planes.len(), positions * shape.plane_values());
        assert_eq!(globals.len(), positions * shape.globals);
        let device = self.device();
        let mut bias = self.stem.bias_row();
        if let Some(layer) = &self.globals {
            let data = TensorData::new(globals.to_vec(), [positions, shape.globals]);
            bias = bias + layer.forward(Tensor::from_data(data, &device));
        }
        let x = layers.input(shape.planes, planes, &device);
        let mut x = layers.conv(x, &self.stem, bias, true);
        for block in &self.blocks {
            let mut bias = block.first.bias_row();
            if let Some(pool) = &block.pool {
                bias = bias + pool.forward(layers.pool(x.clone()));
            }
            let second = (&block.second, block.second.bias_row());
            x = layers.block(x, (&block.first, bias), second);
        }
        self.heads.forward(layers, x)
    }

    /// [`Net::forward`] with burn's own convolutions, whatever the device: for comparison.
    pub fn forward_with_convolutions(&self, planes: &[f32], globals: &[f32]) -> Outputs {
        let layers = Layers { arithmetic: Arithmetic::Convolutions, ..self.layers() };
        self.forward_by(&layers, planes, globals)
    }
}
