//! How strong the player of a run is: the ladder of fixed opponents.

use super::{TrainError, fault};
use crate::arena::duel::DuelPlan;
use crate::arena::ladder::{self, Ladder};
use crate::arena::searcher::SearchPlayer;
use crate::arena::{ArenaSettings, Player, PlayerError, StaticEvaluation};
use crate::codec::Encode;
use crate::game::Notation;
use crate::metrics::Progress;
use crate::nn::{EngineWeights, NetworkEvaluator};
use crate::search::{self, Plan, SearchSettings};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is measured, and how.
pub struct Measure<'a, G> {
    pub game: &'a G,
    pub name: &'a str,
    pub weights: &'a Arc<EngineWeights>,
    pub search: &'a SearchSettings,
    /// Simulations for a move.
    pub visits: u32,
    pub arena: &'a ArenaSettings,
    pub seed: u64,
}

impl<G: Encode + Notation + StaticEvaluation> Measure<'_, G> {
    /// Plays the ladder; `None` if the stop flag was set on the way.
    pub fn ladder(
        &self,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<Ladder>, TrainError> {
        let player = || self.player();
        let plan = DuelPlan { seed: self.seed, stop: Some(stop), ..DuelPlan::default() };
        let opponents = &ladder::OPPONENTS;
        let ladder = ladder::measure(self.game, &player, opponents, self.arena, &plan, progress)?;
        Ok((!ladder.interrupted).then_some(ladder))
    }

    fn player(&self) -> Result<Box<dyn Player<G>>, PlayerError> {
        fault::reach("while-measuring");
        let evaluator = NetworkEvaluator::new(self.game.clone(), Arc::clone(self.weights))
            .map_err(|error| PlayerError::NotReady {
                name: self.name.to_string(),
                reason: error.to_string(),
            })?;
        let plan = Plan { visits: self.visits, leaves: 1, explore: false, seed: 0 };
        let search = search::make(self.search);
        Ok(Box::new(SearchPlayer::new(self.name, search, Box::new(evaluator), plan)))
    }
}
