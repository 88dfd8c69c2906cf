//! A player by tree search: any [`Search`] over any [`Evaluator`].

use super::player::{Choice, Player, PlayerError};
use crate::game::{Game, Line};
use crate::rng;
use crate::search::evaluator::Evaluator;
use crate::search::{Plan, Report, Search, search_once};
use rand::Rng;

/// Plays the best action of a search with a fixed number of visits.
pub struct SearchPlayer<G: Game> {
    name: String,
    search: Box<dyn Search<G>>,
    evaluator: Box<dyn Evaluator<G>>,
    plan: Plan,
    seed: u64,
}

impl<G: Game> SearchPlayer<G> {
    /// `name` as it stands in tables; the plan's seed is replaced in every game.
    pub fn new(
        name: impl Into<String>,
        search: Box<dyn Search<G>>,
        evaluator: Box<dyn Evaluator<G>>,
        plan: Plan,
    ) -> Self {
        Self { name: name.into(), search, evaluator, plan, seed: 0 }
    }

    /// Searches the line, which must not have ended.
    pub fn report(&mut self, line: &Line<G>) -> Result<Report<G>, PlayerError> {
        if line.outcome().is_some() {
            return Err(PlayerError::Ended(self.name.clone()));
        }
        let seed = rng::stream(self.seed, "searcher", u64::from(line.ply())).next_u64();
        let plan = Plan { seed, ..self.plan };
        search_once(&mut *self.search, line, &plan, &mut *self.evaluator)
            .map_err(|source| PlayerError::Evaluator { name: self.name.clone(), source })
    }
}

impl<G: Game> Player<G> for SearchPlayer<G> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn choose(&mut self, line: &Line<G>) -> Result<Choice<G::Action>, PlayerError> {
        let report = self.report(line)?;
        let best = report.actions.get(report.best).ok_or_else(|| PlayerError::Failed {
            name: self.name.clone(),
            reason: String::from("the search reported no action"),
        })?;
        Ok(Choice {
            value: Some(best.value.unwrap_or(report.root).value()),
            nodes: u64::from(report.visits),
            expected: report.expected.clone(),
            ..Choice::plain(best.action)
        })
    }

    fn analyze(&mut self, line: &Line<G>) -> Result<Option<Report<G>>, PlayerError> {
        self.report(line).map(Some)
    }

    fn set_visits(&mut self, visits: u32) -> bool {
        self.plan.visits = visits.max(1);
        true
    }

    fn visits(&self) -> Option<u32> {
        Some(self.plan.visits)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::arena::toy::Toy;
    use crate::search::evaluator::{EvalError, Evaluation, Leaf, Uniform};
    use crate::search::{ActionReport, Status, WdlPov};

    /// A search that asks for the root once per visit and prefers the action of the highest logit.
    pub struct RootOnly<G: Game> {
        root: Option<Line<G>>,
        left: u32,
        visits: u32,
        logits: Vec<f32>,
        value: WdlPov,
    }

    impl<G: Game> Default for RootOnly<G> {
        fn default() -> Self {
            Self { root: None, left: 0, visits: 0, logits: Vec::new(), value: WdlPov::DRAW }
        }
    }

    impl<G: Game> Search<G> for RootOnly<G> {
        fn begin(&mut self, root: &Line<G>, plan: &Plan) {
            *self = Self { root: Some(root.clone()), left: plan.visits, ..Self::default() };
        }

        fn gather(&mut self, leaves: &mut Vec<Leaf<G>>) -> Status {
            let Some(root) = self.root.as_ref().filter(|_| self.left > 0) else {
                return Status::Done;
            };
            self.left -= 1;
            let actions = root.legal();
            leaves.push(Leaf { position: root.position().clone(), repetitions: 0, actions });
            Status::Waiting(1)
        }

        fn apply(&mut self, evaluations: &[Evaluation]) {
            self.visits += 1;
            self.logits = evaluations[0].logits.clone();
            self.value = evaluations[0].value;
        }

        fn report(&self) -> Report<G> {
            let actions: Vec<_> = self.root.as_ref().map(Line::legal).unwrap_or_default();
            let share = 1.0 / actions.len().max(1) as f32;
            Report {
                actions: actions
                    .iter()
                    .map(|&action| ActionReport {
                        action,
                        visits: 1,
                        prior: share,
                        target: share,
                        value: Some(self.value),
                        proven: None,
                    })
                    .collect(),
                best: 0,
                root: self.value,
                raw: self.value,
                proven: None,
                plies_left: 10.0,
                visits: self.visits,
                expected: actions.into_iter().take(1).collect(),
            }
        }
    }

    pub fn plan(visits: u32) -> Plan {
        Plan { visits, leaves: 1, explore: false, seed: 0 }
    }

    struct Broken;

    impl Evaluator<Toy> for Broken {
        fn evaluate(&mut self, _: &[Leaf<Toy>], _: &mut Vec<Evaluation>) -> Result<(), EvalError> {
            Err(EvalError(String::from("no weights")))
        }
    }

    #[test]
    fn a_search_is_driven_to_its_end() {
        let line = Line::start(&Toy::default());
        let search = Box::new(RootOnly::default());
        let mut player = SearchPlayer::new("uniform:7", search, Box::new(Uniform), plan(7));
        let choice = player.choose(&line).unwrap();
        assert_eq!(choice.nodes, 7);
        assert_eq!(choice.action, line.legal()[0]);
        assert_eq!(choice.value, Some(0.0));
        assert!(player.set_visits(3));
        assert_eq!(player.analyze(&line).unwrap().unwrap().visits, 3);
    }

    #[test]
    fn an_evaluator_that_fails_is_named() {
        let line = Line::start(&Toy::default());
        let search = Box::new(RootOnly::default());
        let mut player = SearchPlayer::new("models/x", search, Box::new(Broken), plan(2));
        let error = player.choose(&line).unwrap_err().to_string();
        assert_eq!(error, "models/x: the evaluator failed: no weights");
    }
}
