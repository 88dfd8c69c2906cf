//! AdamW on flat arrays, fused with gradient clipping and the averaged copy of the weights.
//!
//! One pass over memory a step, and the whole state is plain arrays: what is saved is all there
//! is, so a resumed run continues bit for bit.
//! Adam with decoupled weight decay: Loshchilov & Hutter 2019, algorithm 2.

crate::settings! {
    /// The optimiser.
    pub struct OptimiserSettings {
        /// Learning rate between warm-up and final decay.
        learning_rate: f64 = 1e-3, in 0.0..=1.0;
        /// Decay of the mean of gradients.
        beta_1: f64 = 0.9, in 0.0..=0.9999;
        /// Decay of the mean of squared gradients.
        beta_2: f64 = 0.99, in 0.0..=0.99999;
        /// Added to the root of the second moment.
        epsilon: f64 = 1e-8, in 0.0..=1.0;
        /// Decoupled weight decay, times the learning rate, on matrices and kernels.
        weight_decay: f64 = 1e-2, in 0.0..=10.0;
        /// A gradient longer than this (Euclidean norm over all weights) is scaled down to it.
        clip: f64 = 1.0, in 0.0..=1e9;
        /// The averaged weights keep this share of themselves at each step.
        ema: f64 = 0.999, in 0.0..=0.99999;
    }
}

/// What a learner keeps: weights, averaged weights and moments, one number each for every
/// parameter, in the order in which the network lists its parameters.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Weights {
    pub raw: Vec<f32>,
    pub averaged: Vec<f32>,
    pub mean: Vec<f32>,
    pub square: Vec<f32>,
    /// Steps done.
    pub steps: u64,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepped {
    /// Norm of the gradient before clipping; not finite when the step was refused.
    pub norm: f64,
    /// Was the step taken? A gradient that is not finite changes nothing.
    pub taken: bool,
}

impl Weights {
    /// Fresh state around initial weights.
    pub fn new(raw: Vec<f32>) -> Self {
        let zeros = vec![0.0; raw.len()];
        Self { averaged: raw.clone(), mean: zeros.clone(), square: zeros, raw, steps: 0 }
    }

    /// Is every weight and moment a finite number?
    pub fn is_finite(&self) -> bool {
        let parts = [&self.raw, &self.averaged, &self.mean, &self.square];
        parts.iter().all(|part| part.iter().all(|value| value.is_finite()))
    }

    /// One step against `gradient` at `rate`. `decays[i]` says whether weight i decays (biases do
    /// not). Averaging starts gently: the share kept grows from 0 to `ema` over the first steps,
    /// `min(ema, (1 + step) / (10 + step))`, so that the random start is forgotten.
    pub fn step(
        &mut self,
        settings: &OptimiserSettings,
        rate: f64,
        gradient: &[f32],
        decays: &[bool],
    ) -> Stepped {
        assert_eq!(gradient.len(), self.raw.len(), "one gradient for each weight");
        assert_eq!(decays.len(), self.raw.len(), "one flag for each weight");
        let norm = gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt();
        if !norm.is_finite() {
            return Stepped { norm, taken: false };
        }
        self.steps += 1;
        let scale =
            if settings.clip > 0.0 && norm > settings.clip { settings.clip / norm } else { 1.0 };
        let steps = self.steps as f64;
        let correct_1 = 1.0 - settings.beta_1.powf(steps);
        let correct_2 = 1.0 - settings.beta_2.powf(steps);
        let keep = settings.ema.min((1.0 + steps) / (10.0 + steps)) as f32;
        let (beta_1, beta_2) = (settings.beta_1 as f32, settings.beta_2 as f32);
        let (scale, epsilon) = (scale as f32, settings.epsilon as f32);
        let size = (rate / correct_1) as f32;
        let root = (1.0 / correct_2).sqrt() as f32;
        let decay = (rate * settings.weight_decay) as f32;
        for i in 0..self.raw.len() {
            let g = gradient[i] * scale;
            let mean = beta_1 * self.mean[i] + (1.0 - beta_1) * g;
            let square = beta_2 * self.square[i] + (1.0 - beta_2) * g * g;
            let shrink = if decays[i] { 1.0 - decay } else { 1.0 };
            let raw = self.raw[i] * shrink - size * mean / (square.sqrt() * root + epsilon);
            self.mean[i] = mean;
            self.square[i] = square;
            self.raw[i] = raw;
            self.averaged[i] = keep * self.averaged[i] + (1.0 - keep) * raw;
        }
        Stepped { norm, taken: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> OptimiserSettings {
        OptimiserSettings {
            weight_decay: 0.0,
            clip: 0.0,
            beta_2: 0.999,
            ..OptimiserSettings::default()
        }
    }

    #[test]
    fn the_first_step_moves_by_the_learning_rate() {
        // With bias correction the first step is rate · g / |g|, whatever the size of g.
        let mut weights = Weights::new(vec![1.0, 1.0]);
        weights.step(&plain(), 0.1, &[5.0, -0.01], &[true, true]);
        assert!((weights.raw[0] - 0.9).abs() < 1e-5);
        assert!((weights.raw[1] - 1.1).abs() < 1e-5);
        // keep = (1 + 1) / (10 + 1): 2/11 · 1 + 9/11 · 0.9
        assert!((weights.averaged[0] - (2.0 / 11.0 + 9.0 / 11.0 * 0.9)).abs() < 1e-5);
    }

    #[test]
    fn decay_shrinks_only_what_decays() {
        let settings = OptimiserSettings { weight_decay: 0.5, ..plain() };
        let mut weights = Weights::new(vec![1.0, 1.0]);
        weights.step(&settings, 0.1, &[0.0, 0.0], &[true, false]);
        assert!((weights.raw[0] - 0.95).abs() < 1e-6);
        assert_eq!(weights.raw[1], 1.0);
    }

    #[test]
    fn clipping_scales_the_whole_gradient() {
        let settings = OptimiserSettings { clip: 1.0, ..plain() };
        let mut clipped = Weights::new(vec![0.0, 0.0]);
        let stepped = clipped.step(&settings, 0.1, &[3.0, 4.0], &[true, true]);
        assert!((stepped.norm - 5.0).abs() < 1e-9);
        assert!((clipped.mean[0] - 0.1 * 0.6).abs() < 1e-6);
        assert!((clipped.mean[1] - 0.1 * 0.8).abs() < 1e-6);
    }

    #[test]
    fn a_gradient_that_is_not_finite_changes_nothing() {
        let mut weights = Weights::new(vec![1.0, 2.0]);
        let before = weights.clone();
        let stepped = weights.step(&plain(), 0.1, &[f32::NAN, 0.0], &[true, true]);
        assert!(!stepped.taken);
        assert_eq!(weights, before);
    }

    #[test]
    fn it_finds_the_minimum_of_a_parabola() {
        let mut weights = Weights::new(vec![3.0]);
        for _ in 0..2000 {
            let gradient = [2.0 * (weights.raw[0] - 0.5)];
            weights.step(&plain(), 0.01, &gradient, &[true]);
        }
        assert!((weights.raw[0] - 0.5).abs() < 1e-2);
        assert!((weights.averaged[0] - 0.5).abs() < 2e-2);
    }
}
