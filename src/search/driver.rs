//! Drives searches: gathers leaves from many, has them evaluated in one batch, and hands the
//! evaluations back. Also makes the search that the settings name.

use super::evaluator::{EvalError, Evaluation, Evaluator, Leaf};
use super::gumbel::Gumbel;
use super::puct::Puct;
use super::settings::{SearchKind, SearchSettings};
use super::{Plan, Report, Search, Status};
use crate::endgame::Oracle;
use crate::game::{Game, Line};
use std::sync::Arc;

/// The search that the settings name, not yet begun.
pub fn make<G: Game>(settings: &SearchSettings) -> Box<dyn Search<G>> {
    make_with(settings, None)
}

/// As [`make`], for a search that asks an oracle about each new position: what it proves needs no
/// evaluation, what it hints at weighs in the evaluation.
pub fn make_with<G: Game>(
    settings: &SearchSettings,
    oracle: Option<Arc<dyn Oracle<G>>>,
) -> Box<dyn Search<G>> {
    match settings.kind {
        SearchKind::Gumbel => Box::new(Gumbel::new(settings).with_oracle(oracle)),
        SearchKind::Puct => Box::new(Puct::new(settings).with_oracle(oracle)),
    }
}

impl<G: Game, S: Search<G> + ?Sized> Search<G> for Box<S> {
    fn begin(&mut self, root: &Line<G>, plan: &Plan) {
        (**self).begin(root, plan);
    }

    fn gather(&mut self, leaves: &mut Vec<Leaf<G>>) -> Status {
        (**self).gather(leaves)
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        (**self).apply(evaluations);
    }

    fn report(&self) -> Report<G> {
        (**self).report()
    }

    fn fallbacks(&self) -> u64 {
        (**self).fallbacks()
    }
}

/// One round: leaves of many searches, evaluated together. Keeps its memory between rounds.
///
/// ```text
/// round.clear();
/// for (slot, search) in searches.iter_mut().enumerate() {
///     if let Status::Waiting(count) = search.gather(round.leaves()) { round.asked(slot, count) }
/// }
/// round.evaluate(&mut evaluator)?;
/// for (slot, evaluations) in round.shares() { searches[slot].apply(evaluations); }
/// ```
#[derive(Debug)]
pub struct Round<G: Game> {
    leaves: Vec<Leaf<G>>,
    evaluations: Vec<Evaluation>,
    /// Who asked, and for how many leaves, in the order of the leaves.
    asked: Vec<(usize, usize)>,
}

impl<G: Game> Default for Round<G> {
    fn default() -> Self {
        Self { leaves: Vec::new(), evaluations: Vec::new(), asked: Vec::new() }
    }
}

impl<G: Game> Round<G> {
    /// Forgets the leaves of the last round.
    pub fn clear(&mut self) {
        self.leaves.clear();
        self.asked.clear();
    }

    /// The leaves gathered so far, to add to.
    pub fn leaves(&mut self) -> &mut Vec<Leaf<G>> {
        &mut self.leaves
    }

    /// The last `count` leaves are of `slot`, the caller's name for a search.
    pub fn asked(&mut self, slot: usize, count: usize) {
        self.asked.push((slot, count));
    }

    /// Has the gathered leaves evaluated and says how many there were; asks nothing if there are
    /// none. An answer of the wrong length is an error.
    pub fn evaluate<E: Evaluator<G> + ?Sized>(
        &mut self,
        evaluator: &mut E,
    ) -> Result<usize, EvalError> {
        let wanted = self.leaves.len();
        if wanted == 0 {
            return Ok(0);
        }
        evaluator.evaluate(&self.leaves, &mut self.evaluations)?;
        let got = self.evaluations.len();
        if got != wanted {
            return Err(EvalError(format!("{got} evaluations came for {wanted} positions")));
        }
        Ok(wanted)
    }

    /// The evaluations of the round by slot, in the order of the gathering.
    pub fn shares(&self) -> impl Iterator<Item = (usize, &[Evaluation])> {
        let mut rest = self.evaluations.as_slice();
        self.asked.iter().map(move |&(slot, count)| {
            let (share, after) = rest.split_at(count.min(rest.len()));
            rest = after;
            (slot, share)
        })
    }
}

/// Searches one line to the end of the plan.
pub fn search_once<G: Game, S: Search<G> + ?Sized, E: Evaluator<G> + ?Sized>(
    search: &mut S,
    line: &Line<G>,
    plan: &Plan,
    evaluator: &mut E,
) -> Result<Report<G>, EvalError> {
    search.begin(line, plan);
    let mut round = Round::default();
    loop {
        round.clear();
        if search.gather(round.leaves()) == Status::Done {
            return Ok(search.report());
        }
        round.evaluate(evaluator)?;
        search.apply(&round.evaluations);
    }
}
