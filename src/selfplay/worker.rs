//! Many games on one thread: gather from all, evaluate one batch, apply. Nothing shared but the
//! counter that hands out game numbers, nothing locked.

use super::settings::SelfplaySettings;
use super::slot::{PlayedGame, Slot, Step};
use crate::endgame::Oracle;
use crate::game::Notation;
use crate::search::evaluator::{EvalError, Evaluator};
use crate::search::{Round, SearchSettings};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a worker is to do.
pub struct Job<'a, G: Notation> {
    pub game: &'a G,
    pub settings: &'a SelfplaySettings,
    pub search: &'a SearchSettings,
    /// The run's seed.
    pub seed: u64,
    /// Simulations for a full move.
    pub visits: u32,
    /// Hands out the number of the next game to play.
    pub claim: &'a (dyn Fn() -> Option<u64> + Sync),
    /// Endgame tables, for `adjudicate_tables` and `table_targets`; the search does not ask them.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// Set when games in flight are to be dropped.
    pub stop: &'a AtomicBool,
}

/// What a worker has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Batches evaluated, and the leaves in them.
    pub batches: u64,
    pub leaves: u64,
    /// Positions searched in full, those of games in flight included.
    pub positions: u64,
}

/// Plays games until none is left to claim or `stop` is set. `finished` gets each game as it ends;
/// an error of it ends the work.
pub fn play<G, E, X>(
    job: &Job<G>,
    evaluator: &mut E,
    finished: &mut dyn FnMut(PlayedGame<G>) -> Result<(), X>,
) -> Result<Work, X>
where
    G: Notation,
    E: Evaluator<G> + ?Sized,
    X: From<EvalError>,
{
    let mut slots: Vec<Slot<G>> = Vec::new();
    let mut work = Work::default();
    let mut round = Round::default();
    let open = |index| {
        let Job { game, settings, search, seed, visits, .. } = *job;
        Slot::new(game, settings, search, seed, index, visits).with_oracle(job.oracle.clone())
    };
    while !job.stop.load(Ordering::Relaxed) {
        while slots.len() < job.settings.in_flight as usize
            && let Some(index) = (job.claim)()
        {
            slots.push(open(index));
        }
        if slots.is_empty() {
            break;
        }
        round.clear();
        let mut at = 0;
        while at < slots.len() {
            match slots[at].advance(round.leaves()) {
                Step::Waiting(count) => {
                    round.asked(at, count);
                    at += 1;
                }
                Step::Over(game) => {
                    work.positions += game.searched.len() as u64;
                    finished(game)?;
                    match (job.claim)() {
                        Some(index) => slots[at] = open(index),
                        None => drop(slots.swap_remove(at)),
                    }
                }
            }
        }
        let leaves = round.evaluate(evaluator)?;
        work.batches += u64::from(leaves > 0);
        work.leaves += leaves as u64;
        for (slot, evaluations) in round.shares() {
            slots[slot].apply(evaluations);
        }
    }
    work.positions += slots.iter().map(Slot::positions).sum::<u64>();
    Ok(work)
}
