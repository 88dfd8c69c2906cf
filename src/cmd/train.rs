//! `train`: begins a run, or goes on with it; the same command does both.

use super::config::OverrideArgs;
use super::exit::Interrupted;
use super::{game, interrupt};
use crate::arena::StaticEvaluation;
use crate::codec::Encode;
use crate::config::{Config, Loaded, Sources, load, to_toml};
use crate::disk::atomic;
use crate::game::Notation;
use crate::metrics::Progress;
use crate::run::{Layout, Manifest, Run};
use crate::train::{Finish, RunSettings, train};
use crate::ui::progress;
use crate::with_game;
use std::path::{Path, PathBuf};

/// The config that is taken when none is given: the one of the repository, so that the program
/// alone is enough.
const QUICK: &str = include_str!("../../configs/jungle-quick.toml");
const QUICK_NAME: &str = "jungle-quick";

/// Train a model from scratch by self-play, or go on with a run
///
/// The same command goes on where it was stopped or killed. Without a config the quick one for
/// Jungle is taken.
#[derive(Clone, Debug, clap::Args)]
pub struct TrainArgs {
    /// Config file, for a new run; `menagerie config` shows every key
    pub config: Option<PathBuf>,
    /// Name of the run; the config file's name if absent
    #[arg(long)]
    pub run: Option<String>,
    #[command(flatten)]
    pub overrides: OverrideArgs,
}

impl TrainArgs {
    fn name(&self) -> String {
        let stem = self.config.as_deref().and_then(Path::file_stem);
        let named = stem.map(|stem| stem.to_string_lossy().into_owned());
        self.run.clone().or(named).unwrap_or_else(|| String::from(QUICK_NAME))
    }

    /// Does the command say anything about settings, beside which run it is about?
    fn says_settings(&self) -> bool {
        self.config.is_some() || self.overrides.over(None) != Sources::default()
    }
}

pub fn run(args: &TrainArgs, data: &Path) -> anyhow::Result<()> {
    let name = args.name();
    let layout = Layout::new(data, &name)?;
    let exists = layout.manifest().exists();
    let loaded = if exists { resumed(args, &layout)? } else { asked(args)? };
    let any = game::build(&loaded)?;
    let stop = interrupt::flag()?;
    let progress = progress::to_stderr();
    with_game!(&any, game => {
        let mut run = open(game, &loaded, data, &name, exists, progress.as_ref())?;
        progress.say(&format!(
            "{} run {name} in {}",
            if exists { "going on with" } else { "beginning" },
            run.layout.root().display()
        ));
        match go_on(game, &loaded.config, &run, progress.as_ref(), &stop)? {
            Finish::Complete => {
                run.set_finished(true)?;
                drop(progress);
                farewell(&name, data);
                Ok(())
            }
            Finish::Interrupted => {
                drop(progress);
                eprintln!("stopped; nothing is lost. Go on with:\n  {}", again(&name, data));
                Err(Interrupted.into())
            }
        }
    })
}

/// The settings that the command asks for.
fn asked(args: &TrainArgs) -> anyhow::Result<Loaded<Config>> {
    if args.config.is_some() {
        return Ok(load(&args.overrides.over(args.config.clone()))?);
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(format!("{QUICK_NAME}.toml"));
    atomic::write(&file, QUICK.as_bytes())?;
    Ok(load(&args.overrides.over(Some(file)))?)
}

/// The settings of an existing run, with those changed that may change. Others that the command
/// asks for must agree with the run's.
fn resumed(args: &TrainArgs, layout: &Layout) -> anyhow::Result<Loaded<Config>> {
    let stored: Loaded<Config> =
        load(&Sources { file: Some(layout.config()), ..Sources::default() })?;
    if !args.says_settings() {
        return Ok(stored);
    }
    let mut asked = if args.config.is_some() {
        asked(args)?
    } else {
        load(&args.overrides.over(Some(layout.config())))?
    };
    let fixed = |config: &Config| {
        let mut config = config.clone();
        let train = &mut config.train;
        train.measure_every = 0;
        train.measure_games = 2;
        train.final_games = 2;
        train.measure_visits = 1;
        train.keep_states = 1;
        train.milestone_steps = 0;
        train.keep_games = true;
        train.generations = 1;
        config.arena = Default::default();
        config
    };
    let (was, now) = (to_toml(&fixed(&stored.config))?, to_toml(&fixed(&asked.config))?);
    if let Some((was, now)) = was.lines().zip(now.lines()).find(|(was, now)| was != now) {
        let key = was.split(" = ").next().unwrap_or("").to_string();
        return Err(asked
            .error(
                &key,
                format!(
                    "the run was begun with `{was}`, now `{now}` is asked for; only the number of \
                     generations, what is kept and how it is measured can change in a run: choose \
                     another name with --run for a new one, or leave the setting out"
                ),
            )
            .into());
    }
    asked.config.game = stored.config.game.clone();
    atomic::write(&layout.config(), to_toml(&asked.config)?.as_bytes())?;
    Ok(asked)
}

/// Creates or opens the run folder and takes its lock.
fn open<G: Encode + Notation>(
    game: &G,
    loaded: &Loaded<Config>,
    data: &Path,
    name: &str,
    exists: bool,
    progress: &dyn Progress,
) -> anyhow::Result<Run> {
    let config = &loaded.config;
    if exists {
        let run = Run::open(data, name)?;
        run.check(game, G::CODEC_VERSION)?;
        for leftover in &run.cleaned {
            progress.say(&format!("cleaned up after a killed process: {leftover}"));
        }
        return Ok(run);
    }
    let preset = config.game.chosen_preset();
    let manifest = Manifest::new(game, preset, G::CODEC_VERSION, config.train.seed);
    Ok(Run::create(data, name, &manifest, &to_toml(config)?)?)
}

fn go_on<G: Encode + Notation + StaticEvaluation>(
    game: &G,
    config: &Config,
    run: &Run,
    progress: &dyn Progress,
    stop: &std::sync::atomic::AtomicBool,
) -> Result<Finish, crate::train::TrainError> {
    let settings = RunSettings {
        train: &config.train,
        network: &config.network,
        search: &config.search,
        selfplay: &config.selfplay,
        replay: &config.replay,
        learn: &config.learn,
        loss: &config.loss,
        optimiser: &config.optimiser,
        schedule: &config.schedule,
        arena: &config.arena,
    };
    train(game, settings, &run.layout, progress, stop)
}

/// How this program was called, for lines that can be pasted.
fn program() -> String {
    let called = std::env::args().next().unwrap_or_else(|| String::from("menagerie"));
    if called.contains(' ') { format!("'{called}'") } else { called }
}

fn with_data(data: &Path) -> String {
    if data == Path::new("data") { String::new() } else { format!(" --data {}", data.display()) }
}

fn again(name: &str, data: &Path) -> String {
    format!("{} train --run {name}{}", program(), with_data(data))
}

/// What to do with a trained run.
fn farewell(name: &str, data: &Path) {
    let (program, data) = (program(), with_data(data));
    println!("the run {name} is complete. Next:");
    println!("  {program} play {name}{data}");
    println!("  {program} match {name} alphabeta:2 --games 100{data}");
    println!("  {program} export {name} --to models/{name}{data}");
}
