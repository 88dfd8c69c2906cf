//! A step is taken only if its loss and all new weights are finite and its loss is not far above
//! those of late, nor above what an even guess costs. Whatever is refused leaves weights, averages
//! and moments as they were.

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
    /// Policy and value cost too many times what an even guess does: no batch does that, the
    /// weights have gone astray.
    Astray { loss: f64, guess: f64 },
}

impl std::fmt::Display for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::NotFinite { what } => write!(out, "the {what} is not finite"),
            Fault::Spike { loss, mean } => {
                write!(out, "the loss is {}, of late {mean:.2}", short(*loss))
            }
            Fault::Astray { loss, guess } => write!(
                out,
                "policy and value cost {}, an even guess {guess:.2}; the weights have gone astray",
                short(*loss)
            ),
        }
    }
}

/// A loss in words, however large.
fn short(loss: f64) -> String {
    if loss < 1e4 { format!("{loss:.2}") } else { format!("{loss:.1e}") }
}

/// What a step cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The weighted sum of all terms.
    pub loss: f64,
    /// The terms of policy and value in it.
    pub guessed: f64,
    /// What these two cost where every code and every result has the same chance.
    pub even: f64,
}

impl Guard {
    /// Should a step of this cost be refused?
    pub fn judge(&self, settings: &LearnSettings, cost: Cost) -> Option<Fault> {
        let Cost { loss, guessed, even } = cost;
        if !loss.is_finite() {
            return Some(Fault::NotFinite { what: "loss" });
        }
        if self.seen >= FIRST && loss > settings.spike * self.mean {
            return Some(Fault::Spike { loss, mean: self.mean });
        }
        let astray = guessed > settings.spike * even;
        astray.then_some(Fault::Astray { loss: guessed, guess: even })
    }

    /// A step of this loss was taken.
    pub fn took(&mut self, loss: f64) {
        self.refused = 0;
        self.seen += 1;
        self.mean += (loss - self.mean) / self.seen.min(MEMORY) as f64;
    }

    /// A step was refused. Is it not the batch that is at fault, because there were so many in a
    /// row or because of the fault? Then the mean begins anew, so that a level that changed for
    /// good is accepted.
    pub fn refused(&mut self, settings: &LearnSettings, fault: &Fault) -> bool {
        self.refused += 1;
        let lost = self.refused >= settings.patience || matches!(fault, Fault::Astray { .. });
        if lost {
            *self = Self::default();
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cost that is not far from an even guess, whatever the whole loss.
    fn near(loss: f64) -> Cost {
        Cost { loss, guessed: 2.0, even: 2.0 }
    }

    #[test]
    fn a_spike_is_seen_once_the_mean_is_known() {
        let settings = LearnSettings { spike: 3.0, patience: 2, ..LearnSettings::default() };
        let mut guard = Guard::default();
        assert_eq!(guard.judge(&settings, near(1e9)), None);
        for _ in 0..FIRST {
            guard.took(2.0);
        }
        assert_eq!(guard.judge(&settings, near(5.9)), None);
        let spike = Fault::Spike { loss: 6.1, mean: 2.0 };
        assert_eq!(guard.judge(&settings, near(6.1)), Some(spike));
        let not_finite = Fault::NotFinite { what: "loss" };
        assert_eq!(guard.judge(&settings, near(f64::NAN)), Some(not_finite));
        assert!(!guard.refused(&settings, &spike));
        guard.took(2.0);
        assert!(!guard.refused(&settings, &spike) && guard.refused(&settings, &spike));
        // The level has changed for good: it is accepted now.
        assert_eq!(guard.judge(&settings, near(6.1)), None);
    }

    #[test]
    fn weights_that_go_astray_are_seen_from_the_first_step() {
        let settings = LearnSettings { spike: 3.0, patience: 8, ..LearnSettings::default() };
        let mut guard = Guard::default();
        let cost = |guessed| Cost { loss: guessed, guessed, even: 5.0 };
        assert_eq!(guard.judge(&settings, cost(14.9)), None);
        let fault = guard.judge(&settings, cost(1e32)).unwrap();
        assert_eq!(fault, Fault::Astray { loss: 1e32, guess: 5.0 });
        assert!(fault.to_string().starts_with("policy and value cost 1.0e32, an even guess 5.00"));
        assert!(guard.refused(&settings, &fault));
        // Such a level is never accepted.
        assert_eq!(guard.judge(&settings, cost(1e32)), Some(fault));
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
