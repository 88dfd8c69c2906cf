//! What is not as it should be in a run: seen in its metrics, said on the screen, written to
//! `metrics/alarms.jsonl`. Pure but for the writing; an alarm changes nothing in the run.

use super::lesson::LearnMetrics;
use super::tally::SelfplayMetrics;
use crate::replay::ReplaySettings;
use serde_json::Value;

crate::settings! {
    /// When a run raises an alarm.
    pub struct AlarmSettings {
        /// Fewer different beginnings of 8 and of 16 plies than this share of the games.
        distinct_share: f64 = 0.2, in 0.0..=1.0;
        /// The mean entropy of the policy targets, in nats, is below this.
        policy_entropy: f64 = 0.1, in 0.0..=10.0;
        /// More than this share of the games is drawn or cut.
        draw_share: f64 = 0.85, in 0.0..=1.0;
        /// The loss on games held out is above that on games learnt from by more than this, in
        /// nats of policy and value together.
        holdout_gap: f64 = 0.25, in 0.0..=100.0;
    }
}

/// Something that a person should look at.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Alarm {
    pub generation: u64,
    /// One word for programs: `openings`, `policy`, `draws`, `holdout`, `reuse`, `rating`, `step`.
    pub kind: String,
    /// For people: what was seen, what is normal.
    pub text: String,
}

fn alarm(generation: u64, kind: &str, text: String) -> Alarm {
    Alarm { generation, kind: kind.to_string(), text }
}

/// Alarms about a generation of self-play.
pub fn of_selfplay(settings: &AlarmSettings, metrics: &SelfplayMetrics) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    let mut raise = |kind, text| alarms.push(alarm(metrics.generation, kind, text));
    let games = metrics.games as f64;
    let most = |plies: u64| metrics.mean_plies >= plies as f64;
    for (plies, distinct) in [(8, metrics.distinct_at_8), (16, metrics.distinct_at_16)] {
        if most(plies) && (distinct as f64) < settings.distinct_share * games {
            let text = format!(
                "only {distinct} different beginnings of {plies} plies in {} games: self-play \
                 repeats itself; raise selfplay.opening_share or selfplay.temperature_plies",
                metrics.games
            );
            raise("openings", text);
        }
    }
    if metrics.positions > 0 && metrics.target_entropy < settings.policy_entropy {
        let text = format!(
            "the policy targets have an entropy of {:.3} nats (below {}): the search hardly looks \
             beside its favourite",
            metrics.target_entropy, settings.policy_entropy
        );
        raise("policy", text);
    }
    let undecided = (metrics.draws + metrics.cut) as f64 / games;
    if undecided > settings.draw_share {
        let text = format!(
            "{:.0} % of the games are drawn or cut (more than {:.0} %): results teach little",
            100.0 * undecided,
            100.0 * settings.draw_share
        );
        raise("draws", text);
    }
    alarms
}

/// Alarms about a lesson.
pub fn of_lesson(
    settings: &AlarmSettings,
    replay: &ReplaySettings,
    metrics: &LearnMetrics,
) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    for refusal in &metrics.refusals {
        let told = refusal.to_string();
        let text = told.strip_prefix("ALARM ").unwrap_or(&told).to_string();
        alarms.push(alarm(metrics.generation, "step", text));
    }
    if let Some(held_out) = metrics.held_out.filter(|_| metrics.steps > metrics.refused) {
        let sum = |losses: &crate::learn::Losses| losses.policy + losses.value;
        let gap = sum(&held_out) - sum(&metrics.losses);
        if gap > settings.holdout_gap {
            let text = format!(
                "on games held out the loss is {gap:.2} higher than on those learnt from (more \
                 than {}): it learns by heart; lower replay.reuse or play more games",
                settings.holdout_gap
            );
            alarms.push(alarm(metrics.generation, "holdout", text));
        }
    }
    // What a batch or two can add is no fault.
    if metrics.steps > 0 && metrics.reuse > 1.05 * replay.reuse {
        let text = format!(
            "{:.2} samples were learnt for each position, the cap is {}",
            metrics.reuse, replay.reuse
        );
        alarms.push(alarm(metrics.generation, "reuse", text));
    }
    alarms
}

/// Alarms about a measurement, given the earlier ones (as `ladder.jsonl` holds them): the score
/// against an opponent fell by more than both intervals allow.
pub fn of_ladder(earlier: &[Value], now: &Value) -> Vec<Alarm> {
    let generation = now["generation"].as_u64().unwrap_or(0);
    let rows = now["ladder"]["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let fallen = rows.iter().filter_map(|row| {
        let opponent = row["opponent"].as_str()?;
        let high = row["estimate"]["score_high"].as_f64()?;
        let same = earlier.iter().filter(|entry| entry["visits"] == now["visits"]);
        let best = same
            .filter_map(|entry| {
                let rows = entry["ladder"]["rows"].as_array()?;
                let row = rows.iter().find(|row| row["opponent"] == opponent)?;
                Some((row["estimate"]["score_low"].as_f64()?, entry["generation"].as_u64()?))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0))?;
        (high < best.0).then(|| {
            let text = format!(
                "against {opponent} it scores at most {:.0} %, at generation {} it scored at \
                 least {:.0} %",
                100.0 * high,
                best.1,
                100.0 * best.0
            );
            alarm(generation, "rating", text)
        })
    });
    fallen.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Fault, Losses};
    use crate::train::lesson::Refusal;

    fn kinds(alarms: &[Alarm]) -> Vec<&str> {
        alarms.iter().map(|alarm| alarm.kind.as_str()).collect()
    }

    fn sound() -> SelfplayMetrics {
        SelfplayMetrics {
            games: 100,
            positions: 5000,
            mean_plies: 50.0,
            distinct_at_8: 90,
            distinct_at_16: 100,
            target_entropy: 1.2,
            draws: 20,
            ..SelfplayMetrics::default()
        }
    }

    #[test]
    fn self_play_that_collapses_is_seen() {
        let settings = AlarmSettings::default();
        let of = |metrics: SelfplayMetrics| of_selfplay(&settings, &metrics);
        assert_eq!(of(sound()), []);
        let same = of(SelfplayMetrics { distinct_at_8: 3, distinct_at_16: 19, ..sound() });
        assert_eq!(kinds(&same), ["openings", "openings"]);
        assert!(same[0].text.starts_with("only 3 different beginnings of 8 plies in 100 games"));
        // Games that are over before ply 16 cannot differ there.
        let short = SelfplayMetrics { mean_plies: 9.0, distinct_at_16: 0, ..sound() };
        assert_eq!(of(short), []);
        assert_eq!(kinds(&of(SelfplayMetrics { target_entropy: 0.05, ..sound() })), ["policy"]);
        assert_eq!(kinds(&of(SelfplayMetrics { draws: 50, cut: 40, ..sound() })), ["draws"]);
    }

    #[test]
    fn lessons_that_go_wrong_are_seen() {
        let of = |metrics: &LearnMetrics| {
            of_lesson(&AlarmSettings::default(), &ReplaySettings::default(), metrics)
        };
        let losses = |value: f64| Losses { policy: 0.5, value, ..Losses::default() };
        let sound = LearnMetrics {
            steps: 10,
            reuse: 4.0,
            losses: losses(0.6),
            held_out: Some(losses(0.7)),
            ..LearnMetrics::default()
        };
        assert_eq!(of(&sound), []);
        let by_heart = LearnMetrics { held_out: Some(losses(0.9)), ..sound.clone() };
        assert_eq!(kinds(&of(&by_heart)), ["holdout"]);
        assert_eq!(kinds(&of(&LearnMetrics { reuse: 5.0, ..sound.clone() })), ["reuse"]);
        let refusal = Refusal {
            generation: 2,
            step: 7,
            first_sample: 256,
            samples: 32,
            fault: Fault::Spike { loss: 9.0, mean: 2.0 },
            rolled_back: false,
            batch: Vec::new(),
        };
        let alarms = of(&LearnMetrics { refusals: vec![refusal], refused: 1, ..sound });
        assert_eq!(
            alarms[0].text,
            "step 7 on the samples 256 to 287 was not taken: the loss is 9.00, of late 2.00; the \
             weights are as before it, and the run goes on"
        );
    }

    #[test]
    fn a_score_that_falls_beyond_both_intervals_is_seen() {
        let entry = |generation: u64, low: f64, high: f64| {
            let estimate = serde_json::json!({"score_low": low, "score_high": high});
            let row = serde_json::json!({"opponent": "greedy", "estimate": estimate});
            serde_json::json!({"generation": generation, "visits": 64, "ladder": {"rows": [row]}})
        };
        let earlier = [entry(0, 0.1, 0.3), entry(10, 0.6, 0.8)];
        assert_eq!(of_ladder(&earlier, &entry(20, 0.45, 0.65)), []);
        let fallen = of_ladder(&earlier, &entry(20, 0.3, 0.5));
        assert_eq!(
            fallen[0].text,
            "against greedy it scores at most 50 %, at generation 10 it scored at least 60 %"
        );
    }
}
