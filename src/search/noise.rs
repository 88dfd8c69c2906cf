//! Random numbers that make a search explore: Gumbel samples and Dirichlet noise, from a seeded
//! stream of the search's own.

use crate::rng::Stream;
use rand_distr::{Distribution, Gamma, Gumbel};

/// Fills `out` with `count` samples of the standard Gumbel distribution, all finite.
pub fn gumbels(stream: &mut Stream, count: usize, out: &mut Vec<f32>) {
    out.clear();
    match Gumbel::new(0.0f64, 1.0) {
        // The upper tail is cut where a sample would be infinite; 50 is reached once in 10^21.
        Ok(gumbel) => {
            out.extend((0..count).map(|_| gumbel.sample(stream).clamp(-50.0, 50.0) as f32))
        }
        Err(_) => out.resize(count, 0.0),
    }
}

/// Writes the concentrations of KataGo's shaped Dirichlet noise: half of `total` evenly, half in
/// proportion to how far the logarithm of an action's prior (cut at 1 %) is above the mean.
pub fn shaped_concentrations(priors: &[f32], total: f32, out: &mut Vec<f32>) {
    out.clear();
    out.extend(priors.iter().map(|&prior| (prior.min(0.01) + 1e-20).ln()));
    let count = priors.len() as f32;
    let mean = out.iter().sum::<f32>() / count;
    for shape in out.iter_mut() {
        *shape = (*shape - mean).max(0.0);
    }
    let sum: f32 = out.iter().sum();
    for shape in out.iter_mut() {
        let share = if sum > 0.0 { 0.5 * *shape / sum + 0.5 / count } else { 1.0 / count };
        *shape = total * share;
    }
}

/// Fills `out` with one sample of the Dirichlet distribution with these positive concentrations;
/// it sums to 1. A single concentration gives 1.
pub fn dirichlet(stream: &mut Stream, concentrations: &[f32], out: &mut Vec<f32>) {
    out.clear();
    out.extend(concentrations.iter().map(|&concentration| {
        Gamma::new(f64::from(concentration), 1.0).map_or(0.0, |gamma| gamma.sample(stream) as f32)
    }));
    let sum: f32 = out.iter().sum();
    let count = concentrations.len() as f32;
    for share in out.iter_mut() {
        // Tiny concentrations can underflow to nothing at all.
        *share = if sum > 0.0 && sum.is_finite() { *share / sum } else { 1.0 / count };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    #[test]
    fn gumbel_samples_have_the_right_mean_and_are_seeded() {
        let mut samples = Vec::new();
        gumbels(&mut stream(1, "search", 0), 20_000, &mut samples);
        let mean = samples.iter().sum::<f32>() / 20_000.0;
        // Euler's constant; the standard error is 0.009.
        assert!((mean - 0.5772).abs() < 0.04, "{mean}");
        let mut again = Vec::new();
        gumbels(&mut stream(1, "search", 0), 20_000, &mut again);
        assert_eq!(samples, again);
        gumbels(&mut stream(2, "search", 0), 20_000, &mut again);
        assert_ne!(samples, again);
    }

    #[test]
    fn shaped_concentrations_by_hand() {
        let mut out = Vec::new();
        // All above 1 %: alike.
        shaped_concentrations(&[0.5, 0.3, 0.2], 9.0, &mut out);
        assert!(out.iter().all(|&c| (c - 3.0).abs() < 1e-4), "{out:?}");
        // Two plausible, two not: the plausible share the shaped half.
        shaped_concentrations(&[0.6, 0.3998, 0.0001, 0.0001], 8.0, &mut out);
        for (have, want) in out.iter().zip([3.0, 3.0, 1.0, 1.0]) {
            assert!((have - want).abs() < 1e-3, "{out:?}");
        }
        shaped_concentrations(&[1.0], 10.83, &mut out);
        assert_eq!(out, [10.83]);
    }

    #[test]
    fn dirichlet_sums_to_one_whatever_the_number_of_actions() {
        let mut out = Vec::new();
        let mut stream = stream(3, "search", 0);
        dirichlet(&mut stream, &[10.83], &mut out);
        assert_eq!(out, [1.0]);
        for count in [2, 5, 40] {
            dirichlet(&mut stream, &vec![10.0 / count as f32; count], &mut out);
            assert!((out.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(out.iter().all(|&share| (0.0..=1.0).contains(&share)));
        }
        dirichlet(&mut stream, &[1e-30, 1e-30], &mut out);
        assert!(out.iter().all(|share| share.is_finite()));
        assert!((out.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}
