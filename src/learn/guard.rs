//! A step is taken only if its loss and all new weights are finite and its loss is not far above
//! those of late. Whatever is refused leaves weights, averages and moments as they were.

use super::trainer::LearnSettings;
use serde::{Deserialize, Serialize};

/// Steps until the mean is trusted, and over how many it is taken.
const FIRST: u64 = 20;
const MEMORY: u64 = 100;

/// The losses of late. A part of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    /// Their mean, the older ones fading.
    mean: f64,
    /// Steps taken since the mean was begun.
    seen: u64,
    /// Refused steps in a row.
    refused: u32,
}

/// Why a step was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// The loss, the gradient or a new weight is not a finite number.
    NotFinite { what: &'static str },
    /// The loss is too many times the mean of late.
    Spike { loss: f64, mean: f64 },
}

impl std::fmt::Display for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::NotFinite { what } => write!(out, "the {what} is not finite"),
            Fault::Spike { loss, mean } => write!(out, "the loss is {loss:.2}, of late {mean:.2}"),
        }
    }
}

impl Guard {
    /// Should a step of this loss be refused?
    pub fn judge(&self, settings: &LearnSettings, loss: f64) -> Option<Fault> {
        if !loss.is_finite() {
            return Some(Fault::NotFinite { what: "loss" });
        }
        let spike = self.seen >= FIRST && loss > settings.spike * self.mean;
        spike.then_some(Fault::Spike { loss, mean: self.mean })
    }

    /// A step of this loss was taken.
    pub fn took(&mut self, loss: f64) {
        self.refused = 0;
        self.seen += 1;
        self.mean += (loss - self.mean) / self.seen.min(MEMORY) as f64;
    }

    /// A step was refused. Were there so many in a row that it is not the batch that is at fault?
    /// Then the mean begins anew, so that a level that changed for good is accepted.
    pub fn refused(&mut self, settings: &LearnSettings) -> bool {
        self.refused += 1;
        let lost = self.refused >= settings.patience;
        if lost {
            *self = Self::default();
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_is_seen_once_the_mean_is_known() {
        let settings = LearnSettings { spike: 3.0, patience: 2, ..LearnSettings::default() };
        let mut guard = Guard::default();
        assert_eq!(guard.judge(&settings, 1e9), None);
        for _ in 0..FIRST {
            guard.took(2.0);
        }
        assert_eq!(guard.judge(&settings, 5.9), None);
        assert_eq!(guard.judge(&settings, 6.1), Some(Fault::Spike { loss: 6.1, mean: 2.0 }));
        assert_eq!(guard.judge(&settings, f64::NAN), Some(Fault::NotFinite { what: "loss" }));
        assert!(!guard.refused(&settings));
        guard.took(2.0);
        assert!(!guard.refused(&settings) && guard.refused(&settings));
        // The level has changed for good: it is accepted now.
        assert_eq!(guard.judge(&settings, 6.1), None);
    }

    #[test]
    fn the_mean_follows_slowly() {
        let mut guard = Guard::default();
        guard.took(1.0);
        guard.took(2.0);
        assert_eq!(guard.mean, 1.5);
        for _ in 0..200 {
            guard.took(2.0);
        }
        assert!((guard.mean - 2.0).abs() < 0.1);
    }
}
