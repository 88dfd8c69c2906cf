//! One lesson: the learner's steps after a generation, as many as the reuse allows.

use crate::codec::Encode;
use crate::game::Notation;
use crate::learn::{
    self, LearnSettings, LossSettings, Losses, OptimiserSettings, ScheduleSettings, Trainer,
};
use crate::metrics::Progress;
use crate::replay::{self, ReplaySettings, SamplePlan, Window};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a lesson needs beside the trainer and the window.
pub struct Lesson<'a, G: Notation> {
    pub game: &'a G,
    pub learn: &'a LearnSettings,
    pub loss: &'a LossSettings,
    pub optimiser: &'a OptimiserSettings,
    pub schedule: &'a ScheduleSettings,
    pub replay: &'a ReplaySettings,
    pub seed: u64,
    /// The generation just played.
    pub generation: u64,
    /// Generations of the whole run.
    pub generations: u64,
    /// Samples learnt before.
    pub samples: u64,
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
    /// Samples for each position ever played.
    pub reuse: f64,
    /// Positions and games in the window.
    pub window_positions: u64,
    pub window_games: usize,
    pub learning_rate: f64,
    /// Steps refused because the gradient was not finite.
    pub refused: u64,
    #[serde(flatten)]
    pub losses: Losses,
    pub seconds: f64,
    pub samples_per_second: f64,
}

impl<G: Encode + Notation> Lesson<'_, G> {
    /// Steps that the reuse allows now.
    pub fn steps(&self, window: &Window<G>) -> u64 {
        let allowed = (self.replay.reuse * window.total() as f64) as u64;
        allowed.saturating_sub(self.samples) / u64::from(self.learn.batch)
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
        let steps = self.steps(window);
        let batch = u64::from(self.learn.batch);
        let plan = SamplePlan { seed: self.seed, result_share: self.loss.result_share as f32 };
        let started = Instant::now();
        let mut metrics = LearnMetrics { generation: self.generation, steps, ..Default::default() };
        progress.begin(&format!("generation {}: learning", self.generation), "steps", Some(steps));
        for step in 0..steps {
            if stop.load(Ordering::Relaxed) {
                progress.end("stopped; this lesson will be given again");
                return None;
            }
            let progress_of_run =
                (self.generation as f64 + step as f64 / steps as f64) / self.generations as f64;
            let factor = learn::factor(self.schedule, trainer.weights().steps, progress_of_run);
            metrics.learning_rate = self.optimiser.learning_rate * factor;
            let first = self.samples + step * batch;
            let (losses, stepped) = trainer.step(
                self.optimiser,
                self.loss,
                metrics.learning_rate,
                batch as usize,
                |from, size| {
                    let from = first + from as u64;
                    replay::batch(self.game, window, self.replay, &plan, from, size)
                },
            );
            metrics.refused += u64::from(!stepped.taken);
            metrics.losses.add(&losses, 1.0 / steps as f64);
            progress.set(step + 1);
            progress.note(&format!("policy {:.3} value {:.3}", losses.policy, losses.value));
        }
        metrics.samples = self.samples + steps * batch;
        metrics.total_steps = trainer.weights().steps;
        metrics.reuse = metrics.samples as f64 / window.total() as f64;
        metrics.window_positions = window.positions();
        metrics.window_games = window.games().len();
        metrics.seconds = started.elapsed().as_secs_f64();
        metrics.samples_per_second = (steps * batch) as f64 / metrics.seconds;
        progress.end(&metrics.summary());
        Some(metrics)
    }
}

impl LearnMetrics {
    fn summary(&self) -> String {
        if self.steps == 0 {
            return String::from(
                "no step: the reuse allows none until more positions have been played",
            );
        }
        format!(
            "{} steps on {} positions in {:.0} s: policy {:.3} (right {:.0} %), value {:.3} (right \
             {:.0} %), reuse {:.2}",
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
