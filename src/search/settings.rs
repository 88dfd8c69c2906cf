//! The keys of the section `search`: which search, and its constants. Holds no state of a search.

use serde::{Deserialize, Serialize};

/// Which search looks for actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// Sequential halving over sampled root actions (Danihelka et al. 2022).
    Gumbel,
    /// The rule of AlphaZero.
    Puct,
}

/// Where the search tries all actions for a game that ends at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LookAhead {
    /// At the root alone.
    Root,
    /// In every new position, before the evaluator is asked.
    Every,
}

settings! {
    /// How actions are searched for.
    pub struct SearchSettings {
        /// `gumbel`: sequential halving at the root, strong with few visits; `puct`: the rule of
        /// AlphaZero, at home with hundreds of visits.
        kind: SearchKind = SearchKind::Gumbel, words "`gumbel` or `puct`";
        /// Gumbel: root actions that are considered at first; fewer where there are fewer legal
        /// actions or visits.
        considered_actions: u32 = 16, in 1..=1024;
        /// Gumbel: visits added to those of the most visited action when a value is weighed
        /// against a log-probability.
        c_visit: f64 = 50.0, in 0.0..=10000.0;
        /// Gumbel: weight of one visit; log-probabilities are moved by `(c_visit + visits) ×
        /// c_scale × chance`, where the chance runs from 0 (lost) to 1 (won) and is not stretched
        /// to the range seen at the node.
        c_scale: f64 = 1.0, in 0.0..=100.0;
        /// PUCT: weight of the prior against the value (which runs from -1 to 1).
        cpuct: f64 = 1.25, in 0.0..=100.0;
        /// PUCT: visits after which the weight of the prior has grown by ln 2.
        cpuct_base: f64 = 19652.0, in 1.0..=1000000000.0;
        /// PUCT: an action without visits is worth its parent's value less this, times the root of
        /// the prior already visited.
        fpu_reduction: f64 = 0.25, in 0.0..=2.0;
        /// PUCT with exploration: temperature of the root's prior; above 1 flattens it.
        root_policy_temperature: f64 = 1.1, in 0.1..=10.0;
        /// PUCT with exploration: sum of the Dirichlet noise's concentrations, so that each of `n`
        /// actions has about this divided by `n`.
        dirichlet_total: f64 = 10.83, in 0.01..=1000.0;
        /// PUCT with exploration: give half of the concentration to the actions that the prior
        /// holds plausible, as KataGo does.
        dirichlet_shaped: bool = true, words "true or false";
        /// PUCT with exploration: share of the noise in the root's prior.
        noise_fraction: f64 = 0.25, in 0.0..=1.0;
        /// What a quicker win, or a slower loss, can add at most to a value (which runs from -1 to
        /// 1); counts only where the value is beyond 0.8. 0: off.
        quick_win: f64 = 0.03, in 0.0..=0.5;
        /// What a draw costs the side that searches (a value runs from -1 to 1): above 0 it
        /// avoids draws, so that self-play does not drown in them. What is learnt of a draw stays
        /// exactly a draw.
        draw_penalty: f64 = 0.0, in 0.0..=0.9;
        /// `root`: actions that end the game at once are found at the root without visits;
        /// `every`: in every new position, which costs the rules' time and saves evaluations.
        look_ahead: LookAhead = LookAhead::Root, words "`root` or `every`";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn defaults_are_allowed_and_words_read_back() {
        let default = SearchSettings::default();
        assert_eq!(default.check(), Ok(()));
        let text = toml::to_string(&default).unwrap();
        assert!(text.contains("kind = \"gumbel\""), "{text}");
        assert_eq!(toml::from_str::<SearchSettings>(&text).unwrap(), default);
        let puct: SearchSettings = toml::from_str("kind = \"puct\"").unwrap();
        assert_eq!(puct.kind, SearchKind::Puct);
        assert!(toml::from_str::<SearchSettings>("kind = \"uct\"").is_err());
        assert!(toml::from_str::<SearchSettings>("cpct = 1.0").is_err());
    }

    #[test]
    fn a_value_out_of_range_is_named() {
        let wrong = SearchSettings { noise_fraction: 1.5, ..SearchSettings::default() };
        assert_eq!(wrong.check().unwrap_err().key, "noise_fraction");
    }
}
