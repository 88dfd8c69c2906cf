//! The learning rate over a run: a short warm-up, a level stretch, a final decay.

crate::settings! {
    /// How the learning rate moves over the run.
    pub struct ScheduleSettings {
        /// The rate rises from 0 over this many steps.
        warmup_steps: u64 = 100, in 0..=1_000_000;
        /// The last share of the run in which the rate falls.
        decay_share: f64 = 0.3, in 0.0..=1.0;
        /// The rate falls to this share of itself, along half a cosine wave.
        decay_floor: f64 = 0.03, in 0.0..=1.0;
    }
}

/// Has the final decay begun when `progress` (0 to 1) of the run is done?
pub fn decays(settings: &ScheduleSettings, progress: f64) -> bool {
    settings.decay_share > 0.0 && progress > 1.0 - settings.decay_share
}

/// Factor on the learning rate at `step`, when `progress` (0 to 1) of the run is done.
pub fn factor(settings: &ScheduleSettings, step: u64, progress: f64) -> f64 {
    let warm = if settings.warmup_steps == 0 {
        1.0
    } else {
        ((step + 1) as f64 / settings.warmup_steps as f64).min(1.0)
    };
    if !decays(settings, progress) {
        return warm;
    }
    let start = 1.0 - settings.decay_share;
    let into = ((progress - start) / settings.decay_share).min(1.0);
    let wave = 0.5 * (1.0 + (std::f64::consts::PI * into).cos());
    warm * (settings.decay_floor + (1.0 - settings.decay_floor) * wave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_stays_and_falls() {
        let settings = ScheduleSettings { warmup_steps: 10, decay_share: 0.5, decay_floor: 0.1 };
        assert!((factor(&settings, 0, 0.0) - 0.1).abs() < 1e-12);
        assert!((factor(&settings, 9, 0.1) - 1.0).abs() < 1e-12);
        assert!((factor(&settings, 500, 0.5) - 1.0).abs() < 1e-12);
        // Half way down the cosine: the mean of 1 and the floor.
        assert!((factor(&settings, 750, 0.75) - 0.55).abs() < 1e-12);
        assert!((factor(&settings, 1000, 1.0) - 0.1).abs() < 1e-12);
    }
}
