//! The size of a network in two words: `3x32` is 3 residual blocks of 32 channels.

use crate::codec::Shape;
use crate::nn::{NetError, NetworkSettings};
use crate::settings::Settings;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Blocks and channels of a tower; the heads have their default sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub blocks: usize,
    pub channels: usize,
}

/// A text that is no size.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SizeError {
    #[error("`{0}` is no size: right is blocks x channels, such as `3x32`")]
    Form(String),
    #[error("`{0}` is no size: {1}")]
    Range(String, NetError),
}

impl Size {
    pub fn settings(self) -> NetworkSettings {
        NetworkSettings { blocks: self.blocks, channels: self.channels, ..Default::default() }
    }

    /// Floating point operations of the plain 3 × 3 convolutions for one position, a multiply-add
    /// being two: the stem and two for each block, nine taps on every square, edges included. The
    /// heads (1 × 1), biases and pooling are left out.
    pub fn operations(self, shape: &Shape) -> f64 {
        let Size { blocks, channels } = self;
        let products = shape.planes * channels + 2 * blocks * channels * channels;
        (2 * 9 * shape.squares() * products) as f64
    }
}

impl Default for Size {
    fn default() -> Self {
        let NetworkSettings { blocks, channels, .. } = NetworkSettings::default();
        Self { blocks, channels }
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let form = || SizeError::Form(text.to_string());
        let (blocks, channels) = text.split_once('x').ok_or_else(form)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| form());
        let size = Size { blocks: number(blocks)?, channels: number(channels)? };
        let range = |error: NetError| SizeError::Range(text.to_string(), error);
        size.settings().check().map_err(|error| range(error.into()))?;
        if !size.channels.is_multiple_of(8) {
            return Err(range(NetError::Channels(size.channels)));
        }
        Ok(size)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&format!("{}x{}", self.blocks, self.channels))
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_refused_with_the_text() {
        let size: Size = "10x128".parse().unwrap();
        assert_eq!((size.blocks, size.channels, size.to_string().as_str()), (10, 128, "10x128"));
        for (wrong, word) in [
            ("3y32", "such as `3x32`"),
            ("x", "such as `3x32`"),
            ("3x-8", "such as `3x32`"),
            ("0x32", "allowed: 1 to 40"),
            ("3x4096", "allowed: 8 to 512"),
            ("3x36", "a multiple of 8, such as 40"),
        ] {
            let error = wrong.parse::<Size>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{wrong}` ")) && error.contains(word), "{error}");
        }
    }

    #[test]
    fn operations_by_hand() {
        let (width, height, planes, globals) = (7, 9, 28, 8);
        let (policy_planes, extra_codes, margin) = (4, 0, false);
        let shape = Shape { width, height, planes, globals, policy_planes, extra_codes, margin };
        // 63 squares × 9 taps × (28·32 + 6·32·32) products × 2.
        assert_eq!(Size::default().operations(&shape), 7_983_360.0);
    }
}
