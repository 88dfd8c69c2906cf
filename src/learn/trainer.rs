//! The learner: batches in, better weights out. A step is split over replicas, each on its own
//! core with its own part of the batch; their gradients are summed in a fixed order, so the result
//! depends on the number of replicas and on nothing else.

use super::adamw::{OptimiserSettings, Weights};
use super::guard::{Cost, Fault, Guard};
use super::loss::{self, LossSettings};
use crate::codec::Shape;
use crate::nn::{DeviceWord, Net, NetError, NetworkSettings, data_parallel, flat};
use crate::replay::Batch;
use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};

crate::settings! {
    /// How the learner works.
    pub struct LearnSettings {
        /// Samples in one step.
        batch: u32 = 256, in 1..=65_536;
        /// A step is not taken if its loss is more than so many times the mean of late, or policy
        /// and value in it cost more than so many times what an even guess does.
        spike: f64 = 3.0, in 1.1..=1e9;
        /// After so many refused steps in a row the weights return to where the lesson began.
        patience: u32 = 8, in 1..=1_000_000;
        /// Where the learner computes: `cpu`, or in a program built with the feature of that name
        /// `wgpu` (Vulkan, Metal, DirectX) or `cuda`. Games are always played by the processor. The
        /// weights depend on it.
        device: DeviceWord = DeviceWord::Cpu, words "`cpu`, `wgpu` or `cuda`";
    }
}

/// What a step, or many of them on average, cost and guessed right.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Losses {
    /// The weighted sum of all terms.
    pub total: f64,
    /// Cross-entropy of the policy, in nats, less the entropy of its target: 0 is perfect.
    pub policy: f64,
    /// Entropy of the policy target, in nats.
    pub target_entropy: f64,
    /// Entropy of the network's policy over legal codes, in nats.
    pub policy_entropy: f64,
    /// Cross-entropy of win, draw and loss, in nats.
    pub value: f64,
    /// Smooth L1 of the plies left, in units of 20 plies.
    pub plies: f64,
    /// Smooth L1 of the margin, in units of 20 points.
    pub margin: f64,
    /// Share of samples where the policy's best code is the target's best code.
    pub policy_accuracy: f64,
    /// Share of samples where the likeliest of win, draw and loss is the target's likeliest.
    pub value_accuracy: f64,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f64,
}

impl Losses {
    /// What the guard looks at, in a game of so many codes.
    fn cost(&self, costs: &LossSettings, codes: usize) -> Cost {
        let weighted = |policy: f64, value: f64| costs.policy * policy + costs.value * value;
        Cost {
            loss: self.total,
            guessed: weighted(self.policy + self.target_entropy, self.value),
            even: weighted((codes as f64).ln(), 3f64.ln()),
        }
    }

    /// `factor` times these.
    pub fn scaled(&self, factor: f64) -> Losses {
        let mut scaled = Losses::default();
        scaled.add(self, factor);
        scaled
    }

    /// Adds `share` times the losses of `other`.
    pub fn add(&mut self, other: &Losses, share: f64) {
        let pairs = [
            (&mut self.total, other.total),
            (&mut self.policy, other.policy),
            (&mut self.target_entropy, other.target_entropy),
            (&mut self.policy_entropy, other.policy_entropy),
            (&mut self.value, other.value),
            (&mut self.plies, other.plies),
            (&mut self.margin, other.margin),
            (&mut self.policy_accuracy, other.policy_accuracy),
            (&mut self.value_accuracy, other.value_accuracy),
            (&mut self.gradient_norm, other.gradient_norm),
        ];
        for (mine, theirs) in pairs {
            *mine += share * theirs;
        }
    }
}

/// A network in training.
pub struct Trainer {
    net: Net,
    weights: Weights,
    /// Where it began.
    first: Weights,
    guard: Guard,
    decays: Vec<bool>,
    replicas: usize,
}

impl Trainer {
    /// A trainer of a network of this form that continues from `weights` and what `guard` has
    /// seen. Another device than the processor has one replica.
    pub fn new(
        shape: Shape,
        settings: &NetworkSettings,
        weights: Weights,
        guard: Guard,
        device: DeviceWord,
        threads: usize,
    ) -> Result<Self, NetError> {
        let net = flat::trainable(shape, settings, &weights.raw, &device.open()?)?;
        let decays = flat::decays(&net);
        let replicas = if device == DeviceWord::Cpu { threads.max(1) } else { 1 };
        Ok(Self { net, first: weights.clone(), weights, guard, decays, replicas })
    }

    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    pub fn guard(&self) -> Guard {
        self.guard
    }

    /// One step at `rate` on a batch of `size` samples; `batch(from, size)` builds a part of it.
    /// A step that the guard refuses changes no weight, average or moment.
    pub fn step(
        &mut self,
        settings: &LearnSettings,
        optimiser: &OptimiserSettings,
        costs: &LossSettings,
        rate: f64,
        size: usize,
        batch: impl Fn(usize, usize) -> Batch + Sync,
    ) -> (Losses, Option<Fault>) {
        let replicas = self.replicas.min(size);
        let cut = |part: usize| part * size / replicas;
        let share = |part: usize| (cut(part + 1) - cut(part)) as f64 / size as f64;
        let (gradients, parts) = data_parallel(&self.net, replicas, |part, net| {
            let batch = batch(cut(part), cut(part + 1) - cut(part));
            let (loss, losses) = evaluate(net, costs, &batch);
            (loss.mul_scalar(share(part) as f32), losses)
        });
        let mut losses = Losses::default();
        for (part, partial) in parts.iter().enumerate() {
            losses.add(partial, share(part));
        }
        let shape = self.net.shape();
        if let Some(fault) = self.guard.judge(settings, losses.cost(costs, shape.codes())) {
            return (losses, Some(fault));
        }
        let gradient = flat::gradient(&self.net, gradients);
        let before = self.weights.clone();
        let stepped = self.weights.step(optimiser, rate, &gradient, &self.decays);
        losses.gradient_norm = stepped.norm;
        if !stepped.taken {
            return (losses, Some(Fault::NotFinite { what: "gradient" }));
        }
        if !self.weights.is_finite() {
            self.weights = before;
            return (losses, Some(Fault::NotFinite { what: "new weights" }));
        }
        self.guard.took(losses.total);
        self.load();
        (losses, None)
    }

    /// A step was refused: after too many in a row, or if they went astray, the weights return to
    /// where this trainer began. True if they did.
    pub fn refused(&mut self, settings: &LearnSettings, fault: &Fault) -> bool {
        let lost = self.guard.refused(settings, fault);
        if lost {
            self.weights = self.first.clone();
            self.load();
        }
        lost
    }

    /// The losses on batches that are not learnt from, by the same weights that learn.
    pub fn assess(&self, costs: &LossSettings, batches: &[Batch]) -> Losses {
        let samples: usize = batches.iter().map(Batch::len).sum();
        // Without gradients, so that no layer's boards are kept for them.
        let net = self.net.valid();
        let mut losses = Losses::default();
        for batch in batches {
            let share = batch.len() as f64 / samples as f64;
            losses.add(&evaluate(&net, costs, batch).1, share);
        }
        losses
    }

    /// Puts the weights into the network.
    fn load(&mut self) {
        let form = self.net.clone();
        self.net = flat::write(form, &self.weights.raw);
    }
}

/// The mean loss over a batch, and what it is made of.
fn evaluate(net: &Net, costs: &LossSettings, batch: &Batch) -> (Tensor<1>, Losses) {
    let device = net.device();
    let rows = |array: &ndarray::Array2<f32>| matrix(array, &device);
    let flat = |array: &ndarray::Array2<f32>| array.iter().copied().collect::<Vec<f32>>();
    let column = |array: &ndarray::Array1<f32>| {
        Tensor::<1>::from_data(TensorData::new(array.to_vec(), [array.len()]), &device)
    };
    let output = net.forward(&flat(&batch.planes), &flat(&batch.globals));
    let legal = output.policy + rows(&batch.mask);
    let policy = loss::cross_entropy(legal.clone(), rows(&batch.policy));
    let value = loss::cross_entropy(output.wdl.clone(), rows(&batch.wdl));
    let plies = loss::smooth_l1(output.plies, column(&batch.plies), column(&batch.plies_known));
    let mut total = policy.clone().mul_scalar(costs.policy as f32)
        + value.clone().mul_scalar(costs.value as f32)
        + plies.clone().mul_scalar(costs.plies as f32);
    let mut margin = 0.0;
    if let Some(guess) = output.margin {
        let cost = loss::smooth_l1(guess, column(&batch.margin), column(&batch.margin_known));
        total = total + cost.clone().mul_scalar(costs.margin as f32);
        margin = number(cost);
    }
    let legal = legal.into_data().try_into_vec::<f32>().unwrap_or_default();
    let wdl = output.wdl.into_data().try_into_vec::<f32>().unwrap_or_default();
    let target_entropy = batch.policy.iter().map(|&p| -xlogx(p)).sum::<f64>() / batch.len() as f64;
    let losses = Losses {
        total: number(total.clone()),
        policy: number(policy) - target_entropy,
        target_entropy,
        policy_entropy: mean_entropy(&legal, batch.policy.ncols()),
        value: number(value),
        plies: number(plies),
        margin,
        policy_accuracy: agreement(&legal, &batch.policy),
        value_accuracy: agreement(&wdl, &batch.wdl),
        gradient_norm: 0.0,
    };
    (total, losses)
}

fn matrix(array: &ndarray::Array2<f32>, device: &Device) -> Tensor<2> {
    let values = array.iter().copied().collect::<Vec<f32>>();
    Tensor::from_data(TensorData::new(values, [array.nrows(), array.ncols()]), device)
}

fn number(tensor: Tensor<1>) -> f64 {
    f64::from(tensor.into_scalar::<f32>())
}

fn xlogx(p: f32) -> f64 {
    if p > 0.0 { f64::from(p) * f64::from(p).ln() } else { 0.0 }
}

/// Mean entropy in nats of the softmax over each row of `columns` logits.
fn mean_entropy(logits: &[f32], columns: usize) -> f64 {
    let rows = logits.chunks_exact(columns);
    let count = rows.len() as f64;
    let entropy = |row: &[f32]| {
        let top = row.iter().copied().fold(f32::MIN, f32::max);
        let weights = row.iter().map(|&logit| f64::from(logit - top));
        let (sum, tilted) = weights.fold((0.0, 0.0), |(sum, tilted), w| {
            let e = w.exp();
            (sum + e, if e > 0.0 { tilted + e * w } else { tilted })
        });
        sum.ln() - tilted / sum
    };
    rows.map(entropy).sum::<f64>() / count
}

/// Share of rows whose largest entry stands where the target's largest stands.
fn agreement(logits: &[f32], target: &ndarray::Array2<f32>) -> f64 {
    fn largest<'a>(row: impl Iterator<Item = &'a f32>) -> usize {
        row.enumerate()
            .fold((0, f32::MIN), |best, (i, &x)| if x > best.1 { (i, x) } else { best })
            .0
    }
    let rows = logits.chunks_exact(target.ncols()).zip(target.rows());
    let right =
        rows.filter(|(guess, truth)| largest(guess.iter()) == largest(truth.iter())).count();
    right as f64 / target.nrows() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_of_even_logits_is_the_logarithm_of_the_legal_ones() {
        let logits = [1.0, 1.0, crate::replay::ILLEGAL, 2.0, crate::replay::ILLEGAL, 2.0];
        assert!((mean_entropy(&logits, 3) - 2f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn agreement_counts_rows_with_the_same_best_column() {
        let target = ndarray::array![[0.2f32, 0.8], [0.9, 0.1]];
        assert_eq!(agreement(&[0.0, 1.0, 0.0, 1.0], &target), 0.5);
    }
}
