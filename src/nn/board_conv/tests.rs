//! The kernels and the operations against burn's own convolution, under every instruction set.

use super::operation::{Setting, board_block, board_conv, board_gather, board_pool};
use super::*;
use crate::rng::{Stream, stream};
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};
use rand_distr::{Distribution, StandardNormal};

/// Width, height, inputs, outputs, boards: the three games, odd sizes, channels that fill no block.
const CASES: [(usize, usize, usize, usize, usize); 8] = [
    (7, 9, 24, 32, 5),
    (6, 10, 32, 16, 3),
    (8, 8, 40, 48, 2),
    (5, 3, 8, 24, 37),
    (1, 1, 3, 5, 2),
    (80, 1, 17, 8, 1),
    (13, 6, 64, 33, 1),
    (16, 5, 16, 40, 2),
];

fn normals(stream: &mut Stream, count: usize, scale: f32) -> Vec<f32> {
    (0..count)
        .map(|_| {
            let value: f32 = StandardNormal.sample(stream);
            value * scale
        })
        .collect()
}

fn tensor<const D: usize>(values: &[f32], shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().unwrap()
}

/// Largest difference; the numbers compared are of size 1.
fn assert_close(what: &str, a: Vec<f32>, b: Vec<f32>) {
    assert_eq!(a.len(), b.len(), "{what}");
    assert!(!a.is_empty(), "{what}");
    let error = a.iter().zip(&b).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f32::max);
    assert!(error < 1e-4, "{what}: {error:e}");
}

/// `[boards][squares][channels]` in the layout of the operations.
fn spread(board: Board, channels: usize, values: &[f32], device: &Device) -> Tensor<4> {
    let each = board.squares() * channels;
    let boards = values.len() / each;
    let mut out = vec![0.0; boards * board.floats(channels)];
    let parts = out.chunks_exact_mut(board.floats(channels));
    for (out, values) in parts.zip(values.chunks_exact(each)) {
        board.spread(channels, values, out);
    }
    tensor(&out, [boards, blocks(channels), board.cells(), LANES], device)
}

/// `[boards][squares][channels]` as burn's convolution wants it.
fn plain(board: Board, channels: usize, values: &[f32], device: &Device) -> Tensor<4> {
    let boards = values.len() / (board.squares() * channels);
    let shape = [boards, board.height(), board.width(), channels];
    tensor(values, shape, device).permute([0, 3, 1, 2])
}

/// The real squares of a tensor in burn's order.
fn flat(tensor: Tensor<4>) -> Vec<f32> {
    numbers(tensor.permute([0, 2, 3, 1]))
}

fn gathered(setting: Setting, tensor: Tensor<4>) -> Vec<f32> {
    numbers(board_gather(tensor, setting))
}

fn reference(x: Tensor<4>, weights: Tensor<4>, bias: Tensor<2>) -> Tensor<4> {
    let side = (weights.dims()[2] - 1) / 2;
    let [rows, outputs] = bias.dims();
    let options = ConvOptions::new([1, 1], [side, side], [1, 1], 1);
    conv2d(x, weights, None, options) + bias.reshape([rows, outputs, 1, 1])
}

#[test]
fn convolution_and_gradients_agree_with_burn() {
    let device = Device::flex().autodiff();
    for instructions in Instructions::available() {
        for (index, (width, height, inputs, outputs, boards)) in (0..).zip(CASES) {
            for (side, rectify, shared_bias) in [(3, true, true), (1, false, false)] {
                let what = format!("{} {width}x{height} {inputs}>{outputs}", instructions.name());
                let mut stream = stream(7, "convolution", index);
                let board = Board::new(width, height).unwrap();
                let rows = if shared_bias { 1 } else { boards };
                let fan = inputs * side * side;
                let x = normals(&mut stream, boards * board.squares() * inputs, 1.0);
                let w = normals(&mut stream, outputs * fan, 1.0 / (fan as f32).sqrt());
                let b = normals(&mut stream, rows * outputs, 1.0);
                let scale = 1.0 / ((boards * board.squares()) as f32).sqrt();
                let t = normals(&mut stream, boards * board.squares() * outputs, scale);

                let w0 = tensor(&w, [outputs, inputs, side, side], &device).require_grad();
                let b0 = tensor(&b, [rows, outputs], &device).require_grad();
                let x0 = plain(board, inputs, &x, &device).detach().require_grad();
                let y0 = reference(x0.clone(), w0.clone(), b0.clone());
                let y0 = if rectify { relu(y0) } else { y0 };
                let grads0 = (y0.clone() * plain(board, outputs, &t, &device)).sum().backward();

                let setting = Setting { board, instructions, channels: inputs, relu: rectify };
                let out = Setting { channels: outputs, ..setting };
                let w1 = tensor(&w, [outputs, inputs, side, side], &device).require_grad();
                let b1 = tensor(&b, [rows, outputs], &device).require_grad();
                let x1 = spread(board, inputs, &x, &device).require_grad();
                let y1 = board_conv(x1.clone(), w1.clone(), b1.clone(), setting);
                let product = board_gather(y1.clone(), out)
                    * tensor(&t, [boards, board.squares() * outputs], &device);
                let grads1 = product.sum().backward();

                assert_close(&format!("{what} y"), gathered(out, y1.inner()), flat(y0.inner()));
                let (g0, g1) = (x0.grad(&grads0).unwrap(), x1.grad(&grads1).unwrap());
                assert_close(&format!("{what} dx"), gathered(setting, g1), flat(g0));
                let (g0, g1) = (w0.grad(&grads0).unwrap(), w1.grad(&grads1).unwrap());
                assert_close(&format!("{what} dw"), numbers(g1), numbers(g0));
                let (g0, g1) = (b0.grad(&grads0).unwrap(), b1.grad(&grads1).unwrap());
                assert_close(&format!("{what} db"), numbers(g1), numbers(g0));
            }
        }
    }
}

#[test]
fn residual_block_and_gradients_agree_with_burn() {
    let device = Device::flex().autodiff();
    for instructions in Instructions::available() {
        let cases = [(7, 9, 32, 5, 1), (6, 10, 24, 3, 3), (8, 8, 48, 2, 1), (3, 5, 8, 70, 70)];
        for (index, (width, height, channels, boards, rows)) in (0..).zip(cases) {
            let what = format!("{} {width}x{height} {channels}", instructions.name());
            let mut stream = stream(8, "block", index);
            let board = Board::new(width, height).unwrap();
            let fan = channels * 9;
            let x = normals(&mut stream, boards * board.squares() * channels, 1.0);
            let w: Vec<_> = (0..2)
                .map(|_| normals(&mut stream, channels * fan, 1.0 / (fan as f32).sqrt()))
                .collect();
            let b = [rows, 1].map(|rows| normals(&mut stream, rows * channels, 1.0));
            let scale = 1.0 / ((boards * board.squares()) as f32).sqrt();
            let t = normals(&mut stream, boards * board.squares() * channels, scale);
            let weights = || {
                let w0 = tensor(&w[0], [channels, channels, 3, 3], &device).require_grad();
                let w1 = tensor(&w[1], [channels, channels, 3, 3], &device).require_grad();
                let b0 = tensor(&b[0], [rows, channels], &device).require_grad();
                let b1 = tensor(&b[1], [1, channels], &device).require_grad();
                (w0, b0, w1, b1)
            };

            let p = weights();
            let x0 = plain(board, channels, &x, &device).detach().require_grad();
            let inner = relu(reference(x0.clone(), p.0.clone(), p.1.clone()));
            let y0 = relu(reference(inner, p.2.clone(), p.3.clone()) + x0.clone());
            let grads0 = (y0.clone() * plain(board, channels, &t, &device)).sum().backward();

            let q = weights();
            let setting = Setting { board, instructions, channels, relu: true };
            let x1 = spread(board, channels, &x, &device).require_grad();
            let first = (q.0.clone(), q.1.clone());
            let y1 = board_block(x1.clone(), first, (q.2.clone(), q.3.clone()), setting);
            let product = board_gather(y1.clone(), setting)
                * tensor(&t, [boards, board.squares() * channels], &device);
            let grads1 = product.sum().backward();

            assert_close(&format!("{what} y"), gathered(setting, y1.inner()), flat(y0.inner()));
            let (g0, g1) = (x0.grad(&grads0).unwrap(), x1.grad(&grads1).unwrap());
            assert_close(&format!("{what} dx"), gathered(setting, g1), flat(g0));
            for (what, a, b) in [("dw1", &p.0, &q.0), ("dw2", &p.2, &q.2)] {
                let (a, b) = (a.grad(&grads0).unwrap(), b.grad(&grads1).unwrap());
                assert_close(what, numbers(b), numbers(a));
            }
            for (what, a, b) in [("db1", &p.1, &q.1), ("db2", &p.3, &q.3)] {
                let (a, b) = (a.grad(&grads0).unwrap(), b.grad(&grads1).unwrap());
                assert_close(what, numbers(b), numbers(a));
            }
        }
    }
}

#[test]
fn pooling_and_its_gradient_agree_with_burn() {
    let device = Device::flex().autodiff();
    for instructions in Instructions::available() {
        let (board, channels, boards) = (Board::new(7, 9).unwrap(), 24, 3);
        let mut stream = stream(9, "pool", 0);
        let x = normals(&mut stream, boards * board.squares() * channels, 1.0);
        let t = normals(&mut stream, boards * 2 * channels, 1.0);
        let t = tensor(&t, [boards, 2 * channels], &device);

        let x0 = plain(board, channels, &x, &device).detach().require_grad();
        let squares: Tensor<3> = x0.clone().flatten(2, 3);
        let means: Tensor<2> = squares.clone().mean_dim(2).squeeze_dim(2);
        let maxima: Tensor<2> = squares.max_dim(2).squeeze_dim(2);
        let y0 = Tensor::cat(vec![means, maxima], 1);
        let grads0 = (y0.clone() * t.clone()).sum().backward();

        let setting = Setting { board, instructions, channels, relu: false };
        let x1 = spread(board, channels, &x, &device).require_grad();
        let y1 = board_pool(x1.clone(), setting);
        let grads1 = (y1.clone() * t).sum().backward();
        assert_close("pooled", numbers(y1.inner()), numbers(y0.inner()));
        let (g0, g1) = (x0.grad(&grads0).unwrap(), x1.grad(&grads1).unwrap());
        assert_close("gradient", gathered(setting, g1), flat(g0));
    }
}

#[test]
fn linear_layers_agree_with_plain_sums() {
    let mut stream = stream(10, "dense", 0);
    for instructions in Instructions::available() {
        for (inputs, outputs) in [(1, 16), (7, 32), (65, 48), (568, 64), (100, 144)] {
            let x = normals(&mut stream, inputs, 1.0);
            let weights = normals(&mut stream, inputs * outputs, 1.0 / (inputs as f32).sqrt());
            let bias = normals(&mut stream, outputs, 1.0);
            let mut out = bias.clone();
            dense(instructions, &x, &weights, &mut out);
            let expected = (0..outputs).map(|output| {
                let products = (0..inputs).map(|i| x[i] * weights[i * outputs + output]);
                bias[output] + products.sum::<f32>()
            });
            assert_close(instructions.name(), out, expected.collect());
        }
    }
}

#[test]
fn zero_cells_stay_zero() {
    let board = Board::new(6, 10).unwrap();
    for instructions in Instructions::available() {
        let weights = PackedConv::pack(16, 8, 9, &vec![1.0; 16 * 8 * 9]);
        let mut x = vec![0.0; board.floats(8)];
        board.spread(8, &vec![1.0; board.squares() * 8], &mut x);
        let mut out = vec![0.0; board.floats(16)];
        let conv = Conv {
            board,
            weights: &weights,
            x: &x,
            bias: Some(&[1.0; LANES]),
            skip: Skip::Nothing,
            relu: true,
            mask: None,
        };
        convolve(instructions, &conv, &mut out);
        let squares: Vec<usize> = board.square_cells().collect();
        for cell in 0..board.cells() {
            let zero = out[cell * LANES..][..LANES].iter().all(|&value| value == 0.0);
            assert_eq!(zero, !squares.contains(&cell), "cell {cell}");
        }
        // A corner has 4 squares under the taps, the middle 9, each of 8 channels.
        assert_eq!(out[board.cell(0, 0) * LANES], 1.0 + 4.0 * 8.0);
        assert_eq!(out[board.cell(4, 3) * LANES], 1.0 + 9.0 * 8.0);
    }
}

#[test]
#[should_panic(expected = "left == right")]
fn slices_of_the_wrong_size_never_reach_a_kernel() {
    let board = Board::new(7, 9).unwrap();
    let weights = PackedConv::pack(16, 16, 9, &vec![0.0; 16 * 16 * 9]);
    let x = vec![0.0; board.floats(16) - 1];
    let mut out = vec![0.0; board.floats(16)];
    let conv = Conv {
        board,
        weights: &weights,
        x: &x,
        bias: None,
        skip: Skip::Nothing,
        relu: false,
        mask: None,
    };
    convolve(Instructions::chosen(), &conv, &mut out);
}
