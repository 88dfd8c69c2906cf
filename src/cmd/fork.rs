//! `fork`: a new run out of a run's state or a model.

use super::config::OverrideArgs;
use super::exit::{Unusable, Usage};
use super::game;
use super::memory;
use super::outset;
use super::status::{located, parted};
use super::train::{program, with_data};
use crate::codec::Encode;
use crate::config::{Config, Loaded, Sources, load, to_toml};
use crate::disk::atomic;
use crate::game::Notation;
use crate::learn::{State, Weights};
use crate::nn::{self, flat};
use crate::record::rules::{self, RulesHash};
use crate::run::{Ancestor, Layout, Manifest, Run, RunError};
use crate::train::{TrainError, fork};
use crate::with_game;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Make a new run out of a run's state or a model: with other settings, other rules, or another
/// network that first learns from the games that there are
#[derive(Clone, Debug, clap::Args)]
pub struct ForkArgs {
    /// The run, by folder or name, or a model folder.
    pub from: String,
    /// Config file of the new run; without one the settings of the old one hold, and of a model those
    /// on its card (rules, network, search).
    pub config: Option<PathBuf>,
    /// Name of the new run.
    #[arg(long, value_name = "NAME")]
    pub to: String,
    /// The state after this many steps; the newest if absent.
    #[arg(long)]
    pub step: Option<u64>,
    /// Take the games of the window along; so it is unless the rules differ.
    #[arg(long, conflicts_with = "without_games")]
    pub with_games: bool,
    /// Begin with no games.
    #[arg(long)]
    pub without_games: bool,
    /// Steps on the games that came along, before any is played; a new network takes two samples
    /// for each position, the old one none.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    pub warm_up_steps: Option<u64>,
    #[command(flatten)]
    pub overrides: OverrideArgs,
}

/// What is forked.
struct Source {
    /// What its descendants call it.
    name: String,
    state: State,
    /// Where its games lie; a model has none.
    layout: Option<Layout>,
    game: String,
    rules: Value,
    codec_version: u32,
    settings: Config,
    /// Where it stood; its hash is found in its weights.
    stood: Stood,
    ancestry: Vec<Ancestor>,
}

/// What a source had done.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Stood {
    steps: u64,
    generation: u64,
    games: u64,
    taught_by_tables: bool,
    /// Only in the facts of a card.
    ancestry: Vec<Ancestor>,
}

pub fn run(args: &ForkArgs, data: &Path) -> anyhow::Result<()> {
    // The name before anything is done: it becomes a path.
    let new = Layout::new(data, &args.to)?;
    if new.manifest().exists() {
        return Err(RunError::Exists { name: args.to.clone() }.into());
    }
    let source = if Path::new(&args.from).join(nn::CARD_FILE).exists() {
        of_model(args)?
    } else {
        of_run(args, data)?
    };
    let loaded = settings(args, &source.settings)?;
    let any = game::build(&loaded)?;
    let games_before = source.layout.as_ref().map_or(0, |_| source.state.games);
    with_game!(&any, game => memory::check(&loaded, game, games_before, data))?;
    with_game!(&any, game => outset::check(&loaded, game, data))?;
    with_game!(&any, game => make(args, data, game, &loaded.config, &source))?;
    let (program, data) = (program(), with_data(data));
    tell!("the run {} is ready. Next:\n  {program} train --run {0}{data}", args.to);
    Ok(())
}

/// The settings of the new run.
fn settings(args: &ForkArgs, old: &Config) -> anyhow::Result<Loaded<Config>> {
    if args.config.is_some() {
        return Ok(load(&args.overrides.over(args.config.clone()))?);
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("settings.toml");
    atomic::write(&file, to_toml(old)?.as_bytes())?;
    Ok(load(&args.overrides.over(Some(file)))?)
}

fn of_run(args: &ForkArgs, data: &Path) -> anyhow::Result<Source> {
    let layout = located(data, &args.from)?;
    let name = parted(&layout).1;
    let manifest = Manifest::load(&layout.manifest())?;
    let loaded: Loaded<Config> =
        load(&Sources { file: Some(layout.config()), ..Sources::default() })?;
    let Some(state) = fork::source(&layout, args.step)? else {
        let steps = layout.list_states()?;
        let known: Vec<String> = steps.iter().map(u64::to_string).collect();
        let asked = args
            .step
            .map_or(String::from("no sound state"), |step| format!("no state after {step} steps"));
        let (from, known) = (&args.from, known.join(", "));
        return Err(Usage(format!("the run {from} has {asked}; there are: {known}")).into());
    };
    let rules = manifest.rule_record();
    let Manifest { game, codec_version, ancestry, .. } = manifest;
    let settings = loaded.config;
    let stood = Stood {
        steps: state.weights.steps,
        generation: state.generation,
        games: state.games,
        taught_by_tables: settings.selfplay.taught_by_tables(),
        ancestry: Vec::new(),
    };
    let layout = Some(layout);
    Ok(Source { name, state, layout, game, rules, codec_version, settings, stood, ancestry })
}

fn of_model(args: &ForkArgs) -> anyhow::Result<Source> {
    if args.with_games || args.step.is_some() {
        let wrong = "a model has no games and no states; fork its run for these";
        return Err(Usage(wrong.to_string()).into());
    }
    let (card, net) = nn::load(Path::new(&args.from), &nn::cpu())?;
    let weights = Weights::new(flat::read(&net));
    let (network, search) = (card.network.clone(), card.search.clone());
    let mut settings = Config { network, search, ..Config::default() };
    settings.game.name = card.game.clone();
    settings.game.rules = rules::to_toml(&card.rules);
    // The facts of a card are free: what is missing there is not known.
    let mut stood: Stood = card.training.try_into().unwrap_or_default();
    let ancestry = std::mem::take(&mut stood.ancestry);
    Ok(Source {
        name: args.from.clone(),
        state: State::first(card.shape, card.network, weights),
        layout: None,
        game: card.game,
        rules: card.rules,
        codec_version: card.codec_version,
        settings,
        stood,
        ancestry,
    })
}

fn make<G: Encode + Notation>(
    args: &ForkArgs,
    data: &Path,
    game: &G,
    config: &Config,
    source: &Source,
) -> anyhow::Result<()> {
    let from = &args.from;
    if source.game != game.name() {
        let (was, now) = (&source.game, game.name());
        return Err(Usage(format!("{from} plays {was}; it cannot become a run of {now}")).into());
    }
    if source.codec_version != G::CODEC_VERSION {
        let (was, now) = (source.codec_version, G::CODEC_VERSION);
        let what = format!("{from} has codec version {was}, this program has version {now}");
        return Err(Unusable(what).into());
    }
    let same_rules = RulesHash::of_record(&source.game, &source.rules) == RulesHash::of(game);
    if args.with_games && !same_rules {
        let what =
            format!("the games of {from} were played by other rules: leave --with-games out");
        return Err(Usage(what).into());
    }
    let has_games = source.layout.is_some() && source.state.games > 0;
    let with_games = has_games && same_rules && !args.without_games;
    let plan = fork::Fork {
        source: &source.state,
        with_games,
        network: &config.network,
        seed: config.train.seed,
        batch: config.learn.batch,
        warm_up: args.warm_up_steps,
    };
    if !plan.keeps_weights() && !with_games {
        let what = "another network can only learn from games, and there are none to take along: \
                    `train` begins a run from scratch";
        return Err(Usage(what.to_string()).into());
    }
    if !with_games && args.warm_up_steps.is_some_and(|steps| steps > 0) {
        let what = "there are no games to warm up on: leave --warm-up-steps out";
        return Err(Usage(what.to_string()).into());
    }
    let state = plan.state(game)?;
    let preset = config.game.chosen_preset();
    let mut manifest = Manifest::new(game, preset, G::CODEC_VERSION, config.train.seed);
    let parent = Ancestor {
        name: source.name.clone(),
        step: source.stood.steps,
        generation: source.stood.generation,
        games: source.stood.games,
        taught_by_tables: source.stood.taught_by_tables,
        hash: fork::model_hash(&source.state)?,
    };
    tell!("forking {parent}");
    manifest.ancestry = [&[parent], &source.ancestry[..]].concat();
    let games_of = source.layout.as_ref().filter(|_| with_games);
    Run::create_filled::<TrainError>(data, &args.to, &manifest, &to_toml(config)?, |layout| {
        fork::fill(&state, games_of, layout)
    })?;
    let weights = if plan.keeps_weights() { "its weights" } else { "a new network" };
    let games = if with_games {
        format!("the games {} to {}", state.window_first_game, state.games - 1)
    } else {
        String::from("no games")
    };
    tell!("{}: {weights}, {games}, {} steps of warm-up", args.to, state.warm_up);
    Ok(())
}
