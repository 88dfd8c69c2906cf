//! The size of a network, and which sizes are refused.

use super::board_conv::Board;
use super::device::DeviceError;
use crate::codec::Shape;
use crate::settings::{OutOfRange, Settings};

settings! {
    /// The size of the network. Two networks of different sizes cannot share weights.
    pub struct NetworkSettings {
        /// Residual blocks of the tower, two convolutions each.
        blocks: usize = 3, in 1..=40;
        /// Channels of the tower: a multiple of 8; multiples of 32 are fastest.
        channels: usize = 32, in 8..=512;
        /// Every n-th block also sees means and maxima over the whole board; 0: none does.
        pool_every: usize = 2, in 0..=40;
        /// Channels of the policy head.
        policy_channels: usize = 32, in 1..=512;
        /// Channels of the value head on each square.
        value_channels: usize = 8, in 1..=512;
        /// Width of the hidden layer behind the value head and behind codes tied to no square.
        value_hidden: usize = 64, in 1..=2048;
    }
}

/// Why there is no network of this size or for this game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetError {
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    #[error("`learn.device` {0}")]
    Device(#[from] DeviceError),
    #[error("`channels` is {0}; allowed: a multiple of 8, such as {next}", next = .0.next_multiple_of(8))]
    Channels(usize),
    #[error("{found} numbers for the weights of a network that has {expected}")]
    Weights { found: usize, expected: u64 },
    #[error("a board of {width} × {height} squares; allowed: 1 to {most} squares", most = Board::MOST_SQUARES)]
    Board { width: usize, height: usize },
    #[error("`{what}` of the shape is {value}; allowed: {least} to {most}")]
    Shape { what: &'static str, value: usize, least: usize, most: usize },
}

/// Most planes, globals and policy planes of a shape, so that no file asks for all memory.
const MOST_PLANES: usize = 4096;
/// Most policy codes that are tied to no square.
const MOST_EXTRA_CODES: usize = 65_536;

/// The board of a shape, if a network of these settings can see it.
pub fn check(shape: &Shape, settings: &NetworkSettings) -> Result<Board, NetError> {
    settings.check()?;
    if !settings.channels.is_multiple_of(8) {
        return Err(NetError::Channels(settings.channels));
    }
    let limits = [
        ("planes", shape.planes, 1, MOST_PLANES),
        ("globals", shape.globals, 0, MOST_PLANES),
        ("policy_planes", shape.policy_planes, 1, MOST_PLANES),
        ("extra_codes", shape.extra_codes, 0, MOST_EXTRA_CODES),
    ];
    for (what, value, least, most) in limits {
        if !(least..=most).contains(&value) {
            return Err(NetError::Shape { what, value, least, most });
        }
    }
    Board::new(shape.width, shape.height)
        .ok_or(NetError::Board { width: shape.width, height: shape.height })
}

/// How many weights a network of a form that [`check`] lets pass has.
pub fn weight_count(shape: &Shape, settings: &NetworkSettings) -> u64 {
    let NetworkSettings { blocks, channels, pool_every, .. } = *settings;
    let NetworkSettings { policy_channels, value_channels, value_hidden, .. } = *settings;
    // A layer of so many inputs for each output, and a bias.
    let layer = |inputs: usize, outputs: usize| (inputs + 1) * outputs;
    let given = |is_there: bool, weights: usize| if is_there { weights } else { 0 };
    let pooled = 2 * channels;
    let features = shape.squares() * value_channels + pooled;
    let hidden = layer(features, value_hidden);
    let tower = layer(9 * shape.planes, channels)
        + given(shape.globals > 0, layer(shape.globals, channels))
        + 2 * blocks * layer(9 * channels, channels)
        + blocks.checked_div(pool_every).unwrap_or(0) * layer(pooled, channels);
    let policy = layer(channels, policy_channels)
        + layer(pooled, policy_channels)
        + layer(policy_channels, shape.policy_planes)
        + given(shape.extra_codes > 0, hidden + layer(value_hidden, shape.extra_codes));
    let values = 3 + 1 + usize::from(shape.margin);
    let value = layer(channels, value_channels) + hidden + layer(value_hidden, values);
    (tower + policy + value) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_no_kernel_fits_are_refused_with_what_would_fit() {
        let shape = Shape {
            width: 7,
            height: 9,
            planes: 24,
            globals: 4,
            policy_planes: 4,
            extra_codes: 0,
            margin: false,
        };
        let settings = NetworkSettings::default();
        assert!(check(&shape, &settings).is_ok());

        let odd = NetworkSettings { channels: 36, ..settings.clone() };
        let error = check(&shape, &odd).unwrap_err().to_string();
        assert_eq!(error, "`channels` is 36; allowed: a multiple of 8, such as 40");

        let none = NetworkSettings { blocks: 0, ..settings.clone() };
        let error = check(&shape, &none).unwrap_err().to_string();
        assert_eq!(error, "`blocks` is 0; allowed: 1 to 40");

        let large = Shape { width: 9, height: 9, ..shape };
        let error = check(&large, &settings).unwrap_err().to_string();
        assert_eq!(error, "a board of 9 × 9 squares; allowed: 1 to 80 squares");

        let blind = Shape { planes: 0, ..shape };
        let error = check(&blind, &settings).unwrap_err().to_string();
        assert_eq!(error, "`planes` of the shape is 0; allowed: 1 to 4096");
    }
}
