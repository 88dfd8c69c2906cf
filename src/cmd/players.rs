//! From a player's text to a player: baselines as they are, models from their folder, a run's
//! champion from its newest state.

use super::exit::{Unusable, Usage};
use crate::arena::searcher::SearchPlayer;
use crate::arena::spec::{PlayerSpec, make_baseline};
use crate::arena::{Player, PlayerError, StaticEvaluation};
use crate::codec::Encode;
use crate::config::{Config, Sources, load};
use crate::game::registry::{self, AnyGame};
use crate::game::{Game, Notation};
use crate::learn::{State, flat};
use crate::nn::{self, EngineWeights, NetworkEvaluator};
use crate::record::rules;
use crate::run::{self, Champion, Layout, Manifest};
use crate::search::cache::CachedEvaluator;
use crate::search::evaluator::{Evaluator, Uniform};
use crate::search::rollout::Rollout;
use crate::search::{self, Plan, SearchKind, SearchSettings};
use anyhow::Context;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Memory of a player's evaluation cache, in bytes, and of the caches of all its threads.
const CACHE_BYTES: usize = 64 << 20;
const ALL_CACHES_BYTES: usize = 1 << 30;
/// Simulations of a model that is not told how many.
pub const DEFAULT_VISITS: u32 = 64;
/// A random playout is stopped after this many plies and counts as a draw.
const PLAYOUT_PLIES: u32 = 400;

/// A network with the game it plays.
pub struct Brain {
    /// As it stands in tables.
    pub name: String,
    pub game: String,
    /// The full rule record.
    pub rules: Value,
    pub weights: Arc<EngineWeights>,
    /// The search that it was trained with.
    pub search: SearchSettings,
}

/// Someone who can be asked to play.
pub struct Contestant {
    spec: PlayerSpec,
    brain: Option<Brain>,
    cache_bytes: usize,
}

impl Contestant {
    /// Reads a player's text and loads its network, if it has one.
    pub fn load(text: &str, data: &Path) -> anyhow::Result<Self> {
        let spec: PlayerSpec = text.parse()?;
        let brain = match &spec {
            PlayerSpec::Model { path, .. } => Some(Brain::load(path, data)?),
            _ => None,
        };
        Ok(Self { spec, brain, cache_bytes: CACHE_BYTES })
    }

    /// The same, to play on so many threads at once. What it plays does not depend on it.
    pub fn on_threads(self, threads: usize) -> Self {
        let cache_bytes = CACHE_BYTES.min(ALL_CACHES_BYTES / threads.max(1));
        Self { cache_bytes, ..self }
    }

    pub fn brain(&self) -> Option<&Brain> {
        self.brain.as_ref()
    }

    /// A new player of this kind.
    pub fn player<G>(&self, game: &G) -> Result<Box<dyn Player<G>>, PlayerError>
    where
        G: Encode + Notation + StaticEvaluation,
    {
        if let Some(baseline) = make_baseline(&self.spec) {
            return Ok(baseline);
        }
        let plan = |visits| Plan { visits, leaves: 1, explore: false, seed: 0 };
        let player = |search, evaluator: Box<dyn Evaluator<G>>, visits| {
            let name = self.spec.to_string();
            Box::new(SearchPlayer::new(name, search::make(&search), evaluator, plan(visits)))
        };
        let puct = SearchSettings { kind: SearchKind::Puct, ..SearchSettings::default() };
        match (&self.spec, &self.brain) {
            (PlayerSpec::Uniform { visits }, _) => Ok(player(puct, Box::new(Uniform), *visits)),
            (PlayerSpec::Rollout { visits }, _) => {
                let rollout = Rollout::new(game, 1, PLAYOUT_PLIES, 0);
                Ok(player(puct, Box::new(rollout), *visits))
            }
            (PlayerSpec::Model { visits, search: kind, .. }, Some(brain)) => {
                let kind = match kind.as_deref() {
                    Some("puct") => SearchKind::Puct,
                    Some(_) => SearchKind::Gumbel,
                    None => brain.search.kind,
                };
                let search = SearchSettings { kind, ..brain.search.clone() };
                let network = NetworkEvaluator::new(game.clone(), Arc::clone(&brain.weights))
                    .map_err(|error| PlayerError::NotReady {
                        name: self.spec.to_string(),
                        reason: error.to_string(),
                    })?;
                let cached = CachedEvaluator::new(game, network, self.cache_bytes);
                Ok(player(search, Box::new(cached), visits.unwrap_or(DEFAULT_VISITS)))
            }
            (spec, _) => Err(PlayerError::NotReady {
                name: spec.to_string(),
                reason: String::from("it has no network"),
            }),
        }
    }
}

/// The game to be played: what was asked for, else the first model's, else the default; every
/// model must know it.
pub fn common_game(asked: Option<AnyGame>, contestants: &[&Contestant]) -> anyhow::Result<AnyGame> {
    let mut brains = contestants.iter().filter_map(|contestant| contestant.brain());
    let game = match (asked, brains.clone().next()) {
        (Some(game), _) => game,
        (None, Some(brain)) => brain.build_game()?,
        (None, None) => registry::build("jungle", None, &Map::new())?,
    };
    crate::with_game!(&game, game => brains.try_for_each(|brain| brain.check(game)))?;
    Ok(game)
}

impl Brain {
    /// Loads a model folder, a run folder, or a run by its name.
    pub fn load(path: &str, data: &Path) -> anyhow::Result<Self> {
        let folder = PathBuf::from(path);
        let named = data.join(path);
        if folder.join(nn::CARD_FILE).exists() {
            return Self::of_model(path, &folder);
        }
        if folder.join("manifest.toml").exists() {
            return Self::of_run(path, &Layout::at(folder));
        }
        if named.join("manifest.toml").exists() {
            return Self::of_run(path, &Layout::at(named));
        }
        if folder.is_dir() {
            return Err(Unusable(format!(
                "{path} is neither a model (it has no {}) nor a run (it has no manifest.toml)",
                nn::CARD_FILE
            ))
            .into());
        }
        let runs: Vec<String> = run::list(data)?.into_iter().map(|run| run.name).collect();
        let known = if runs.is_empty() { String::from("none") } else { runs.join(", ") };
        Err(Usage(format!(
            "there is no model and no run `{path}`; runs in {}: {known}",
            data.display()
        ))
        .into())
    }

    fn of_model(name: &str, folder: &Path) -> anyhow::Result<Self> {
        let (card, net) = nn::load(folder, &nn::cpu())?;
        Ok(Self {
            name: name.to_string(),
            game: card.game.clone(),
            rules: card.rules.clone(),
            weights: Arc::new(EngineWeights::new(&net)),
            search: card.search,
        })
    }

    fn of_run(name: &str, layout: &Layout) -> anyhow::Result<Self> {
        let manifest = Manifest::load(&layout.manifest())?;
        let state = champion_state(layout, &manifest)?;
        let config =
            load::<Config>(&Sources { file: Some(layout.config()), ..Sources::default() })?;
        let net = flat::network(state.shape, &state.network, &state.weights.averaged)?;
        Ok(Self {
            name: name.to_string(),
            game: manifest.game.clone(),
            rules: manifest.rule_record(),
            weights: Arc::new(EngineWeights::new(&net)),
            search: config.config.search,
        })
    }

    /// The game that the network was trained for.
    pub fn build_game(&self) -> anyhow::Result<AnyGame> {
        let rules = self.rules.as_object().cloned().unwrap_or_default();
        registry::build(&self.game, None, &rules)
            .with_context(|| format!("the rules of {} are not known here", self.name))
    }

    /// Refuses another game, and another shape than the network's. Other rules of the same game
    /// are allowed: the network sees them.
    fn check<G: Encode>(&self, game: &G) -> anyhow::Result<()> {
        if self.game != game.name() {
            let (name, knows, asked) = (&self.name, &self.game, game.name());
            return Err(Unusable(format!("{name} knows {knows}, not {asked}")).into());
        }
        if *self.weights.shape() != game.shape() {
            return Err(Unusable(format!(
                "{} was made for boards of {:?}, these rules need {:?}",
                self.name,
                self.weights.shape(),
                game.shape()
            ))
            .into());
        }
        Ok(())
    }

    /// Do these rules differ from those the network was trained for?
    pub fn plays_other_rules<G: Game>(&self, game: &G) -> bool {
        rules::canonical(&self.rules) != rules::canonical(&game.rules())
    }
}

/// The state whose averaged weights play for a run.
pub fn champion_state(layout: &Layout, manifest: &Manifest) -> anyhow::Result<State> {
    let Some(champion) = Champion::load(layout)? else {
        return Err(Unusable(format!(
            "the run {} has no weights yet: it was stopped before its first state ({})",
            layout.root().display(),
            manifest.created
        ))
        .into());
    };
    Ok(State::load(&layout.state(champion.step).join(crate::train::STATE_FILE))?)
}
