//! A convolution's weights in the order in which the kernels read them.

use super::board::{LANES, blocks};
use super::{Aligned, Board};

/// Weights as `[output block][input block][tap][input lane][output lane]`, for all kernels alike.
/// Taps are the 9 neighbours of a square, row by row, or the square alone.
#[derive(Clone, Debug)]
pub struct PackedConv {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) taps: usize,
    pub(super) values: Aligned,
}

/// Where a weight stands in the packed order.
fn place(inputs: usize, taps: usize, output: usize, input: usize, tap: usize) -> usize {
    let tile = (output / LANES * blocks(inputs) + input / LANES) * taps + tap;
    (tile * LANES + input % LANES) * LANES + output % LANES
}

impl PackedConv {
    /// Packs weights from burn's order `[outputs][inputs][taps]`.
    ///
    /// # Panics
    /// If `weights` has another length, or there are neither 1 nor 9 taps.
    pub fn pack(outputs: usize, inputs: usize, taps: usize, weights: &[f32]) -> Self {
        assert!(taps == 1 || taps == 9, "a convolution has 1 or 9 taps, not {taps}");
        assert_eq!(weights.len(), outputs * inputs * taps);
        let mut values = Aligned::zeros(Self::length(outputs, inputs, taps));
        for (row, weights) in weights.chunks_exact(taps).enumerate() {
            for (tap, &weight) in weights.iter().enumerate() {
                values[place(inputs, taps, row / inputs, row % inputs, tap)] = weight;
            }
        }
        Self { inputs, outputs, taps, values }
    }

    /// Packs the weights that carry gradients from outputs back to inputs: inputs and outputs
    /// change places, taps change sides.
    pub fn pack_transposed(outputs: usize, inputs: usize, taps: usize, weights: &[f32]) -> Self {
        assert!(taps == 1 || taps == 9, "a convolution has 1 or 9 taps, not {taps}");
        assert_eq!(weights.len(), outputs * inputs * taps);
        let mut values = Aligned::zeros(Self::length(inputs, outputs, taps));
        for (row, weights) in weights.chunks_exact(taps).enumerate() {
            for (tap, &weight) in weights.iter().enumerate() {
                let (output, input) = (row / inputs, row % inputs);
                values[place(outputs, taps, input, output, taps - 1 - tap)] = weight;
            }
        }
        Self { inputs: outputs, outputs: inputs, taps, values }
    }

    /// Brings packed values (a weight gradient) back into burn's order.
    ///
    /// # Panics
    /// If `packed` has another length than [`PackedConv::length`].
    pub fn unpack(outputs: usize, inputs: usize, taps: usize, packed: &[f32]) -> Vec<f32> {
        assert_eq!(packed.len(), Self::length(outputs, inputs, taps));
        let mut weights = vec![0.0; outputs * inputs * taps];
        for (row, weights) in weights.chunks_exact_mut(taps).enumerate() {
            for (tap, weight) in weights.iter_mut().enumerate() {
                *weight = packed[place(inputs, taps, row / inputs, row % inputs, tap)];
            }
        }
        weights
    }

    /// Floats of packed weights.
    pub fn length(outputs: usize, inputs: usize, taps: usize) -> usize {
        blocks(outputs) * blocks(inputs) * taps * LANES * LANES
    }

    pub fn inputs(&self) -> usize {
        self.inputs
    }

    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Distances from a square to the taps, in floats; the first `taps` count.
pub(super) fn tap_offsets(board: Board, taps: usize) -> [isize; 9] {
    let mut offsets = [0; 9];
    if taps == 9 {
        let stride = board.stride() as isize;
        for (tap, offset) in (0..).zip(&mut offsets) {
            *offset = ((tap / 3 - 1) * stride + tap % 3 - 1) * LANES as isize;
        }
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_and_unpacking_are_inverse() {
        let weights: Vec<f32> = (0..24 * 40 * 9).map(|value| value as f32).collect();
        let packed = PackedConv::pack(24, 40, 9, &weights);
        assert_eq!(PackedConv::unpack(24, 40, 9, &packed.values), weights);
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let weights: Vec<f32> = (0..8 * 24 * 9).map(|value| value as f32).collect();
        let once = PackedConv::pack_transposed(8, 24, 9, &weights);
        let turned = PackedConv::unpack(24, 8, 9, &once.values);
        assert_ne!(turned, weights);
        let twice = PackedConv::pack_transposed(24, 8, 9, &turned);
        assert_eq!(PackedConv::unpack(8, 24, 9, &twice.values), weights);
    }

    #[test]
    fn taps_are_the_neighbours_row_by_row() {
        let board = Board::new(7, 9).unwrap();
        let lanes = LANES as isize;
        let cells = tap_offsets(board, 9).map(|offset| offset / lanes);
        assert_eq!(cells, [-9, -8, -7, -1, 0, 1, 7, 8, 9]);
        assert_eq!(tap_offsets(board, 1), [0; 9]);
    }
}
