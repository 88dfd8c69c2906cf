//! `bench`: how fast this program is on this machine, as a table or as JSON; and `--tune`, what
//! suits this machine.

use super::exit::Usage;
use super::game::{self, HouseRules};
use super::train::quick;
use crate::bench::tune::{Run, Suggestion};
use crate::bench::{BenchError, Plan, Report, Size, model};
use crate::config::{Config, Loaded, load, to_toml};
use crate::disk::atomic;
use crate::game::registry::{self, AnyGame};
use crate::nn::board_conv::Instructions;
use crate::nn::check_size;
use crate::ui::progress;
use crate::with_game;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The rules: leaves of the tree of actions from the start
    Rules,
    /// The engine: evaluations by size, batch and threads, and the share of the peak
    Network,
    /// One search on one thread: simulations, and the share of time in the network
    Search,
    /// Self-play without the learner: positions, evaluations, share in the network, busy cores
    Selfplay,
    /// The learner: samples
    Training,
    /// Memory of this process after the other parts
    Memory,
    /// Fixed searches: a number that names the search's behaviour
    Signature,
}

/// Measure how fast this program is on this machine
///
/// Every figure is the median of some rounds; the JSON has the least and the greatest, too.
/// `rules`, `search` and `selfplay` measure every game unless one is given, `network` and
/// `training` Jungle. Settings of searches and self-play are taken from `--set`.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("game", |arg| arg.help("The game; every game if absent, or jungle, as told above")))]
#[command(mut_arg("sets", |arg| arg.help("One option or setting: rules.key=value, section.key=value; may be repeated")))]
pub struct BenchArgs {
    /// What to measure; everything if absent
    #[arg(value_name = "PART")]
    pub parts: Vec<Part>,
    /// Sizes of the network, blocks x channels
    #[arg(long = "size", value_name = "BxC", value_delimiter = ',', default_value = "3x32")]
    pub sizes: Vec<Size>,
    /// Positions in one call of the engine
    #[arg(long = "batch", value_name = "N", value_delimiter = ',', default_value = "1,8,64,256", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub batches: Vec<u32>,
    /// Threads
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: Vec<u32>,
    /// Self-play's evaluation cache on each thread; 0 is none
    #[arg(long = "cache-mib", value_name = "MIB", value_delimiter = ',', default_value = "0", value_parser = clap::value_parser!(u32).range(0..=65_536))]
    pub caches_mib: Vec<u32>,
    /// Rounds whose median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Length of a round
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = seconds)]
    pub seconds: f64,
    /// Write the figures as JSON into this file; `-` prints them instead of the table
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Kernels to use: avx512, avx2 or portable; the fastest if absent
    #[arg(long, value_name = "SET", value_parser = instructions)]
    pub instructions: Option<Instructions>,
    /// Find what suits this machine, and nothing else unless parts are given: games in flight,
    /// threads, size of the network
    #[arg(long)]
    pub tune: bool,
    /// With --tune: hours that the run is to take
    #[arg(long, value_name = "H", default_value = "1", requires = "tune", value_parser = hours)]
    pub hours: f64,
    /// With --tune: write a config for `train` into this file (Jungle's quick config, or the
    /// defaults for another game, with what was found). With `network` and one size: write a new
    /// model with sample answers into this folder
    #[arg(long, value_name = "PATH")]
    pub write: Option<PathBuf>,
    /// Replace what `--write` finds
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub house: HouseRules,
}

fn seconds(text: &str) -> Result<f64, String> {
    positive(text, 3600.0, "seconds")
}

fn hours(text: &str) -> Result<f64, String> {
    positive(text, 1e6, "hours")
}

fn positive(text: &str, most: f64, unit: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= most => Ok(number),
        _ => Err(format!("right is a number of {unit} above 0, at most {most}")),
    }
}

fn instructions(text: &str) -> Result<Instructions, String> {
    Instructions::named(text).ok_or_else(|| {
        let names: Vec<&str> = Instructions::available().iter().map(|set| set.name()).collect();
        format!("this processor has {}", names.join(", "))
    })
}

/// Measures, then prints or writes.
pub fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let loaded = settings(args)?;
    let game = game::build(&loaded)?;
    check(args, &game)?;
    if let Some(instructions) = args.instructions
        && !instructions.choose()
    {
        return Err(Usage(String::from("other kernels are in use already")).into());
    }
    let plan = plan(args);
    if let (Some(dir), [size], false) = (&args.write, &args.sizes[..], args.tune) {
        with_game!(&game, game => model::write(game, *size, dir, args.force))?;
    }
    let progress = progress::to_stderr();
    let mut report = Report::begin(&plan);
    for part in parts(args) {
        progress.begin(&format!("measuring: {part:?}").to_lowercase(), "", None);
        measure(part, &mut report, args, &loaded.config, &game, &plan)?;
        progress.end("");
    }
    if args.tune {
        progress.begin("tuning", "", None);
        let Config { search, selfplay, learn, replay, .. } = &loaded.config;
        let run = Run { search, selfplay, learn, reuse: replay.reuse, hours: args.hours };
        with_game!(&game, game => report.tune(game, &run, &plan))?;
        progress.end("");
    }
    drop(progress);
    // Told before it is written: a disk that refuses does not lose the figures.
    tell_report(args, &report)?;
    if let (Some(tuning), Some(file)) = (&report.tune, &args.write) {
        let text = to_toml(&with(&loaded.config, &tuning.suggestion))?;
        atomic::write(file, text.as_bytes())?;
    }
    Ok(())
}

/// Measures one part.
fn measure(
    part: Part,
    report: &mut Report,
    args: &BenchArgs,
    config: &Config,
    game: &AnyGame,
    plan: &Plan,
) -> anyhow::Result<()> {
    let Config { search, selfplay, learn, .. } = config;
    match part {
        Part::Rules => report.rules(&games(args, game)?, plan),
        Part::Network => with_game!(game, game => report.network(game, plan))?,
        Part::Search => {
            for game in games(args, game)? {
                with_game!(&game, game => report.search(game, search, plan))?;
            }
        }
        Part::Selfplay => {
            for game in games(args, game)? {
                with_game!(&game, game => report.selfplay(game, selfplay, search, plan))?;
            }
        }
        Part::Training => with_game!(game, game => report.training(game, learn, plan))?,
        Part::Memory => report.memory(),
        Part::Signature => report.signature()?,
    }
    Ok(())
}

/// The game and the settings that the command asks for.
fn settings(args: &BenchArgs) -> anyhow::Result<Loaded<Config>> {
    let sources = args.house.sources();
    let loaded = load::<Config>(&sources)?;
    if args.tune && loaded.config.game.name == "jungle" { quick(sources) } else { Ok(loaded) }
}

/// The game that was asked for, or all.
fn games(args: &BenchArgs, game: &AnyGame) -> anyhow::Result<Vec<AnyGame>> {
    if args.house.is_given() {
        return Ok(vec![game.clone()]);
    }
    let none = serde_json::Map::new();
    let games = registry::names().into_iter().map(|name| registry::build(name, None, &none));
    Ok(games.collect::<Result<_, _>>()?)
}

/// The parts to measure; memory comes last, when the others have taken theirs.
fn parts(args: &BenchArgs) -> Vec<Part> {
    let mut parts = match (args.parts.is_empty(), args.tune) {
        (true, true) => Vec::new(),
        (true, false) => Part::value_variants().to_vec(),
        _ => args.parts.clone(),
    };
    parts.sort_by_key(|&part| part == Part::Memory);
    parts
}

fn plan(args: &BenchArgs) -> Plan {
    Plan {
        sizes: args.sizes.clone(),
        batches: args.batches.iter().map(|&batch| batch as usize).collect(),
        threads: args.threads.iter().map(|&threads| threads as usize).collect(),
        caches_mib: args.caches_mib.clone(),
        rounds: args.rounds as usize,
        seconds: args.seconds,
    }
}

/// Misuse that clap cannot see.
fn check(args: &BenchArgs, game: &AnyGame) -> anyhow::Result<()> {
    let shape = with_game!(game, game => crate::codec::Encode::shape(game));
    for size in &args.sizes {
        check_size(&shape, &size.settings()).map_err(BenchError::Net)?;
    }
    let Some(path) = &args.write else { return Ok(()) };
    if !args.tune && !parts(args).contains(&Part::Network) {
        let text = "`--write` belongs to `--tune` or to the part `network`";
        return Err(Usage(String::from(text)).into());
    }
    if !args.tune && args.sizes.len() != 1 {
        let sizes: Vec<String> = args.sizes.iter().map(Size::to_string).collect();
        let given = sizes.join(",");
        return Err(Usage(format!("`--write` takes one size; `--size {given}` has more")).into());
    }
    // Nothing is overwritten unasked.
    if path.exists() && !args.force {
        let path = path.display();
        return Err(Usage(format!(
            "`{path}` exists already: choose another name, or replace it with `--force`"
        ))
        .into());
    }
    if !args.tune && path.exists() && !path.join(crate::nn::CARD_FILE).exists() {
        let path = path.display();
        return Err(Usage(format!("{path} is there, but no model: nothing was touched")).into());
    }
    if args.tune && path.is_dir() {
        return Err(Usage(format!("`{}` is a folder, a config is a file", path.display())).into());
    }
    Ok(())
}

/// A config with what was found.
fn with(config: &Config, found: &Suggestion) -> Config {
    let mut config = config.clone();
    config.train.hours = found.hours;
    config.train.threads = found.threads;
    config.network.blocks = found.blocks;
    config.network.channels = found.channels;
    config.selfplay.in_flight = found.in_flight;
    config
}

fn tell_report(args: &BenchArgs, report: &Report) -> anyhow::Result<()> {
    let json = || serde_json::to_string_pretty(report).map_err(BenchError::Json);
    match args.json.as_deref() {
        Some(path) if path == Path::new("-") => tell!("{}", json()?),
        file => {
            tell!("{}", report.to_string().trim_end());
            if let Some(file) = file {
                atomic::write(file, json()?.as_bytes())?;
            }
        }
    }
    Ok(())
}
