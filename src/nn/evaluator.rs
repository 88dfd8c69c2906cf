//! A search's evaluator that asks a network, on the engine of its own thread.

use super::{Engine, EngineWeights, Predictions};
use crate::codec::{Encode, Shape};
use crate::search::WdlPov;
use crate::search::evaluator::{EvalError, Evaluation, Evaluator, Leaf};
use std::sync::Arc;
use std::time::Instant;

/// A network of another shape than the game's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this network was made for {network}; {game} needs {needed}")]
pub struct OtherShape {
    pub game: &'static str,
    pub network: Box<Shape>,
    pub needed: Box<Shape>,
}

/// What an evaluator has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Positions evaluated.
    pub evaluations: u64,
    /// Calls with at least one position.
    pub batches: u64,
    /// Time inside the network, encoding left out.
    pub forward_ns: u64,
}

/// Evaluates leaves with a network: chances, plies left, margin, a logit for each action.
#[derive(Debug)]
pub struct NetworkEvaluator<G: Encode> {
    game: G,
    engine: Engine,
    planes: Vec<f32>,
    globals: Vec<f32>,
    predictions: Predictions,
    counters: Counters,
}

impl<G: Encode> NetworkEvaluator<G> {
    pub fn new(game: G, weights: Arc<EngineWeights>) -> Result<Self, OtherShape> {
        let (network, needed) = (*weights.shape(), game.shape());
        if network != needed {
            return Err(OtherShape {
                game: game.name(),
                network: Box::new(network),
                needed: Box::new(needed),
            });
        }
        Ok(Self {
            game,
            engine: Engine::new(weights),
            planes: Vec::new(),
            globals: Vec::new(),
            predictions: Predictions::default(),
            counters: Counters::default(),
        })
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The weights that it asks.
    pub fn weights(&self) -> &Arc<EngineWeights> {
        self.engine.weights()
    }

    fn encode(&mut self, leaves: &[Leaf<G>]) {
        let shape = self.engine.weights().shape();
        let (each, globals) = (shape.plane_values(), shape.globals);
        self.planes.clear();
        self.planes.resize(leaves.len() * each, 0.0);
        self.globals.clear();
        self.globals.resize(leaves.len() * globals, 0.0);
        for (index, leaf) in leaves.iter().enumerate() {
            self.game.encode(
                &leaf.position,
                leaf.repetitions,
                &mut self.planes[index * each..][..each],
                &mut self.globals[index * globals..][..globals],
            );
        }
    }
}

impl<G: Encode> Evaluator<G> for NetworkEvaluator<G> {
    fn evaluate(&mut self, leaves: &[Leaf<G>], out: &mut Vec<Evaluation>) -> Result<(), EvalError> {
        out.resize_with(leaves.len(), Evaluation::default);
        if leaves.is_empty() {
            return Ok(());
        }
        self.encode(leaves);
        let begun = Instant::now();
        self.engine.evaluate(&self.planes, &self.globals, &mut self.predictions);
        self.counters.forward_ns += begun.elapsed().as_nanos() as u64;
        self.counters.evaluations += leaves.len() as u64;
        self.counters.batches += 1;

        let codes = self.engine.weights().shape().codes();
        let found = &self.predictions;
        for (index, (leaf, out)) in leaves.iter().zip(out).enumerate() {
            let logits = &found.logits[index * codes..][..codes];
            out.value = chances(found.wdl[index])
                .ok_or_else(|| EvalError(String::from("the network's chances are not numbers")))?;
            out.plies_left = found.plies[index];
            out.margin = found.margin[index];
            out.logits.clear();
            for &action in &leaf.actions {
                let code = self.game.code(&leaf.position, action);
                match logits.get(code) {
                    Some(logit) if logit.is_finite() => out.logits.push(*logit),
                    Some(logit) => {
                        return Err(EvalError(format!("the logit of code {code} is {logit}")));
                    }
                    None => {
                        return Err(EvalError(format!(
                            "{action:?} has code {code}; the network has {codes}"
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Softmax; `None` if the logits are not finite.
fn chances(logits: [f32; 3]) -> Option<WdlPov> {
    let most = logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let shares = logits.map(|logit| (logit - most).exp());
    let sum: f32 = shares.iter().sum();
    let [win, draw, loss] = shares.map(|share| share / sum);
    logits.iter().all(|logit| logit.is_finite()).then_some(WdlPov { win, draw, loss })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_a_softmax() {
        // e^0 : e^(ln 2) : e^(ln 5) = 1 : 2 : 5.
        let value = chances([100.0, 100.0 + 2f32.ln(), 100.0 + 5f32.ln()]).unwrap();
        assert!((value.win - 0.125).abs() < 1e-5, "{value:?}");
        assert!((value.draw - 0.25).abs() < 1e-5, "{value:?}");
        assert!((value.loss - 0.625).abs() < 1e-5, "{value:?}");
        assert_eq!(chances([f32::NAN, 0.0, 0.0]), None);
        assert_eq!(chances([f32::INFINITY, 0.0, 0.0]), None);
    }
}
