//! What the network says about a tower's last boards: policy, chances, plies left, margin.

use super::layers::{Boards, Convolution, Dense, Layers, Maker};
use super::net::{MARGIN_SCALE, Outputs, PLIES_SCALE};
use super::settings::NetworkSettings;
use crate::codec::Shape;
use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::{relu, softplus};

/// All heads. They share means and maxima of the tower ("pooled"). The value heads and the codes
/// tied to no square also see a few channels of every square, flattened: the boards are small and
/// of one size, and where a piece stands decides these games.
#[derive(Module, Debug)]
pub(super) struct Heads {
    /// 1×1: tower → policy channels, rectified after the pooled bias.
    pub policy_conv: Convolution,
    /// Pooled → a bias of the policy channels (KataGo's global pooling bias).
    pub policy_pool: Dense,
    /// 1×1: policy channels → policy planes.
    pub policy_out: Convolution,
    /// 1×1: tower → value channels, rectified.
    pub value_conv: Convolution,
    /// Flattened value channels and pooled → hidden, rectified.
    pub value_hidden: Dense,
    pub wdl: Dense,
    pub plies: Dense,
    pub margin: Option<Dense>,
    pub extra: Option<Extra>,
}

/// The head of the codes tied to no square.
#[derive(Module, Debug)]
pub(super) struct Extra {
    /// Flattened value channels and pooled → hidden, rectified.
    pub hidden: Dense,
    pub out: Dense,
}

impl Heads {
    /// The last layers start at zero: a new network holds all actions and results for equally
    /// likely.
    pub fn new(shape: &Shape, settings: &NetworkSettings, make: &mut Maker) -> Self {
        let NetworkSettings { channels, policy_channels, value_channels, value_hidden, .. } =
            *settings;
        let features = shape.squares() * value_channels + 2 * channels;
        Self {
            policy_conv: make.convolution((channels, policy_channels), 1, 1.0),
            policy_pool: make.dense((2 * channels, policy_channels), 0.5),
            policy_out: make.convolution((policy_channels, shape.policy_planes), 1, 0.0),
            value_conv: make.convolution((channels, value_channels), 1, 1.0),
            value_hidden: make.dense((features, value_hidden), 1.0),
            wdl: make.dense((value_hidden, 3), 0.0),
            plies: make.dense((value_hidden, 1), 0.0),
            margin: shape.margin.then(|| make.dense((value_hidden, 1), 0.0)),
            extra: (shape.extra_codes > 0).then(|| Extra {
                hidden: make.dense((features, value_hidden), 1.0),
                out: make.dense((value_hidden, shape.extra_codes), 0.0),
            }),
        }
    }

    pub fn forward(&self, layers: &Layers, x: Boards) -> Outputs {
        let pooled = layers.pool(x.clone());
        let bias = self.policy_conv.bias_row() + self.policy_pool.forward(pooled.clone());
        let policy = layers.conv(x.clone(), &self.policy_conv, bias, true);
        let bias = self.policy_out.bias_row();
        let policy = layers.gather(layers.conv(policy, &self.policy_out, bias, false));

        let bias = self.value_conv.bias_row();
        let value = layers.gather(layers.conv(x, &self.value_conv, bias, true));
        let features = Tensor::cat(vec![value, pooled], 1);
        let policy = match &self.extra {
            Some(extra) => {
                let hidden = relu(extra.hidden.forward(features.clone()));
                Tensor::cat(vec![policy, extra.out.forward(hidden)], 1)
            }
            None => policy,
        };
        let hidden = relu(self.value_hidden.forward(features));
        let plies = softplus(self.plies.forward(hidden.clone()), 1.0) * PLIES_SCALE;
        Outputs {
            policy,
            wdl: self.wdl.forward(hidden.clone()),
            plies: plies.flatten(0, 1),
            margin: self
                .margin
                .as_ref()
                .map(|margin| (margin.forward(hidden) * MARGIN_SCALE).flatten(0, 1)),
        }
    }
}
