//! Scores of several runs taken together: what is left to chance is not only which games were
//! played, but also how each run happened to go. Pure formulas.

use super::rating::{Estimate, Pentanomial, Z};
use serde::{Deserialize, Serialize};

/// A mean, and the variance of that mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub value: f64,
    pub variance: f64,
}

/// Mean score of several runs with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pooled {
    pub runs: usize,
    #[serde(flatten)]
    pub estimate: Estimate,
}

impl Mean {
    /// The mean score of paired games. Its variance comes from the width of the interval, which
    /// is never zero.
    pub fn of_pairs(pairs: &Pentanomial) -> Self {
        let Estimate { score, score_low, score_high, .. } = Estimate::of_pairs(pairs);
        Self { value: score, variance: ((score_high - score_low) / (2.0 * Z)).powi(2) }
    }

    /// The mean of independent means.
    pub fn of(means: &[Mean]) -> Self {
        let count = means.len().max(1) as f64;
        Self {
            value: means.iter().map(|mean| mean.value).sum::<f64>() / count,
            variance: means.iter().map(|mean| mean.variance).sum::<f64>() / (count * count),
        }
    }

    /// This mean less another, independent one.
    pub fn less(&self, other: &Mean) -> Mean {
        Mean { value: self.value - other.value, variance: self.variance + other.variance }
    }
}

/// Mean of several runs' means, and half the width of its 95 % interval: the larger of what the
/// games alone leave open, and what the runs' own spread does (Student's t, since runs are few).
pub fn pool(runs: &[Mean]) -> (f64, f64) {
    let Mean { value, variance } = Mean::of(runs);
    let games = Z * variance.sqrt();
    let count = runs.len() as f64;
    if runs.len() < 2 {
        return (value, games);
    }
    let squares: f64 = runs.iter().map(|run| (run.value - value).powi(2)).sum();
    let between = squares / (count - 1.0) / count;
    let spread = student(runs.len() - 1) * between.sqrt();
    (value, games.max(spread))
}

impl Pooled {
    /// Of the scores of several runs.
    pub fn of(runs: &[Mean]) -> Self {
        let (score, reach) = pool(runs);
        let within = ((score - reach).max(0.0), (score + reach).min(1.0));
        Self { runs: runs.len(), estimate: Estimate::within(score, within) }
    }
}

/// The 97.5 % point of Student's t distribution (W. S. Gosset 1908; tables in any textbook).
fn student(freedom: usize) -> f64 {
    const POINTS: [f64; 10] =
        [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    // Beyond the table: the first terms of the expansion in 1 / freedom (Fisher 1925).
    let tail = || Z + (Z.powi(3) + Z) / (4.0 * freedom as f64);
    POINTS.get(freedom.wrapping_sub(1)).copied().unwrap_or_else(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(value: f64, variance: f64) -> Mean {
        Mean { value, variance }
    }

    #[test]
    fn runs_that_agree_leave_only_the_games_open() {
        let (value, reach) = pool(&[mean(0.5, 0.0016), mean(0.5, 0.0016)]);
        // 1.96 · sqrt(0.0032 / 4)
        assert!((value - 0.5).abs() < 1e-12 && (reach - 0.05544).abs() < 1e-4, "{reach}");
        assert!((pool(&[mean(0.5, 0.0016)]).1 - 0.0784).abs() < 1e-4);
    }

    #[test]
    fn runs_that_differ_widen_the_interval() {
        let runs = [mean(0.4, 1e-6), mean(0.5, 1e-6), mean(0.6, 1e-6)];
        // s = 0.1: 4.303 · 0.1 / sqrt(3)
        let (value, reach) = pool(&runs);
        assert!((value - 0.5).abs() < 1e-12 && (reach - 0.24843).abs() < 1e-4, "{reach}");
        let Pooled { runs, estimate } = Pooled::of(&runs);
        assert_eq!((runs, estimate.score, estimate.elo), (3, 0.5, Some(0.0)));
        assert!(estimate.elo_low.unwrap() < -150.0 && estimate.elo_high.unwrap() > 150.0);
    }

    #[test]
    fn the_variance_of_pairs_is_never_zero() {
        let swept = Mean::of_pairs(&[0, 0, 0, 0, 20]);
        assert!(swept.value == 1.0 && swept.variance > 0.0);
        let difference = mean(0.6, 0.01).less(&mean(0.5, 0.02));
        assert!((difference.value - 0.1).abs() < 1e-12);
        assert!((difference.variance - 0.03).abs() < 1e-12);
        assert!((student(30) - 2.042).abs() < 0.01);
    }
}
