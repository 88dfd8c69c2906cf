//! The record of one game: what was played, what the searches found, how it ended.

use super::rules::RulesHash;
use crate::game::{Outcome, Side};
use crate::search::Wdl;
use serde::{Deserialize, Serialize};

/// The version of [`GameRecord`]. Changes whenever a field is added, removed or gets another
/// meaning.
pub const FORMAT: u16 = 1;

/// The shares of a policy target sum to this.
pub const WHOLE: u32 = 65_535;

/// A game as it stands in a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// [`FORMAT`].
    pub format: u16,
    /// The game's name.
    pub game: String,
    /// Hash of the rules that were played.
    pub rules: RulesHash,
    /// The game's number k in its run: the order in which the learner takes games.
    pub index: u64,
    /// The generation of weights that played all of it.
    pub generation: u64,
    /// The run's seed. The game draws from the stream that it, `selfplay` and `index` name.
    pub seed: u64,
    /// Plies at the beginning that were drawn at random, not searched.
    pub opening_plies: u32,
    /// The position text, if the game did not begin at the rules' own start.
    pub start: Option<String>,
    /// The action texts, in order.
    pub actions: Vec<String>,
    /// What the searches found, with ascending plies.
    pub searched: Vec<Searched>,
    pub end: End,
    pub counters: Counters,
}

/// What the search of one position found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// Actions played before this position; the action played here is `actions[ply]`.
    pub ply: u32,
    /// Simulations behind the value; 0: it is proven, by the rules or by tables.
    pub visits: u32,
    /// A full search, whose policy target is to be learnt; a fast one has a value only.
    pub full: bool,
    /// The policy target without its zeros: index of the action among the position's legal
    /// actions (in the order of [`crate::game::Line::actions`]), and its share of [`WHOLE`].
    /// Indices ascend. Empty only for a fast search.
    pub target: Vec<(u16, u16)>,
    /// Value of the root after the search.
    pub root: Wdl,
    /// The network's own opinion before the search.
    pub raw: Wdl,
}

impl Searched {
    /// A policy target as shares of [`WHOLE`], rounded so that they sum to it exactly (largest
    /// remainders first). Weights that are no probabilities, NaN included, count as zero; all zero
    /// gives an empty target.
    pub fn pack(target: &[f32]) -> Vec<(u16, u16)> {
        let weights: Vec<f64> = target
            .iter()
            .map(|&share| if share.is_finite() && share > 0.0 { f64::from(share) } else { 0.0 })
            .collect();
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            return Vec::new();
        }
        let exact = |index: usize| weights[index] / sum * f64::from(WHOLE);
        let mut shares: Vec<u32> = (0..weights.len()).map(|index| exact(index) as u32).collect();
        let mut order: Vec<usize> =
            (0..weights.len()).filter(|&index| weights[index] > 0.0).collect();
        order.sort_by(|&a, &b| exact(b).fract().total_cmp(&exact(a).fract()).then(a.cmp(&b)));
        let missing = WHOLE.saturating_sub(shares.iter().sum());
        for &index in order.iter().cycle().take(missing as usize) {
            shares[index] += 1;
        }
        let pairs = shares.into_iter().enumerate().filter(|&(_, share)| share > 0);
        pairs.map(|(index, share)| (index as u16, share as u16)).collect()
    }

    /// The policy target over `actions` legal actions; sums to 1. `None` without a target.
    pub fn unpack(&self, actions: usize) -> Option<Vec<f32>> {
        if self.target.is_empty() {
            return None;
        }
        let mut shares = vec![0.0; actions];
        for &(index, share) in &self.target {
            *shares.get_mut(usize::from(index))? = f32::from(share) / WHOLE as f32;
        }
        Some(shares)
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By the rules. Margin: points of `First` minus points of `Second`.
    Finished { winner: Option<Side>, margin: i16, reason: String },
    /// Decided early, `by` a proof, a resignation, a table. The margin may then be unknown.
    Adjudicated { winner: Option<Side>, margin: Option<i16>, by: String },
    /// Stopped without a result (too long).
    Cut,
}

impl From<Outcome> for End {
    fn from(outcome: Outcome) -> Self {
        let Outcome { winner, margin, reason } = outcome;
        End::Finished { winner, margin, reason: reason.to_string() }
    }
}

impl End {
    /// The result: who won, or nobody; `None` for a game without one.
    pub fn winner(&self) -> Option<Option<Side>> {
        match self {
            End::Finished { winner, .. } | End::Adjudicated { winner, .. } => Some(*winner),
            End::Cut => None,
        }
    }

    /// The result as chances; `None` for a game without one.
    pub fn wdl(&self) -> Option<Wdl> {
        self.winner().map(Wdl::of)
    }

    /// Points of `First` minus points of `Second`, if they are known.
    pub fn margin(&self) -> Option<i16> {
        match self {
            End::Finished { margin, .. } => Some(*margin),
            End::Adjudicated { margin, .. } => *margin,
            End::Cut => None,
        }
    }
}

/// What was counted while the game was played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Simulations of all searches.
    pub simulations: u64,
    /// Reserved, always 0 in this format: room of five counters that nobody ever filled.
    pub reserved: [u8; 5],
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn searched(target: Vec<(u16, u16)>) -> Searched {
        let even = Wdl { first: 0.25, draw: 0.5, second: 0.25 };
        Searched { ply: 0, visits: 8, full: true, target, root: even, raw: even }
    }

    #[test]
    fn targets_are_packed_with_largest_remainders() {
        assert_eq!(Searched::pack(&[0.0, 1.0, 0.0]), [(1, 65_535)]);
        // 21845 each, no remainder; then 65535 / 2 = 32767.5 each: the first gets the one left.
        let third = 1.0 / 3.0;
        assert_eq!(Searched::pack(&[third; 3]), [(0, 21_845), (1, 21_845), (2, 21_845)]);
        assert_eq!(Searched::pack(&[0.5, 0.0, 0.5]), [(0, 32_768), (2, 32_767)]);
        assert_eq!(Searched::pack(&[0.0, f32::NAN, -1.0]), []);
        assert_eq!(Searched::pack(&[]), []);
        assert_eq!(searched(vec![]).unpack(3), None);
        assert_eq!(searched(vec![(3, 65_535)]).unpack(3), None);
    }

    #[test]
    fn results_as_chances() {
        let draw = End::Finished { winner: None, margin: 0, reason: String::from("count") };
        assert_eq!(draw.wdl(), Some(Wdl { first: 0.0, draw: 1.0, second: 0.0 }));
        let lost = End::Adjudicated {
            winner: Some(Side::Second),
            margin: Some(-3),
            by: String::from("table"),
        };
        assert_eq!(lost.wdl(), Some(Wdl { first: 0.0, draw: 0.0, second: 1.0 }));
        assert_eq!((lost.margin(), End::Cut.margin(), End::Cut.wdl()), (Some(-3), None, None));
    }

    #[test]
    fn counters_take_the_bytes_that_the_format_gives_them() {
        let counters = Counters { simulations: 7, ..Counters::default() };
        let bytes = crate::record::wire::encode(&counters).unwrap();
        assert_eq!(bytes, [7, 0, 0, 0, 0, 0]);
        assert_eq!(crate::record::wire::decode::<Counters>(&bytes), Ok(counters));
    }

    proptest! {
        #[test]
        fn packing_keeps_the_sum_and_the_shares(weights in prop::collection::vec(0.0f32..1.0, 1..200)) {
            let sum: f32 = weights.iter().sum();
            prop_assume!(sum > 1e-3);
            let packed = Searched::pack(&weights);
            prop_assert_eq!(packed.iter().map(|pair| u32::from(pair.1)).sum::<u32>(), WHOLE);
            let unpacked = searched(packed).unpack(weights.len()).unwrap();
            for (share, weight) in unpacked.iter().zip(&weights) {
                prop_assert!((share - weight / sum).abs() < 3e-5);
            }
        }
    }
}
