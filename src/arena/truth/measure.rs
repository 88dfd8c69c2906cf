//! What a network and a search make of the sampled positions.

use super::TruthError;
use super::sample::Sample;
use crate::arena::player::{Player, PlayerError};
use crate::endgame::Value;
use crate::game::{Game, Line};
use crate::search::WdlPov;
use crate::search::evaluator::{Evaluator, Leaf};
use serde::Serialize;
use std::collections::BTreeMap;

/// Groups from this place in the table on are small and many.
pub(super) const OWN: u8 = 5;
/// Positions in one batch of the evaluator.
const BATCH: usize = 256;

/// What a network made of one sample.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// Its opinion, as the actor sees it.
    pub opinion: WdlPov,
    /// Is the likeliest result the true one?
    pub sign: bool,
    /// Does its likeliest action keep the true result?
    pub kept: bool,
}

impl Judged {
    /// How sure it was of results that are not true.
    pub fn error(&self, truth: Value) -> f32 {
        1.0 - chance_of(self.opinion, truth)
    }
}

fn chance_of(opinion: WdlPov, value: Value) -> f32 {
    match value {
        Value::Win => opinion.win,
        Value::Draw => opinion.draw,
        Value::Loss => opinion.loss,
    }
}

/// The likeliest result; of equal ones the draw, then the win.
fn likeliest(opinion: WdlPov) -> Value {
    let WdlPov { win, draw, loss } = opinion;
    if draw >= win && draw >= loss {
        Value::Draw
    } else if win >= loss {
        Value::Win
    } else {
        Value::Loss
    }
}

/// Asks a network about every sample.
pub fn judge<G: Game, E: Evaluator<G> + ?Sized>(
    game: &G,
    samples: &[Sample<G>],
    evaluator: &mut E,
) -> Result<Vec<Judged>, TruthError> {
    let mut judged = Vec::with_capacity(samples.len());
    let mut out = Vec::new();
    for batch in samples.chunks(BATCH) {
        let leaf = |sample: &Sample<G>| {
            let mut actions = Vec::new();
            game.actions(&sample.position, &mut actions);
            Leaf { position: sample.position.clone(), repetitions: 0, actions }
        };
        let leaves: Vec<Leaf<G>> = batch.iter().map(leaf).collect();
        evaluator.evaluate(&leaves, &mut out)?;
        for ((sample, leaf), evaluation) in batch.iter().zip(&leaves).zip(&out) {
            let moves = leaf.actions.iter().zip(&evaluation.logits);
            let best = moves.max_by(|a, b| a.1.total_cmp(b.1)).map(|(action, _)| *action);
            judged.push(Judged {
                opinion: evaluation.value,
                sign: likeliest(evaluation.value) == sample.exact.value,
                kept: best.is_some_and(|action| sample.keeps(action)),
            });
        }
    }
    Ok(judged)
}

/// For each sample, whether the action of a player keeps its result; on so many threads, each
/// with a player of its own.
pub fn searched<G: Game>(
    game: &G,
    samples: &[Sample<G>],
    make: &(dyn Fn() -> Result<Box<dyn Player<G>>, PlayerError> + Sync),
    threads: usize,
) -> Result<Vec<bool>, TruthError> {
    let share = |samples: &[Sample<G>]| -> Result<Vec<bool>, TruthError> {
        let mut player = make()?;
        let choose = |sample: &Sample<G>| {
            player.begin(0);
            let line = Line::from_position(game, sample.position.clone());
            Ok(sample.keeps(player.choose(&line)?.action))
        };
        samples.iter().map(choose).collect()
    };
    in_shares(samples, threads, share)
}

/// Lets threads work on shares of the items; the results stand in their order.
pub(super) fn in_shares<S: Sync, T: Send>(
    items: &[S],
    threads: usize,
    work: impl Fn(&[S]) -> Result<Vec<T>, TruthError> + Sync,
) -> Result<Vec<T>, TruthError> {
    let work = &work;
    let size = items.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        let running: Vec<_> =
            items.chunks(size).map(|share| scope.spawn(move || work(share))).collect();
        let mut out = Vec::with_capacity(items.len());
        for thread in running {
            match thread.join() {
                Ok(results) => out.extend(results?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(out)
    })
}

/// What a random action and a constant value would reach: the share of actions that keep the
/// result, and the share of the most frequent result.
pub fn chance<G: Game>(samples: &[Sample<G>]) -> Rates {
    let mut results = [0u64; 3];
    let mut kept = 0.0;
    for sample in samples {
        results[sample.exact.value as usize] += 1;
        kept += sample.keeping.len() as f64 / sample.actions.max(1) as f64;
    }
    let all = samples.len().max(1) as f64;
    Rates {
        sign: results.into_iter().max().unwrap_or(0) as f64 / all,
        kept: kept / all,
        searched: None,
    }
}

/// Shares from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rates {
    /// Of positions whose value has the right sign.
    pub sign: f64,
    /// Of positions in which the policy's likeliest action keeps the result.
    pub kept: f64,
    /// The same for a search's action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<f64>,
}

/// The rates of a group of samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub name: String,
    /// Is it one of the many small groups at the end of the table?
    #[serde(skip)]
    pub is_own: bool,
    pub positions: u64,
    #[serde(flatten)]
    pub rates: Rates,
}

/// Rates of all samples, by value, by band of distances, and by groups of their own. `searched` is
/// empty or has a result for each sample.
pub fn rows<G: Game>(samples: &[Sample<G>], judged: &[Judged], searched: &[bool]) -> Vec<Row> {
    // Groups are sorted by their place, then by name.
    let mut sums: BTreeMap<(u8, String), [u64; 4]> = BTreeMap::new();
    for (index, (sample, judged)) in samples.iter().zip(judged).enumerate() {
        for group in sample.counted_in() {
            let sums = sums.entry(group).or_default();
            sums[0] += 1;
            sums[1] += u64::from(judged.sign);
            sums[2] += u64::from(judged.kept);
            sums[3] += u64::from(searched.get(index).is_some_and(|&kept| kept));
        }
    }
    let rate = |part: u64, all: u64| part as f64 / all as f64;
    sums.into_iter()
        .map(|((place, name), [all, sign, kept, by_search])| Row {
            name,
            is_own: place >= OWN,
            positions: all,
            rates: Rates {
                sign: rate(sign, all),
                kept: rate(kept, all),
                searched: (!searched.is_empty()).then(|| rate(by_search, all)),
            },
        })
        .collect()
}
