//! The sequential test: is the candidate `elo1` better rather than `elo0`? Stops a match as soon
//! as the answer is clear.

use super::rating::{Pentanomial, score_of_elo};
use serde::{Deserialize, Serialize};

/// A generalised sequential probability ratio test on pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// Elo difference of the first hypothesis ("not better").
    pub elo0: f64,
    /// Elo difference of the second hypothesis ("better"); above `elo0`.
    pub elo1: f64,
    /// Chance of accepting `elo1` where `elo0` is true.
    pub alpha: f64,
    /// Chance of accepting `elo0` where `elo1` is true.
    pub beta: f64,
}

/// Where a sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Not clear yet.
    Open,
    /// `elo0`: not better.
    Rejected,
    /// `elo1`: better.
    Accepted,
}

impl Sprt {
    /// The log likelihood ratios at which `elo0` and `elo1` are accepted:
    /// `ln(β / (1-α))` and `ln((1-β) / α)`. Source: A. Wald, Sequential Analysis (1947).
    pub fn bounds(&self) -> (f64, f64) {
        let (alpha, beta) = (self.alpha.clamp(1e-9, 0.5), self.beta.clamp(1e-9, 0.5));
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// The generalised log likelihood ratio of `elo1` against `elo0`: each hypothesis is
    /// represented by the distribution of pair scores that fits the pairs best among those with
    /// its mean. Source: M. Van den Bergh, "Comments on Normalized Elo" and the GSPRT of
    /// fishtest; counts of zero become 0.001 as there.
    pub fn ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = pairs.map(|count| f64::from(count).max(1e-3));
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let tilt = |elo: f64| {
            let mean = score_of_elo(elo);
            (mean, lagrange(&shares, mean))
        };
        let ((mean0, tilt0), (mean1, tilt1)) = (tilt(self.elo0), tilt(self.elo1));
        let term = |index: usize| {
            let score = index as f64 / 4.0;
            // The fitted shares are p / (1 + tilt (score - mean)).
            shares[index] * ((1.0 + tilt0 * (score - mean0)) / (1.0 + tilt1 * (score - mean1))).ln()
        };
        total * (0..5).map(term).sum::<f64>()
    }

    /// Where the test stands after these pairs.
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let (low, high) = self.bounds();
        match self.ratio(pairs) {
            ratio if ratio >= high => Verdict::Accepted,
            ratio if ratio <= low => Verdict::Rejected,
            _ => Verdict::Open,
        }
    }
}

/// The x with `Σ p (a - mean) / (1 + x (a - mean)) = 0`: the multiplier of the best fit with that
/// mean (empirical likelihood; A. Owen, Biometrika 75 (1988)). The sum falls with x between the
/// poles `-1/(1-mean)` and `1/mean`.
fn lagrange(shares: &[f64; 5], mean: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let x = f64::midpoint(low, high);
        let sum: f64 = (0..5)
            .map(|index| (shares[index], index as f64 / 4.0 - mean))
            .map(|(share, away)| share * away / (1.0 + x * away))
            .sum();
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Sprt = Sprt { elo0: 0.0, elo1: 35.0, alpha: 0.05, beta: 0.05 };

    #[test]
    fn bounds_are_those_of_wald() {
        // ln(0.95 / 0.05) = ln 19 = 2.94444.
        let (low, high) = TEST.bounds();
        assert!((high - 2.944_439).abs() < 1e-5 && (low + 2.944_439).abs() < 1e-5);
    }

    #[test]
    fn two_outcomes_can_be_worked_out_on_paper() {
        // Pairs are only lost or won whole: the best fit with mean s is Bernoulli(s), so the ratio
        // is W ln(s1/s0) + L ln((1-s1)/(1-s0)). elo1 = 400 log10 3: s1 = 0.75; elo0 = 0: 0.5.
        // 30 ln 1.5 + 10 ln 0.5 = 12.16395 - 6.93147 = 5.23248. (The 0.001s move it a little.)
        let test = Sprt { elo1: 400.0 * 3_f64.log10(), ..TEST };
        let ratio = test.ratio(&[10, 0, 0, 0, 30]);
        assert!((ratio - 5.232_48).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn many_pairs_agree_with_the_normal_form() {
        // LLR ≈ N (s1 - s0)(2 s̄ - s0 - s1) / (2 σ²), for small differences.
        let test = Sprt { elo0: 0.0, elo1: 4.0, ..TEST };
        let pairs = [100, 200, 320, 220, 110];
        let (mean, variance) = super::super::rating::pair_moments(&pairs);
        let (s0, s1) = (0.5, score_of_elo(4.0));
        let normal = 950.0 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        assert!((test.ratio(&pairs) - normal).abs() < 0.01, "{} {normal}", test.ratio(&pairs));
    }

    #[test]
    fn verdicts() {
        assert_eq!(TEST.verdict(&[0; 5]), Verdict::Open);
        assert_eq!(TEST.verdict(&[1, 0, 1, 0, 1]), Verdict::Open);
        assert_eq!(TEST.verdict(&[5, 10, 30, 40, 60]), Verdict::Accepted);
        assert_eq!(TEST.verdict(&[60, 40, 30, 10, 5]), Verdict::Rejected);
        // The mirror of a test mirrors its ratio.
        let mirror = Sprt { elo0: -35.0, elo1: 0.0, ..TEST };
        let sum = TEST.ratio(&[5, 9, 30, 8, 6]) + mirror.ratio(&[6, 8, 30, 9, 5]);
        assert!(sum.abs() < 1e-6);
    }
}
