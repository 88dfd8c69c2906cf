//! From a player's text to a player: baselines as they are, models from their folder, a run's
//! champion from its newest state.

use super::exit::{Unusable, Usage};
use super::tables;
use crate::arena::searcher::SearchPlayer;
use crate::arena::spec::{PlayerSpec, make_baseline};
use crate::arena::{Player, PlayerError, StaticEvaluation};
use crate::codec::Encode;
use crate::config::{Config, Sources, load};
use crate::endgame::Oracle;
use crate::endgame::probe::{OpenError, whole_oracle};
use crate::game::registry::{self, AnyGame};
use crate::game::{Game, Notation};
use crate::learn::{State, StateError};
use crate::nn::{self, EngineWeights, NetworkEvaluator, NetworkSettings, flat};
use crate::record::rules;
use crate::run::{self, Champion, Layout, Manifest, ManifestError};
use crate::search::cache::CachedEvaluator;
use crate::search::evaluator::{Evaluator, Uniform};
use crate::search::rollout::Rollout;
use crate::search::{self, Plan, SearchKind, SearchSettings};
use anyhow::Context;
use serde_json::{Map, Value};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// The size of the network.
    pub network: NetworkSettings,
    /// The search that it was trained with.
    pub search: SearchSettings,
    /// The folder and the card of a model; a run has none.
    pub card: Option<(PathBuf, nn::Card)>,
    /// The codec whose inputs and codes it learned, and the program that made it.
    pub codec_version: u32,
    pub made_by: String,
    /// Did endgame tables teach it, or one that it descends from? Not all cards say.
    pub taught_by_tables: Option<bool>,
}

/// Someone who can be asked to play.
pub struct Contestant {
    spec: PlayerSpec,
    brain: Option<Brain>,
    cache_bytes: usize,
    /// Where tables lie.
    data: PathBuf,
    opened: Mutex<Option<Opened>>,
}

/// Endgame tables that were opened for a game.
struct Opened {
    rules: Value,
    /// An `Arc<dyn Oracle<G>>` for the game's own type.
    oracle: Box<dyn Any + Send>,
}

impl Contestant {
    /// Reads a player's text and loads its network, if it has one.
    pub fn load(text: &str, data: &Path) -> anyhow::Result<Self> {
        let spec: PlayerSpec = text.parse()?;
        let brain = match &spec {
            PlayerSpec::Model { path, .. } => Some(Brain::load(path, data)?),
            _ => None,
        };
        let data = data.to_path_buf();
        Ok(Self { spec, brain, cache_bytes: CACHE_BYTES, data, opened: Mutex::default() })
    }

    /// The most animals of the endgame tables that it asks, if it asks any.
    pub fn tables(&self) -> Option<u32> {
        match self.spec {
            PlayerSpec::Model { tables, .. } => tables,
            _ => None,
        }
    }

    /// The endgame tables that it asks in this game, if it asks any. They are read once and then
    /// shared by all its players.
    pub fn open_tables<G: Game>(&self, game: &G) -> Result<Option<Arc<dyn Oracle<G>>>, OpenError> {
        let Some(most) = self.tables() else { return Ok(None) };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = game.rules();
        if let Some(of_game) = opened.as_ref().filter(|opened| opened.rules == rules)
            && let Some(oracle) = of_game.oracle.downcast_ref::<Arc<dyn Oracle<G>>>()
        {
            return Ok(Some(Arc::clone(oracle)));
        }
        let oracle = whole_oracle(game, &self.data, most as usize)?;
        *opened = Some(Opened { rules, oracle: Box::new(Arc::clone(&oracle)) });
        Ok(Some(oracle))
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
        let not_ready =
            |reason: String| PlayerError::NotReady { name: self.spec.to_string(), reason };
        let oracle = self.open_tables(game).map_err(|error| not_ready(error.to_string()))?;
        let plan = |visits| Plan { visits, leaves: 1, explore: false, seed: 0 };
        let player = |search, evaluator: Box<dyn Evaluator<G>>, visits| {
            let search = search::make_with(&search, oracle);
            Box::new(SearchPlayer::new(self.spec.to_string(), search, evaluator, plan(visits)))
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
                    .map_err(|error| not_ready(error.to_string()))?;
                let cached = CachedEvaluator::new(game, network, self.cache_bytes);
                Ok(player(search, Box::new(cached), visits.unwrap_or(DEFAULT_VISITS)))
            }
            _ => Err(not_ready(String::from("it has no network"))),
        }
    }
}

/// The game to be played: what was asked for, else the first model's, else the default; every
/// model must know it, and the endgame tables that players ask must be there.
pub fn common_game(asked: Option<AnyGame>, contestants: &[&Contestant]) -> anyhow::Result<AnyGame> {
    let mut brains = contestants.iter().filter_map(|contestant| contestant.brain());
    let game = match (asked, brains.clone().next()) {
        (Some(game), _) => game,
        (None, Some(brain)) => brain.build_game()?,
        (None, None) => registry::build("jungle", None, &Map::new())?,
    };
    crate::with_game!(&game, game => {
        brains.try_for_each(|brain| brain.check(game))?;
        contestants.iter().try_for_each(|one| one.open_tables(game).map(drop))
    })
    .map_err(tables::opened)?;
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
            network: card.network.clone(),
            search: card.search.clone(),
            taught_by_tables: card.taught_by_tables(),
            codec_version: card.codec_version,
            made_by: card.made_by.clone(),
            card: Some((folder.to_path_buf(), card)),
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
            network: state.network,
            taught_by_tables: Some(
                config.config.selfplay.taught_by_tables()
                    || manifest.ancestry.iter().any(|ancestor| ancestor.taught_by_tables),
            ),
            search: config.config.search,
            codec_version: manifest.codec_version,
            made_by: format!("menagerie {}", manifest.package),
            card: None,
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
    pub fn check<G: Encode>(&self, game: &G) -> anyhow::Result<()> {
        if self.game != game.name() {
            let (name, knows, asked) = (&self.name, &self.game, game.name());
            return Err(Unusable(format!("{name} knows {knows}, not {asked}")).into());
        }
        nn::check_codec::<G>(&self.game, self.codec_version, &self.made_by)?;
        let (knows, needs) = (self.weights.shape(), game.shape());
        let sizes = [knows, &needs].map(|shape| format!("{} × {}", shape.width, shape.height));
        if sizes[0] != sizes[1] {
            return Err(Unusable(format!(
                "{} was made for a board of {}; these rules have one of {}",
                self.name, sizes[0], sizes[1]
            ))
            .into());
        }
        if *knows != needs {
            let what = format!("{} was made for {knows}; these rules have {needs}", self.name);
            return Err(Unusable(what).into());
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
    let champion = match Champion::load(layout) {
        // Which state plays can be told from the states, too.
        Err(damage @ ManifestError::Damaged { .. }) => {
            let newest = run::state::newest(layout)?.state;
            let (_, card) = newest.ok_or_else(|| Unusable(damage.to_string()))?;
            let damage = damage.to_string();
            let (damage, step) = (damage.lines().next().unwrap_or_default(), card.step);
            note!("note: {damage}: the newest state plays, that after {step} steps");
            Some(Champion { step, generation: card.generation })
        }
        champion => champion?,
    };
    let Some(champion) = champion else {
        return Err(Unusable(format!(
            "the run {} has no weights yet: it was stopped before its first state ({})",
            layout.root().display(),
            manifest.created
        ))
        .into());
    };
    let path = layout.state(champion.step).join(crate::train::STATE_FILE);
    match State::load(&path) {
        Err(StateError::Disk(error)) if error.is_missing() => Err(Unusable(format!(
            "{} names the state after {} steps, but there is no {}; `train` names the newest state \
             again",
            layout.champion().display(),
            champion.step,
            path.display()
        ))
        .into()),
        state => Ok(state?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::{Rulebook, Tables, Value as Worth, store, sweep::sweep};
    use crate::game::jungle::{Jungle, Rules};
    use crate::game::{Line, Side};
    use crate::nn::{Card, Net};
    use crate::rng;
    use rand::RngExt;

    /// A folder with an untrained model `model` and no tables.
    fn folder(game: &Jungle) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let network = NetworkSettings { blocks: 1, channels: 8, ..NetworkSettings::default() };
        let net = Net::init(game.shape(), &network, 1, &nn::cpu()).unwrap();
        let card = Card::new(game, &network, &SearchSettings::default());
        nn::save(&folder.path().join("model"), &net, &card, false).unwrap();
        folder
    }

    fn solve(game: &Jungle, data: &Path) -> PathBuf {
        let book = Rulebook::new(game).unwrap();
        let dir = crate::endgame::probe::folder(data, &book);
        sweep(&book, &book.signatures(2), &dir, 2, None, &()).unwrap();
        dir
    }

    fn contestant(folder: &Path, options: &str) -> Contestant {
        let model = folder.join("model");
        Contestant::load(&format!("{}{options}", model.display()), folder).unwrap()
    }

    #[test]
    fn with_tables_nothing_is_played_that_they_prove_worse() {
        let game = Jungle::new(Rules::default()).unwrap();
        let folder = folder(&game);
        solve(&game, folder.path());
        let tables = Tables::open_all(&game, folder.path(), 2).unwrap();
        let held = tables.held();
        let with = contestant(folder.path(), ":visits=4:tables=2");
        common_game(None, &[&with]).unwrap();
        let (mut with, without) = (with.player(&game).unwrap(), contestant(folder.path(), ""));
        let mut without = without.player(&game).unwrap();
        without.set_visits(4);
        assert!(with.name().ends_with(":visits=4:tables=2"));
        let mut stream = rng::stream(8, "players test", 0);
        let (mut asked, mut worse) = (0, 0);
        while asked < 200 {
            let table = &held[stream.random_range(0..held.len())];
            let side = Side::BOTH[stream.random_range(0..2)];
            let entry = stream.random_range(0..table.entries());
            let Some(position) = table.position(&game, side, entry) else { continue };
            let line = Line::from_position(&game, position);
            if line.outcome().is_some() {
                continue;
            }
            let exact = tables.probe(line.position()).unwrap();
            let played = |player: &mut dyn Player<Jungle>| {
                player.begin(0);
                let action = player.choose(&line).unwrap().action;
                let moves = tables.moves(line.position());
                moves.into_iter().find(|known| known.0 == action).unwrap().1.unwrap()
            };
            assert_eq!(played(with.as_mut()), exact);
            worse += u32::from(exact.value == Worth::Win && played(without.as_mut()) != exact);
            asked += 1;
        }
        assert!(worse > 20, "{worse}");
    }

    #[test]
    fn tables_that_cannot_be_asked_are_told() {
        let game = Jungle::new(Rules::default()).unwrap();
        let folder = folder(&game);
        let with = contestant(folder.path(), ":tables=2");
        let error = |asked: Option<AnyGame>| {
            let error = common_game(asked, &[&with]).err().unwrap();
            (error.to_string(), super::super::exit::code(&error))
        };
        let (told, code) = error(None);
        assert!(told.contains("36 of the 36 tables") && told.contains("`solve --pieces 2`"));
        assert_eq!(code, super::super::exit::DATA);
        let dir = solve(&game, folder.path());
        common_game(None, &[&contestant(folder.path(), ":tables=2")]).unwrap();
        // A damaged table, and one of other rules.
        let present = store::present(&dir).unwrap();
        let path = store::path(&dir, &present[7]);
        let sound = std::fs::read(&path).unwrap();
        let mut damaged = sound.clone();
        damaged[sound.len() / 2] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        let (told, code) = error(None);
        assert!(told.contains(&format!("{}.table", present[7])), "{told}");
        assert_eq!(code, super::super::exit::DATA);
        let leiden = Jungle::new(Rules::preset("leiden").unwrap()).unwrap();
        let foreign = store::path(&solve(&leiden, folder.path()), &present[7]);
        std::fs::copy(foreign, &path).unwrap();
        let (told, code) = error(None);
        assert!(told.contains("other rules") && told.contains(".table"), "{told}");
        assert_eq!(code, super::super::exit::DATA);
        // Rules without tables.
        let netcan = registry::build("jungle", Some("netcan"), &Map::new()).unwrap();
        let (told, code) = error(Some(netcan));
        assert!(told.contains("these rules have no tables"), "{told}");
        assert_eq!(code, super::super::exit::USAGE);
        // Another game.
        let celestial = crate::game::celestial::Celestial::default();
        let error = with.open_tables(&celestial).unwrap_err();
        let error = tables::opened(error);
        assert!(error.to_string().contains("celestial has none"), "{error}");
        assert_eq!(super::super::exit::code(&error), super::super::exit::USAGE);
    }
}
