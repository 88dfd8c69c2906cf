//! From scores to ratings: Elo differences with intervals from paired games, and a ladder of
//! several players. Pure formulas; nothing here is ever infinite or NaN.

use serde::{Deserialize, Serialize};

/// The 97.5 % point of the normal distribution: intervals hold 95 %.
pub const Z: f64 = 1.959_963_984_540_054;

/// Counts of pairs by their score: 0, ½, 1, 1½, 2 points of two games with sides swapped.
pub type Pentanomial = [u32; 5];

/// The Elo difference that explains a score: `-400 log10(1/score - 1)`; `None` for a score that
/// is not strictly between 0 and 1. Source: A. Elo, The Rating of Chessplayers (1978), logistic
/// form as used by FIDE and all engine lists.
pub fn elo_of_score(score: f64) -> Option<f64> {
    // Adding 0 makes a negative zero a plain one.
    (score > 0.0 && score < 1.0).then(|| -400.0 * (1.0 / score - 1.0).log10() + 0.0)
}

/// The expected score of a player who is `elo` stronger: `1 / (1 + 10^(-elo/400))`.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Mean and variance of the score of a pair, scaled to 0..1; `(0.5, 0)` without pairs.
///
/// Both games of a pair share their opening, so they are not independent: the pair is the unit of
/// the variance. Source: M. Van den Bergh, "The GSPRT approximation" and the fishtest notes on
/// pentanomial statistics (2018).
pub fn pair_moments(pairs: &Pentanomial) -> (f64, f64) {
    let total: f64 = pairs.iter().map(|&count| f64::from(count)).sum();
    if total == 0.0 {
        return (0.5, 0.0);
    }
    let share = |index: usize| (f64::from(pairs[index]) / total, index as f64 / 4.0);
    let mean: f64 = (0..5).map(share).map(|(share, score)| share * score).sum();
    let variance = (0..5).map(share).map(|(share, score)| share * (score - mean).powi(2)).sum();
    (mean, variance)
}

/// A score and the Elo difference it stands for, with 95 % intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean score, 0 to 1.
    pub score: f64,
    pub score_low: f64,
    pub score_high: f64,
    /// `None` (null) where the score is 0 or 1: then only one side is bounded.
    pub elo: Option<f64>,
    pub elo_low: Option<f64>,
    pub elo_high: Option<f64>,
}

impl Estimate {
    /// The estimate from paired games.
    ///
    /// The interval is Wilson's (1927) at the effective number of trials: the number n of
    /// independent win-or-loss trials whose variance `s(1-s)/n` equals the variance of the mean
    /// of the pairs (Kish's design effect; Korn and Graubard 1998). For many pairs it is the
    /// usual `s ± 1.96 σ/√N`, but it never leaves 0..1. Where the pairs show no variance at all
    /// (all won, or all alike) every pair counts as one trial.
    pub fn of_pairs(pairs: &Pentanomial) -> Self {
        let total: f64 = pairs.iter().map(|&count| f64::from(count)).sum();
        let (score, variance) = pair_moments(pairs);
        if total == 0.0 {
            return Self { elo: None, ..Self::within(score, (0.0, 1.0)) };
        }
        let trials = if variance > 0.0 { score * (1.0 - score) * total / variance } else { total };
        Self::within(score, wilson(score, trials))
    }

    /// The estimate of a score whose interval is known.
    pub fn within(score: f64, (low, high): (f64, f64)) -> Self {
        let elo = |score| elo_of_score(score).map(|elo| rounded(elo, 2));
        Self {
            score: rounded(score, 6),
            score_low: rounded(low, 6),
            score_high: rounded(high, 6),
            elo: elo(score),
            elo_low: elo(low),
            elo_high: elo(high),
        }
    }

    /// In words: `+35 Elo (+4 to +68)`, `above +190 Elo`.
    pub fn elo_text(&self) -> String {
        // A negative zero, which a small difference rounds to, would read as -0.
        let whole = |elo: Option<f64>| elo.map(|elo| rounded(elo, 0));
        match (whole(self.elo), whole(self.elo_low), whole(self.elo_high)) {
            (Some(elo), Some(low), Some(high)) => {
                format!("{elo:+.0} Elo ({low:+.0} to {high:+.0})")
            }
            (_, Some(low), None) => format!("above {low:+.0} Elo"),
            (_, None, Some(high)) => format!("below {high:+.0} Elo"),
            _ => String::from("unknown Elo (too few games)"),
        }
    }
}

/// Wilson's 95 % interval for a share `score` of `trials`, within 0..1.
/// Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927), 209–212.
pub fn wilson(score: f64, trials: f64) -> (f64, f64) {
    if trials <= 0.0 {
        return (0.0, 1.0);
    }
    let z2 = Z * Z;
    let scale = 1.0 / (1.0 + z2 / trials);
    let centre = scale * (score + z2 / (2.0 * trials));
    let reach = scale * Z * (score * (1.0 - score) / trials + z2 / (4.0 * trials * trials)).sqrt();
    // The ends are exact at a score of 0 and of 1, where rounding must not hide them.
    let low = if score <= 0.0 { 0.0 } else { (centre - reach).max(0.0) };
    let high = if score >= 1.0 { 1.0 } else { (centre + reach).min(1.0) };
    (low, high)
}

/// A figure as it goes into files: no digits that mean nothing.
pub(crate) fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    // Adding 0 makes a negative zero a plain one.
    (value * scale).round() / scale + 0.0
}

/// What two players scored against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Numbers of the players.
    pub players: (usize, usize),
    /// Games, and the points of the first-named player (a draw is half a point).
    pub games: f64,
    pub points: f64,
}

/// The ratings that best explain the meetings, player `anchor` held at `anchor_elo`; `None` for
/// a player whom no chain of meetings joins to the anchor.
///
/// Bradley–Terry by the minorise–maximise iteration of D. R. Hunter, Ann. Stat. 32 (2004),
/// 384–406: `γ_i ← W_i / Σ_j n_ij / (γ_i + γ_j)`, a draw as half a win. One drawn game is added
/// to each meeting, so that a player who won everything has a finite rating.
pub fn ladder_ratings(
    players: usize,
    meetings: &[Meeting],
    anchor: usize,
    anchor_elo: f64,
) -> Vec<Option<f64>> {
    let usable = |meeting: &&Meeting| {
        let (a, b) = meeting.players;
        a < players && b < players && a != b && meeting.games > 0.0
    };
    let meetings: Vec<Meeting> = meetings
        .iter()
        .filter(usable)
        .map(|meeting| Meeting {
            games: meeting.games + 1.0,
            points: meeting.points.clamp(0.0, meeting.games) + 0.5,
            ..*meeting
        })
        .collect();
    let mut joined = vec![false; players];
    if let Some(joined) = joined.get_mut(anchor) {
        *joined = true;
    }
    for _ in 0..players {
        for meeting in &meetings {
            let (a, b) = meeting.players;
            let either = joined[a] || joined[b];
            (joined[a], joined[b]) = (either, either);
        }
    }
    let mut strength = vec![1.0_f64; players];
    for _ in 0..100_000 {
        let (mut won, mut expected) = (vec![0.0; players], vec![0.0; players]);
        for meeting in &meetings {
            let (a, b) = meeting.players;
            let weight = meeting.games / (strength[a] + strength[b]);
            won[a] += meeting.points;
            won[b] += meeting.games - meeting.points;
            expected[a] += weight;
            expected[b] += weight;
        }
        let mut change = 0.0_f64;
        for player in (0..players).filter(|&player| joined[player] && expected[player] > 0.0) {
            let next = won[player] / expected[player];
            change = change.max((next / strength[player]).ln().abs());
            strength[player] = next;
        }
        if change < 1e-12 {
            break;
        }
    }
    (0..players)
        .map(|player| {
            let ratio = strength[player] / strength.get(anchor).copied().unwrap_or(1.0);
            joined[player].then(|| anchor_elo + 400.0 * ratio.log10())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 5e-4 * want.abs().max(1.0), "{got} is not {want}");
    }

    #[test]
    fn elo_of_a_score() {
        // 10^(-120/400) = 10^-0.3 = 0.501187; 1 / 1.501187 = 0.666139.
        near(score_of_elo(120.0), 0.666_139);
        near(elo_of_score(0.666_139).unwrap(), 120.0);
        // 3 : 1 is 400 log10 3 = 190.849.
        near(elo_of_score(0.75).unwrap(), 190.849);
        near(elo_of_score(0.25).unwrap(), -190.849);
        assert!(elo_of_score(0.5).is_some_and(|elo| elo == 0.0 && elo.is_sign_positive()));
        let level = Estimate::of_pairs(&[0, 5, 10, 5, 0]);
        assert!(level.elo_text().starts_with("+0 Elo ("), "{}", level.elo_text());
        let near = Estimate { elo: Some(-0.3), ..level };
        assert!(near.elo_text().starts_with("+0 Elo ("), "{}", near.elo_text());
        assert_eq!((elo_of_score(0.0), elo_of_score(1.0)), (None, None));
    }

    #[test]
    fn moments_of_ten_pairs() {
        // 1 × 0, 2 × ¼, 3 × ½, 2 × ¾, 2 × 1: sum 5.5, mean 0.55.
        // Squares: 0.3025 + 2 × 0.09 + 3 × 0.0025 + 2 × 0.04 + 2 × 0.2025 = 0.975; / 10.
        let (mean, variance) = pair_moments(&[1, 2, 3, 2, 2]);
        near(mean, 0.55);
        near(variance, 0.0975);
    }

    #[test]
    fn the_interval_of_ten_pairs() {
        // Effective trials: 0.55 × 0.45 × 10 / 0.0975 = 25.3846. z² = 3.84146.
        // Scale 1 / (1 + 0.151330) = 0.868561; centre 0.868561 × (0.55 + 0.0756650) = 0.543428;
        // reach 0.868561 × 1.959964 × sqrt(0.00975 + 0.00149031) = 0.868561 × 1.959964
        // × 0.106020 = 0.180482.
        let estimate = Estimate::of_pairs(&[1, 2, 3, 2, 2]);
        near(estimate.score_low, 0.362_946);
        near(estimate.score_high, 0.723_910);
        // 400 log10(0.55 / 0.45) = 400 × 0.0871502 = 34.860.
        near(estimate.elo.unwrap(), 34.860);
    }

    #[test]
    fn many_pairs_give_the_normal_interval() {
        let estimate = Estimate::of_pairs(&[1_000, 2_000, 3_000, 2_000, 2_000]);
        let reach = Z * (0.0975_f64 / 10_000.0).sqrt();
        assert!((estimate.score_low - (0.55 - reach)).abs() < 2e-5);
        assert!((estimate.score_high - (0.55 + reach)).abs() < 2e-5);
    }

    #[test]
    fn extremes_are_bounded_on_one_side() {
        // Wilson at 1: low = N / (N + z²) = 50 / 53.84146 = 0.928653; 400 log10 (50 / 3.84146)
        // = 400 × 1.114474 = 445.789.
        let won = Estimate::of_pairs(&[0, 0, 0, 0, 50]);
        near(won.score_low, 0.928_653);
        assert_eq!((won.score, won.score_high), (1.0, 1.0));
        assert_eq!((won.elo, won.elo_high), (None, None));
        near(won.elo_low.unwrap(), 445.789);
        assert_eq!(won.elo_text(), "above +446 Elo");
        let lost = Estimate::of_pairs(&[50, 0, 0, 0, 0]);
        assert_eq!(lost.elo_text(), "below -446 Elo");
        let text = serde_json::to_string(&won).unwrap();
        assert!(text.contains("\"elo\":null") && !text.contains("inf"), "{text}");
        assert_eq!(serde_json::from_str::<Estimate>(&text).unwrap(), won);
        // All pairs level: the interval is not a point.
        let level = Estimate::of_pairs(&[0, 0, 50, 0, 0]);
        assert!(level.elo_low.unwrap() < -50.0 && level.elo_high.unwrap() > 50.0);
        assert_eq!(Estimate::of_pairs(&[0; 5]).elo_text(), "unknown Elo (too few games)");
    }

    #[test]
    fn a_ladder_of_two_is_the_elo_difference() {
        // 74 of 99 points and the half of one drawn game: 74.5 + 0.5 of 100 = 0.75: 190.849.
        let meeting = Meeting { players: (0, 1), games: 99.0, points: 74.5 };
        let ratings = ladder_ratings(3, &[meeting], 1, 1000.0);
        near(ratings[0].unwrap(), 1190.849);
        near(ratings[1].unwrap(), 1000.0);
        assert_eq!(ratings[2], None);
    }

    #[test]
    fn a_ladder_agrees_with_its_meetings() {
        // Each of 0 > 1 > 2 scores exactly as 120 Elo say, and 240 between the ends.
        let exact = |a, b, elo| {
            let games = 10_000.0;
            Meeting { players: (a, b), games, points: games * score_of_elo(elo) }
        };
        let meetings = [exact(0, 1, 120.0), exact(1, 2, 120.0), exact(0, 2, 240.0)];
        let ratings = ladder_ratings(3, &meetings, 2, 0.0);
        assert!((ratings[0].unwrap() - 240.0).abs() < 0.2);
        assert!((ratings[1].unwrap() - 120.0).abs() < 0.2);
        // Who won every game is rated all the same.
        let swept = Meeting { players: (0, 1), games: 20.0, points: 20.0 };
        let top = ladder_ratings(2, &[swept], 1, 0.0)[0].unwrap();
        near(top, 400.0 * (20.5_f64 / 0.5).log10());
    }
}
