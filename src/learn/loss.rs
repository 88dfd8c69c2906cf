//! What the learner minimises. Pure functions of tensors.
//!
//! The policy term is the cross-entropy between the search's target and the network's softmax over
//! *legal* codes; the value term the cross-entropy of win, draw and loss; plies left and margin
//! are smooth-L1 terms on scaled numbers, counted only where they are known.

use crate::settings::Conflict;
use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

crate::settings! {
    /// What the terms of the loss weigh.
    pub struct LossSettings {
        /// Cross-entropy of the policy.
        policy: f64 = 1.0, in 0.0..=100.0;
        /// Cross-entropy of win, draw and loss.
        value: f64 = 1.0, in 0.0..=100.0;
        /// Plies left until the end, in units of 20 plies.
        plies: f64 = 0.05, in 0.0..=100.0;
        /// Margin of points, in units of 20 points.
        margin: f64 = 0.25, in 0.0..=100.0;
        /// Share of the game's result in the value target; the rest is the search's root value.
        result_share: f64 = 0.6, in 0.0..=1.0;
    }
    conflicts nothing_to_learn;
}

fn nothing_to_learn(settings: &LossSettings) -> Option<Conflict> {
    let message = "leaves nothing to learn: `loss.policy` and `loss.value` are both 0";
    let none = settings.policy == 0.0 && settings.value == 0.0;
    none.then_some(Conflict { keys: &["policy", "value"], message })
}

/// Plies, and points, that count as one unit of error.
pub const UNIT: f32 = 20.0;

/// Mean cross-entropy `-Σ target · log softmax(logits)`; both `[B, n]`.
pub fn cross_entropy(logits: Tensor<2>, target: Tensor<2>) -> Tensor<1> {
    let rows = logits.dims()[0] as f32;
    (log_softmax(logits, 1) * target).sum().neg().div_scalar(rows)
}

/// Smooth L1 (Huber with threshold 1) of `(guess - target) / UNIT`, averaged over all rows;
/// `known` is 1 where the row counts and 0 elsewhere. All `[B]`.
pub fn smooth_l1(guess: Tensor<1>, target: Tensor<1>, known: Tensor<1>) -> Tensor<1> {
    let rows = guess.dims()[0] as f32;
    let error = (guess - target).div_scalar(UNIT).abs();
    let near = error.clone().clamp_max(1.0);
    // 0.5 · near² below 1, and 0.5 + (error - 1) = error - 0.5 beyond.
    let cost = near.clone() * near.clone().mul_scalar(0.5) + (error - near);
    (cost * known).sum().div_scalar(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    fn number(tensor: Tensor<1>) -> f32 {
        tensor.into_scalar::<f32>()
    }

    #[test]
    fn cross_entropy_of_even_logits_is_the_logarithm_of_their_number() {
        let device = Device::flex();
        let logits =
            Tensor::<2>::from_floats([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]], &device);
        let target =
            Tensor::<2>::from_floats([[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]], &device);
        assert!((number(cross_entropy(logits, target)) - 4.0f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn an_illegal_code_takes_no_probability() {
        let device = Device::flex();
        let logits = Tensor::<2>::from_floats([[0.0, 0.0, 9.0 + crate::replay::ILLEGAL]], &device);
        let target = Tensor::<2>::from_floats([[0.5, 0.5, 0.0]], &device);
        assert!((number(cross_entropy(logits, target)) - 2.0f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn smooth_l1_is_a_parabola_near_zero_and_a_line_beyond() {
        let device = Device::flex();
        let tensor = |values: [f32; 3]| Tensor::<1>::from_floats(values, &device);
        // Errors of 0.5, 2 and (uncounted) 5 units: 0.125 + 1.5, over three rows.
        let loss = smooth_l1(
            tensor([10.0, -40.0, 100.0]),
            tensor([0.0, 0.0, 0.0]),
            tensor([1.0, 1.0, 0.0]),
        );
        assert!((number(loss) - 1.625 / 3.0).abs() < 1e-6);
    }
}
