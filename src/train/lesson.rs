//! One lesson: the learner's steps after a generation, as many as the reuse allows.

use super::fault;
use crate::codec::Encode;
use crate::game::Notation;
use crate::learn::{
    self, Fault, LearnSettings, LossSettings, Losses, OptimiserSettings, Origin, ScheduleSettings,
    Span, Trainer,
};
use crate::metrics::Progress;
use crate::replay::{self, Drawn, ReplaySettings, SamplePlan, Window};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Positions of the games held out on which a lesson is judged.
pub(super) const HELD_OUT: usize = 1024;

/// What a lesson needs beside the trainer and the window.
pub struct Lesson<'a, G: Notation> {
    pub game: &'a G,
    pub learn: &'a LearnSettings,
    pub loss: &'a LossSettings,
    pub optimiser: &'a OptimiserSettings,
    pub schedule: &'a ScheduleSettings,
    pub replay: &'a ReplaySettings,
    pub seed: u64,
    /// The generation just played, from 0.
    pub generation: u64,
    /// How far the run comes in this generation.
    pub span: Span,
    /// Samples learnt before.
    pub samples: u64,
    /// From where on samples and positions are counted against the reuse.
    pub origin: Origin,
    /// Steps to take, whatever the reuse allows.
    pub exactly: Option<u64>,
    /// The learner's step with which the run ends.
    pub last_step: Option<u64>,
    /// The step at which an earlier lesson began the final decay.
    pub decay_step: Option<u64>,
}

/// What a lesson did, for the metrics.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct LearnMetrics {
    pub generation: u64,
    /// Steps of this lesson, and of all.
    pub steps: u64,
    pub total_steps: u64,
    /// Samples learnt in all.
    pub samples: u64,
    /// Samples for each position played.
    pub reuse: f64,
    /// Positions and games in the window.
    pub window_positions: u64,
    pub window_games: usize,
    pub learning_rate: f64,
    /// Steps that the guard refused, and how often the weights returned to the lesson's beginning.
    pub refused: u64,
    pub rolled_back: u64,
    /// The step at which the final decay of the learning rate began, if it did in this lesson.
    pub decay_step: Option<u64>,
    #[serde(flatten)]
    pub losses: Losses,
    /// The losses on games that are held out, if there are any.
    pub held_out: Option<Losses>,
    pub seconds: f64,
    pub samples_per_second: f64,
    /// Why there was no step, and when there will be.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub idle: String,
    #[serde(skip)]
    pub refusals: Vec<Refusal>,
}

/// A step that was not taken, and the batch that it was not taken on.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Refusal {
    pub generation: u64,
    /// Steps taken before.
    pub step: u64,
    pub first_sample: u64,
    pub samples: u64,
    #[serde(flatten)]
    pub fault: Fault,
    /// Did the weights return to the lesson's beginning?
    pub rolled_back: bool,
    /// What the batch showed. It can be made again from this, the seed and the games.
    #[serde(skip)]
    pub batch: Vec<Drawn>,
}

impl<G: Encode + Notation> Lesson<'_, G> {
    /// Steps to take now.
    fn steps(&self, window: &Window<G>, taken: u64) -> u64 {
        if window.positions() == 0 {
            return 0;
        }
        let steps = self.exactly.unwrap_or_else(|| {
            let learnt = self.samples - self.origin.samples.min(self.samples);
            let allowed = (self.replay.reuse * self.new_positions(window) as f64) as u64;
            allowed.saturating_sub(learnt) / u64::from(self.learn.batch)
        });
        steps.min(self.last_step.map_or(u64::MAX, |last| last.saturating_sub(taken)))
    }

    fn new_positions(&self, window: &Window<G>) -> u64 {
        window.total() - self.origin.positions.min(window.total())
    }

    /// Learns. Returns `None` if the stop flag was set on the way: the lesson is then to be given
    /// again from where it began.
    pub fn give(
        &self,
        trainer: &mut Trainer,
        window: &Window<G>,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Option<LearnMetrics> {
        let before = trainer.weights().steps;
        let steps = self.steps(window, before);
        let batch = u64::from(self.learn.batch);
        let plan = self.plan();
        let started = Instant::now();
        let mut metrics = LearnMetrics { generation: self.generation, steps, ..Default::default() };
        let title = match self.exactly {
            Some(_) => String::from("warm-up: learning"),
            None => format!("generation {}: learning", self.generation + 1),
        };
        progress.begin(&title, "steps", Some(steps));
        for step in 0..steps {
            if stop.load(Ordering::Relaxed) {
                progress.end("stopped; this lesson will be given again");
                return None;
            }
            let taken = trainer.weights().steps;
            let come = self.come(step as f64 / steps as f64, taken);
            let factor = learn::factor(self.schedule, taken, come);
            if self.decay_step.is_none() && learn::decays(self.schedule, come) {
                metrics.decay_step.get_or_insert(taken);
            }
            metrics.learning_rate = self.optimiser.learning_rate * factor;
            let first = self.samples + step * batch;
            let (losses, refused) = trainer.step(
                self.learn,
                self.optimiser,
                self.loss,
                metrics.learning_rate,
                batch as usize,
                |from, size| {
                    let from = first + from as u64;
                    let mut batch =
                        replay::batch(self.game, window, self.replay, &plan, from, size);
                    fault::spoil(&mut batch, from);
                    batch
                },
            );
            match refused {
                None => metrics.losses.add(&losses, 1.0),
                Some(fault) => {
                    let refusal = self.refuse(trainer, window, taken, first, fault);
                    progress.say(&refusal.to_string());
                    metrics.refusals.push(refusal);
                }
            }
            fault::reach("in-lesson");
            progress.set(step + 1);
            progress.note(&format!("policy {:.3} value {:.3}", losses.policy, losses.value));
        }
        metrics.refused = metrics.refusals.len() as u64;
        metrics.rolled_back = metrics.refusals.iter().filter(|r| r.rolled_back).count() as u64;
        metrics.losses = metrics.losses.scaled(1.0 / (steps - metrics.refused).max(1) as f64);
        metrics.samples = self.samples + steps * batch;
        metrics.total_steps = trainer.weights().steps;
        let learnt = metrics.samples - self.origin.samples.min(metrics.samples);
        // A warm-up learns from all that is there, not from what is new.
        let positions =
            self.exactly.map_or_else(|| self.new_positions(window), |_| window.positions());
        metrics.reuse = learnt as f64 / positions.max(1) as f64;
        metrics.window_positions = window.positions();
        metrics.window_games = window.games().len();
        metrics.held_out = self.assess(trainer, window);
        metrics.seconds = started.elapsed().as_secs_f64();
        metrics.samples_per_second = (steps * batch) as f64 / metrics.seconds;
        if steps == 0 {
            metrics.idle = self.idle(window, before);
        }
        progress.end(&metrics.summary());
        Some(metrics)
    }

    fn plan(&self) -> SamplePlan {
        SamplePlan { seed: self.seed, result_share: self.loss.result_share as f32 }
    }

    /// How far the run has come when `share` of the lesson is done and `taken` steps are taken.
    fn come(&self, share: f64, taken: u64) -> f64 {
        let by_steps = self.last_step.map_or(0.0, |last| {
            let (all, first) = (last - self.origin.steps.min(last), self.origin.steps.min(taken));
            (taken - first) as f64 / all.max(1) as f64
        });
        self.span.at(share).max(by_steps)
    }

    /// Notes a refused step, and lets the trainer return to its beginning if it must.
    fn refuse(
        &self,
        trainer: &mut Trainer,
        window: &Window<G>,
        step: u64,
        first_sample: u64,
        fault: Fault,
    ) -> Refusal {
        let size = self.learn.batch as usize;
        Refusal {
            generation: self.generation,
            step,
            first_sample,
            samples: size as u64,
            fault,
            rolled_back: trainer.refused(self.learn, &fault),
            batch: replay::names(self.game, window, self.replay, &self.plan(), first_sample, size),
        }
    }

    fn assess(&self, trainer: &Trainer, window: &Window<G>) -> Option<Losses> {
        let size = self.learn.batch as usize;
        let batches = replay::held_out(self.game, window, &self.plan(), HELD_OUT, size);
        (!batches.is_empty()).then(|| trainer.assess(self.loss, &batches))
    }

    /// Why there is no step, and when there will be.
    fn idle(&self, window: &Window<G>, taken: u64) -> String {
        if window.positions() == 0 {
            return String::from("no position has been searched yet");
        }
        if self.last_step.is_some_and(|last| taken >= last) {
            return String::from("the last step of the run is done");
        }
        let learnt = self.samples - self.origin.samples.min(self.samples);
        let wanted = (learnt + u64::from(self.learn.batch)) as f64 / self.replay.reuse;
        let missing = wanted - self.new_positions(window) as f64;
        format!(
            "the reuse of {} allows none until {:.0} more positions have been played",
            self.replay.reuse,
            missing.max(1.0).ceil()
        )
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let last = self.first_sample + self.samples - 1;
        write!(
            out,
            "ALARM step {} on the samples {} to {last} was not taken: {}; {}",
            self.step,
            self.first_sample,
            self.fault,
            if self.rolled_back {
                "the weights are back at the lesson's beginning"
            } else {
                "the weights are as before it, and the run goes on"
            }
        )
    }
}

impl LearnMetrics {
    fn summary(&self) -> String {
        if self.steps == 0 {
            return format!("no step: {}", self.idle);
        }
        let held_out = self.held_out.map_or(String::new(), |losses| {
            format!(", held out {:.3} and {:.3}", losses.policy, losses.value)
        });
        format!(
            "{} steps on {} positions in {:.0} s: policy {:.3} (right {:.0} %), value {:.3} (right \
             {:.0} %){held_out}, reuse {:.2}",
            self.steps,
            self.window_positions,
            self.seconds,
            self.losses.policy,
            100.0 * self.losses.policy_accuracy,
            self.losses.value,
            100.0 * self.losses.value_accuracy,
            self.reuse,
        )
    }
}
