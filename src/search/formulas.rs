//! The formulas of the searches: pure functions over numbers. Knows no tree and no game.
//!
//! Values run from -1 (lost) to 1 (won) in the actor's view; chances from 0 to 1.

/// Writes the probabilities of unnormalised log-probabilities. They must be finite.
pub fn softmax(logits: &[f32], out: &mut Vec<f32>) {
    out.clear();
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    out.extend(logits.iter().map(|&logit| (logit - highest).exp()));
    let sum: f32 = out.iter().sum();
    for probability in out.iter_mut() {
        *probability /= sum;
    }
}

/// The factor before `prior / (1 + visits)`: AlphaZero's growing cpuct times the root of the
/// parent's visits (its own evaluation counted, so that it is never 0).
pub fn puct_exploration(cpuct: f32, base: f32, parent_visits: u32) -> f32 {
    let visits = parent_visits as f32;
    (cpuct + ((visits + base + 1.0) / base).ln()) * visits.sqrt()
}

/// PUCT's score of an action.
pub fn puct_score(value: f32, prior: f32, exploration: f32, visits: u32) -> f32 {
    value + exploration * prior / (1.0 + visits as f32)
}

/// First-play urgency: the value of an action without visits.
pub fn first_play_urgency(parent_value: f32, reduction: f32, visited_prior: f32) -> f32 {
    parent_value - reduction * visited_prior.sqrt()
}

/// Value with virtual loss: each pending visit counts as lost.
pub fn with_virtual_loss(value: f32, visits: u32, pending: u32) -> f32 {
    if pending == 0 {
        return value;
    }
    (value * visits as f32 - pending as f32) / (visits + pending) as f32
}

/// The chance that a value stands for: 0 for lost, 0.5 for even, 1 for won.
pub fn chance(value: f32) -> f32 {
    0.5 * (value + 1.0)
}

/// σ(q) = (c_visit + max N) · c_scale · q, with q as a chance (Danihelka et al. 2022, eq. 8).
pub fn sigma(value: f32, most_visits: u32, c_visit: f32, c_scale: f32) -> f32 {
    (c_visit + most_visits as f32) * c_scale * chance(value)
}

/// v_mix, the value given to unvisited actions (Danihelka et al. 2022, eq. 33): the evaluator's
/// value, mixed with the visited values weighted by their priors.
///
/// `visits`: ΣN; `prior`: Σπ over the visited actions; `weighted`: Σπq over them.
pub fn mixed_value(raw: f32, visits: u32, prior: f32, weighted: f32) -> f32 {
    // Priors may have underflowed to zero.
    if visits == 0 || prior <= 0.0 {
        return raw;
    }
    (raw + visits as f32 * (weighted / prior)) / (1.0 + visits as f32)
}

/// What the expected length adds to a value: a small bonus for being quicker when winning and
/// slower when losing. Zero while the value is within ±0.8, growing from there with the square.
///
/// `saved`: plies by which this action is expected to end sooner than its siblings.
pub fn quick_bonus(value: f32, saved: f32, most: f32) -> f32 {
    const FROM: f32 = 0.8;
    /// Bonus of a single ply, as a share of the most: reached at 20 plies.
    const PER_PLY: f32 = 0.05;
    let beyond = ((value.abs() - FROM) / (1.0 - FROM)).max(0.0);
    if beyond == 0.0 {
        return 0.0;
    }
    most * value.signum() * beyond * beyond * (PER_PLY * saved).clamp(-1.0, 1.0)
}

/// Sequential halving as a sequence: for each simulation, how many visits the action to be
/// visited must have. The scheme of mctx: rounds over `considered` actions, halved (not below 2)
/// after each phase, until `simulations` are spent.
pub fn considered_visits(considered: u32, simulations: u32, out: &mut Vec<u32>) {
    out.clear();
    if considered <= 1 {
        out.extend(0..simulations);
        return;
    }
    let phases = u32::BITS - (considered - 1).leading_zeros();
    let total = simulations as usize;
    let mut width = considered;
    let mut visits = 0;
    while out.len() < total {
        let rounds = (u64::from(simulations) / (u64::from(phases) * u64::from(width))).max(1);
        for _ in 0..rounds {
            let room = total - out.len();
            out.extend(std::iter::repeat_n(visits, room.min(width as usize)));
            visits += 1;
            if out.len() == total {
                return;
            }
        }
        width = (width / 2).max(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f32, right: f32) {
        assert!((left - right).abs() < 1e-5, "{left} is not {right}");
    }

    #[test]
    fn softmax_of_known_odds() {
        let mut out = Vec::new();
        softmax(&[100.0, 100.0 + 3f32.ln(), 100.0 - 100.0], &mut out);
        close(out[0], 0.25);
        close(out[1], 0.75);
        close(out[2], 0.0);
        close(out.iter().sum(), 1.0);
    }

    #[test]
    fn puct_by_hand() {
        // 9 visits, a base so large that the logarithm is nearly nothing: 2 · 3 = 6.
        close(puct_exploration(2.0, 1e9, 9), 6.0);
        // Base 1, 1 visit: ln 3 = 1.098612.
        close(puct_exploration(0.0, 1.0, 1), 1.098_612_3);
        // 0.25 + 6 · 0.5 / 4 = 1.
        close(puct_score(0.25, 0.5, 6.0, 3), 1.0);
    }

    #[test]
    fn urgency_and_virtual_loss_by_hand() {
        close(first_play_urgency(0.1, 0.25, 0.64), -0.1);
        close(first_play_urgency(0.1, 0.25, 0.0), 0.1);
        // Three visits at 1/3 make 1; one pending loss takes it away.
        close(with_virtual_loss(1.0 / 3.0, 3, 1), 0.0);
        close(with_virtual_loss(0.0, 0, 2), -1.0);
        close(with_virtual_loss(0.5, 4, 0), 0.5);
    }

    #[test]
    fn sigma_and_mixed_value_by_hand() {
        close(chance(0.0), 0.5);
        // (50 + 10) · 0.1 · 0.75 = 4.5.
        close(sigma(0.5, 10, 50.0, 0.1), 4.5);
        // (0.2 + 3 · (0.06 / 0.6)) / 4 = 0.125.
        close(mixed_value(0.2, 3, 0.6, 0.06), 0.125);
        close(mixed_value(0.2, 0, 0.0, 0.0), 0.2);
        close(mixed_value(0.2, 3, 0.0, 0.0), 0.2);
    }

    #[test]
    fn a_quick_win_and_a_slow_loss_are_preferred_a_little() {
        assert_eq!(quick_bonus(0.5, 10.0, 0.03), 0.0);
        assert_eq!(quick_bonus(0.0, 10.0, 0.03), 0.0);
        // Beyond 0.8 by half of the way: 0.25 of the most, at 10 of 20 plies.
        close(quick_bonus(0.9, 10.0, 0.03), 0.03 * 0.25 * 0.5);
        close(quick_bonus(-0.9, 10.0, 0.03), -0.03 * 0.25 * 0.5);
        close(quick_bonus(1.0, -100.0, 0.03), -0.03);
    }

    /// The sequences that mctx's own tests expect.
    #[test]
    fn sequential_halving_as_in_mctx() {
        let sequence = |considered, simulations| {
            let mut out = Vec::new();
            considered_visits(considered, simulations, &mut out);
            assert_eq!(out.len(), simulations as usize);
            out.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(sequence(8, 24), "0 0 0 0 0 0 0 0 1 1 1 1 2 2 2 2 3 3 4 4 5 5 6 6");
        assert_eq!(
            sequence(8, 47),
            "0 0 0 0 0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10 10 \
             11 11 12 12 13 13 14 14 15 15 16 16 17"
        );
        assert_eq!(sequence(8, 2), "0 0");
        assert_eq!(sequence(8, 13), "0 0 0 0 0 0 0 0 1 1 1 1 2");
        assert_eq!(sequence(7, 24), "0 0 0 0 0 0 0 1 1 1 2 2 2 3 3 4 4 5 5 6 6 7 7 8");
        assert_eq!(sequence(0, 4), "0 1 2 3");
        assert_eq!(sequence(1, 4), "0 1 2 3");
        assert_eq!(sequence(16, 0), "");
        assert_eq!(
            sequence(16, 32),
            "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 2 2 2 2 3 3 3 3"
        );
    }
}
