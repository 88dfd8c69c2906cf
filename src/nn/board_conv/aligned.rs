//! Floats that begin at a cache line, so that no vector load straddles two lines.

use super::LANES;
use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f32; LANES]);

/// A vector of floats, a multiple of [`LANES`] long, that begins at a cache line.
#[derive(Clone, Debug, Default)]
pub struct Aligned(Vec<Line>);

impl Aligned {
    /// At least `length` zeros, rounded up to a multiple of [`LANES`].
    pub fn zeros(length: usize) -> Self {
        Self(vec![Line([0.0; LANES]); length.div_ceil(LANES)])
    }

    /// A copy of `values`, filled up with zeros to a multiple of [`LANES`].
    pub fn copy_of(values: &[f32]) -> Self {
        let mut copy = Self::zeros(values.len());
        copy[..values.len()].copy_from_slice(values);
        copy
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `Line` is `LANES` floats without padding (64 bytes, aligned to 64), so the lines
        // are one run of floats, which borrows from `self`.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * LANES) }
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * LANES) }
    }
}
