//! All figures of one call, part by part: the shape of the JSON.

use super::network::NetworkRow;
use super::rules::RulesRow;
use super::search::SearchRow;
use super::selfplay::SelfplayRow;
use super::training::TrainingRow;
use super::tune::{Run, Tuning, tune};
use super::{BenchError, Machine, Memory, Plan, Signature};
use super::{network, rules, search, selfplay, signature, training};
use crate::codec::Encode;
use crate::game::Notation;
use crate::game::registry::AnyGame;
use crate::learn::LearnSettings;
use crate::search::SearchSettings;
use crate::selfplay::SelfplaySettings;
use serde::Serialize;

/// What was measured; a part that was not asked for is absent.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub machine: Machine,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RulesRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<SearchRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selfplay: Vec<SelfplayRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub training: Vec<TrainingRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tune: Option<Tuning>,
}

impl Report {
    /// A report that holds nothing but the machine so far.
    pub fn begin(plan: &Plan) -> Self {
        Self {
            machine: Machine::look(plan),
            rules: Vec::new(),
            network: Vec::new(),
            search: Vec::new(),
            selfplay: Vec::new(),
            training: Vec::new(),
            memory: None,
            signature: None,
            tune: None,
        }
    }

    /// Measures the rules of these games.
    pub fn rules(&mut self, games: &[AnyGame], plan: &Plan) {
        self.rules.extend(rules::measure(games, plan));
    }

    /// Measures the engine.
    pub fn network<G: Encode>(&mut self, game: &G, plan: &Plan) -> Result<(), BenchError> {
        for &size in &plan.sizes {
            self.network.extend(network::measure(game, size, plan)?);
        }
        Ok(())
    }

    /// Measures a search of a game.
    pub fn search<G: Encode>(
        &mut self,
        game: &G,
        settings: &SearchSettings,
        plan: &Plan,
    ) -> Result<(), BenchError> {
        for &size in &plan.sizes {
            self.search.push(search::measure(game, settings, size, plan)?);
        }
        Ok(())
    }

    /// Measures self-play of a game.
    pub fn selfplay<G: Encode + Notation>(
        &mut self,
        game: &G,
        settings: &SelfplaySettings,
        search: &SearchSettings,
        plan: &Plan,
    ) -> Result<(), BenchError> {
        for &size in &plan.sizes {
            for &threads in &plan.threads {
                for &cache_mib in &plan.caches_mib {
                    let settings = SelfplaySettings { cache_mib, ..settings.clone() };
                    let row = selfplay::measure(game, &settings, search, size, threads, plan)?;
                    self.selfplay.push(row);
                }
            }
        }
        Ok(())
    }

    /// Measures the learner.
    pub fn training<G: Encode>(
        &mut self,
        game: &G,
        learn: &LearnSettings,
        plan: &Plan,
    ) -> Result<(), BenchError> {
        for &size in &plan.sizes {
            self.training.extend(training::measure(game, size, learn, plan)?);
        }
        Ok(())
    }

    /// Looks at the memory of this process; to be called last.
    pub fn memory(&mut self) {
        self.memory = Memory::now();
    }

    /// Makes the signature.
    pub fn signature(&mut self) -> Result<(), BenchError> {
        self.signature = Some(signature::sign()?);
        Ok(())
    }

    /// Measures what suits the machine.
    pub fn tune<G: Encode + Notation>(
        &mut self,
        game: &G,
        run: &Run,
        plan: &Plan,
    ) -> Result<(), BenchError> {
        self.tune = Some(tune(game, run, plan)?);
        Ok(())
    }
}
