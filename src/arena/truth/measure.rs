//! What a network and a search make of the sampled positions.

use super::TruthError;
use super::sample::{BANDS, Sample, band};
use crate::arena::player::{Player, PlayerError};
use crate::endgame::{Exact, Tables, Value};
use crate::game::jungle::{Action, Jungle};
use crate::game::{Game, Line};
use crate::search::WdlPov;
use crate::search::evaluator::{Evaluator, Leaf};
use serde::Serialize;
use std::collections::BTreeMap;

/// Positions in one batch of the evaluator.
const BATCH: usize = 256;

/// What a network made of one sample.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// Its opinion, as the actor sees it.
    pub opinion: WdlPov,
    /// Is the likeliest result the true one?
    pub sign: bool,
    /// Does its likeliest move keep the true result?
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

/// Does a move keep the value of the position?
fn keeps(tables: &Tables, sample: &Sample, action: Action) -> bool {
    let mut next = sample.position.clone();
    tables.book().game().play(&mut next, action);
    let after = tables.value(&next).map(Exact::before);
    after.is_some_and(|after| after.value == sample.exact.value)
}

/// Asks a network about every sample.
pub fn judge<E: Evaluator<Jungle> + ?Sized>(
    tables: &Tables,
    samples: &[Sample],
    evaluator: &mut E,
) -> Result<Vec<Judged>, TruthError> {
    let game = tables.book().game();
    let mut judged = Vec::with_capacity(samples.len());
    let mut out = Vec::new();
    for batch in samples.chunks(BATCH) {
        let leaf = |sample: &Sample| {
            let mut actions = Vec::new();
            game.actions(&sample.position, &mut actions);
            Leaf { position: sample.position.clone(), repetitions: 0, actions }
        };
        let leaves: Vec<Leaf<Jungle>> = batch.iter().map(leaf).collect();
        evaluator.evaluate(&leaves, &mut out)?;
        for ((sample, leaf), evaluation) in batch.iter().zip(&leaves).zip(&out) {
            let moves = leaf.actions.iter().zip(&evaluation.logits);
            let best = moves.max_by(|a, b| a.1.total_cmp(b.1)).map(|(action, _)| *action);
            judged.push(Judged {
                opinion: evaluation.value,
                sign: likeliest(evaluation.value) == sample.exact.value,
                kept: best.is_some_and(|action| keeps(tables, sample, action)),
            });
        }
    }
    Ok(judged)
}

/// For each sample, whether the move of a player keeps its value; on so many threads, each with a
/// player of its own.
pub fn searched(
    game: &Jungle,
    tables: &Tables,
    samples: &[Sample],
    make: &(dyn Fn() -> Result<Box<dyn Player<Jungle>>, PlayerError> + Sync),
    threads: usize,
) -> Result<Vec<bool>, TruthError> {
    let share = |samples: &[Sample]| -> Result<Vec<bool>, TruthError> {
        let mut player = make()?;
        let choose = |sample: &Sample| {
            player.begin(0);
            let line = Line::from_position(game, sample.position.clone());
            let choice = player.choose(&line)?;
            Ok(keeps(tables, sample, choice.action))
        };
        samples.iter().map(choose).collect()
    };
    in_shares(samples, threads, &share)
}

/// Lets threads work on shares of the samples; the results stand in their order.
pub(super) fn in_shares<T: Send>(
    samples: &[Sample],
    threads: usize,
    work: &(dyn Fn(&[Sample]) -> Result<Vec<T>, TruthError> + Sync),
) -> Result<Vec<T>, TruthError> {
    let size = samples.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        let running: Vec<_> =
            samples.chunks(size).map(|share| scope.spawn(move || work(share))).collect();
        let mut out = Vec::with_capacity(samples.len());
        for thread in running {
            match thread.join() {
                Ok(results) => out.extend(results?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(out)
    })
}

/// What a random move and a constant value would reach: the share of moves that keep the value,
/// and the share of the most frequent result.
pub fn chance(tables: &Tables, samples: &[Sample]) -> Rates {
    let game = tables.book().game();
    let mut results = [0u64; 3];
    let mut kept = 0.0;
    let mut actions = Vec::new();
    for sample in samples {
        results[sample.exact.value as usize] += 1;
        game.actions(&sample.position, &mut actions);
        let keeping = actions.iter().filter(|&&action| keeps(tables, sample, action)).count();
        kept += keeping as f64 / actions.len().max(1) as f64;
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
    /// Of positions in which the policy's likeliest move keeps the value.
    pub kept: f64,
    /// The same for a search's move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<f64>,
}

/// The rates of a group of samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub name: String,
    pub positions: u64,
    #[serde(flatten)]
    pub rates: Rates,
}

/// Rates of all samples, by value, by band of distances, and by signature. `searched` is empty
/// or has a result for each sample.
pub fn rows(samples: &[Sample], judged: &[Judged], searched: &[bool]) -> Vec<Row> {
    // Names are sorted by a number in front, which is dropped again.
    let mut sums: BTreeMap<(u8, String), [u64; 4]> = BTreeMap::new();
    for (index, (sample, judged)) in samples.iter().zip(judged).enumerate() {
        let Exact { value, plies } = sample.exact;
        let mut groups = vec![
            (0, String::from("all")),
            (1, format!("{} animals", sample.signature.count())),
            (2, String::from(value.word())),
            (4, sample.signature.to_string()),
        ];
        if value != Value::Draw {
            groups.push((3, band_name(band(plies))));
        }
        for group in groups {
            let sums = sums.entry(group).or_default();
            sums[0] += 1;
            sums[1] += u64::from(judged.sign);
            sums[2] += u64::from(judged.kept);
            sums[3] += u64::from(searched.get(index).is_some_and(|&kept| kept));
        }
    }
    let rate = |part: u64, all: u64| part as f64 / all as f64;
    sums.into_iter()
        .map(|((_, name), [all, sign, kept, by_search])| Row {
            name,
            positions: all,
            rates: Rates {
                sign: rate(sign, all),
                kept: rate(kept, all),
                searched: (!searched.is_empty()).then(|| rate(by_search, all)),
            },
        })
        .collect()
}

fn band_name(band: usize) -> String {
    let from = if band == 0 { 1 } else { BANDS[band - 1] + 1 };
    match BANDS[band] {
        u32::MAX => format!("{from:02} plies and more"),
        last => format!("{from:02} to {last:02} plies"),
    }
}
