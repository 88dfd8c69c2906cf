//! `train`: begins a run, or goes on with it; the same command does both.

use super::config::OverrideArgs;
use super::exit::{Interrupted, Unusable, Usage};
use super::{game, interrupt, memory, outset};
use crate::codec::Encode;
use crate::config::{Config, ConfigError, Loaded, Sources, load, to_toml};
use crate::disk::atomic;
use crate::game::Notation;
use crate::metrics::Progress;
use crate::nn;
use crate::run::{Layout, Manifest, Run, list};
use crate::settings::literal;
use crate::train::{Finish, RunSettings, TrainSettings, train};
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
    /// Config file, for a new run; jungle-quick's if absent. `menagerie config` shows every key
    pub config: Option<PathBuf>,
    /// Name of the run; the config file's name if absent
    #[arg(long)]
    pub run: Option<String>,
    #[command(flatten)]
    pub ends: Ends,
    #[command(flatten)]
    pub overrides: OverrideArgs,
}

/// What ends the run: the first that is used up. Each replaces the number of generations.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Ends {
    /// End after so many hours of work
    #[arg(long, value_name = "H", value_parser = some_time, allow_negative_numbers = true)]
    pub hours: Option<f64>,
    /// End after so many minutes of CPU time for self-play and learning
    #[arg(long, value_name = "M", value_parser = some_time, allow_negative_numbers = true)]
    pub cpu_minutes: Option<f64>,
    /// End after so many games, rounded up to whole generations
    #[arg(long, value_name = "N", value_parser = some_count, allow_negative_numbers = true)]
    pub games: Option<u64>,
    /// End with this step of the learner
    #[arg(long, value_name = "N", value_parser = some_count, allow_negative_numbers = true)]
    pub steps: Option<u64>,
}

/// A number of hours or minutes to work. In a config 0 is no limit; who writes an option wants one.
fn some_time(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(time) if time.is_finite() && time > 0.0 => Ok(time),
        _ => Err(String::from("a number above 0 is right; without the option there is no limit")),
    }
}

/// A number of games or steps to end with.
fn some_count(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(String::from(
            "a whole number above 0 is right; without the option there is no limit",
        )),
    }
}

impl Ends {
    /// As settings.
    fn sets(&self) -> Vec<String> {
        let set = |key: &str, value: String| format!("train.{key}={value}");
        let sets = [
            self.hours.map(|hours| set("hours", literal(&hours))),
            self.cpu_minutes.map(|minutes| set("cpu_minutes", literal(&minutes))),
            self.games.map(|games| set("games", literal(&games))),
            self.steps.map(|steps| set("steps", literal(&steps))),
        ];
        sets.into_iter().flatten().collect()
    }
}

impl TrainArgs {
    /// A config file, if any, and what the command says over it.
    fn over(&self, file: Option<PathBuf>) -> Sources {
        let mut sources = self.overrides.over(file);
        sources.sets.extend(self.ends.sets());
        sources
    }

    fn name(&self) -> String {
        let stem = self.config.as_deref().and_then(Path::file_stem);
        let named = stem.map(|stem| stem.to_string_lossy().into_owned());
        self.run.clone().or(named).unwrap_or_else(|| String::from(QUICK_NAME))
    }

    /// Does the command say anything about settings, beside which run it is about?
    fn says_settings(&self) -> bool {
        self.config.is_some() || self.over(None) != Sources::default()
    }
}

pub fn run(args: &TrainArgs, data: &Path) -> anyhow::Result<()> {
    let name = args.name();
    let layout = Layout::new(data, &name)?;
    let exists = layout.manifest().exists();
    refuse_mistaken(args, data, &layout)?;
    let loaded = if exists { resumed(args, &layout)? } else { asked(args)? };
    let games_before = if exists { inherited(&layout)? } else { 0 };
    let any = game::build(&loaded)?;
    let plan = with_game!(&any, game => memory::check(&loaded, game, games_before, data))?;
    if !exists {
        with_game!(&any, game => outset::check(&loaded, game, data))?;
    }
    let stop = interrupt::flag()?;
    let progress = progress::to_stderr();
    with_game!(&any, game => {
        let mut run = open(game, &loaded, data, &name, exists, progress.as_ref())?;
        keep(&loaded.config, &run.layout)?;
        progress.say(&format!(
            "{} run {name} in {}",
            if exists { "going on with" } else { "beginning" },
            run.layout.root().display()
        ));
        progress.say(&plan.to_string());
        // Going on with a finished run (towards more generations, say) makes it unfinished.
        run.set_finished(false)?;
        let finish = train(game, settings(&loaded.config), &run.layout, progress.as_ref(), &stop)?;
        run.set_finished(finish == Finish::Complete)?;
        match finish {
            Finish::Complete => {
                drop(progress);
                farewell(&name, data)
            }
            Finish::Interrupted | Finish::Paused => {
                drop(progress);
                note!("stopped; nothing is lost. Go on with:\n  {}", again(&name, data));
                Err(Interrupted.into())
            }
        }
    })
}

/// Refuses what is most likely a slip: a run's name where a config file should stand, and a name
/// that is nearly that of a run where nothing says that a new one is wanted.
fn refuse_mistaken(args: &TrainArgs, data: &Path, layout: &Layout) -> anyhow::Result<()> {
    let exists = layout.manifest().exists();
    let (name, program, data_option) = (args.name(), program(), with_data(data));
    if let Some(file) = args.config.as_deref().filter(|file| !file.exists()) {
        return if exists {
            Err(Usage(format!(
                "there is no config file {}, but there is a run {name}; go on with it:\n  \
                 {program} train --run {name}{data_option}",
                file.display()
            ))
            .into())
        } else {
            Ok(())
        };
    }
    if exists || args.config.is_some() || args.run.is_none() {
        return Ok(());
    }
    let runs = list(data)?;
    match runs.iter().find(|run| is_slip(&name, &run.name)) {
        Some(known) => Err(Usage(format!(
            "there is no run {name} in {}, but there is a run {known}; go on with it:\n  {program} \
             train --run {known}{data_option}\nor give a config file for a new run:\n  {program} \
             train CONFIG --run {name}{data_option}",
            data.display(),
            known = known.name
        ))
        .into()),
        None => Ok(()),
    }
}

/// Is `name` probably a slip for `known`? One sign may differ in a short name, two in one of six or
/// more; names that differ in their digits alone are numbered on purpose.
fn is_slip(name: &str, known: &str) -> bool {
    let letters =
        |name: &str| name.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>();
    let allowed = if name.len() < 6 { 1 } else { 2 };
    name.len() > 2
        && letters(name) != letters(known)
        && strsim::damerau_levenshtein(name, known) <= allowed
}

/// Writes the settings of a run that this process holds, where they have changed.
fn keep(config: &Config, layout: &Layout) -> anyhow::Result<()> {
    let (path, text) = (layout.config(), to_toml(config)?);
    let stored: Loaded<Config> = load(&Sources { file: Some(path.clone()), ..Sources::default() })?;
    if to_toml(&stored.config)? != text {
        atomic::write(&path, text.as_bytes())?;
    }
    Ok(())
}

/// The games that a run may have taken along when it was forked.
fn inherited(layout: &Layout) -> anyhow::Result<u64> {
    let manifest = Manifest::load(&layout.manifest())?;
    Ok(manifest.ancestry.first().map_or(0, |parent| parent.games))
}

/// The settings that the command asks for.
fn asked(args: &TrainArgs) -> anyhow::Result<Loaded<Config>> {
    if args.config.is_some() {
        return Ok(load(&args.over(args.config.clone()))?);
    }
    quick(args.over(None))
}

/// The quick config, with these settings over it.
pub fn quick(sources: Sources) -> anyhow::Result<Loaded<Config>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(format!("{QUICK_NAME}.toml"));
    atomic::write(&file, QUICK.as_bytes())?;
    Ok(load(&Sources { file: Some(file), ..sources })?)
}

/// The settings of an existing run, with those changed that may change. Others that the command
/// asks for must agree with the run's. Writes nothing: another process may hold the run.
fn resumed(args: &TrainArgs, layout: &Layout) -> anyhow::Result<Loaded<Config>> {
    // What the folder is, before what it says: a damaged run is no wrong configuration.
    Manifest::load(&layout.manifest())?;
    if !layout.config().exists() {
        let root = layout.root().display();
        return Err(Unusable(format!("{root} is no whole run: it has no config.toml")).into());
    }
    let stored: Loaded<Config> =
        load(&Sources { file: Some(layout.config()), ..Sources::default() })?;
    if !args.says_settings() {
        return Ok(stored);
    }
    let mut asked =
        if args.config.is_some() { asked(args)? } else { load(&args.over(Some(layout.config())))? };
    if let Some((key, was, now)) = first_fixed_difference(&stored.config, &asked.config)? {
        let (name, program) = (args.name(), program());
        return Err(asked
            .error(
                &key,
                format!(
                    "is {was} in the run {name}, and {now} is asked for. In a run only its end, \
                     what is kept, how it is measured and its alarms can change. To go on from its \
                     weights and games with another setting:\n  {program} fork {name} --to NEW \
                     --set {key}={now}\nor give another name with --run for a run from scratch"
                ),
            )
            .into());
    }
    asked.config.game = stored.config.game.clone();
    Ok(asked)
}

/// The first setting that cannot change in a run and differs: its key and both values.
fn first_fixed_difference(
    was: &Config,
    now: &Config,
) -> Result<Option<(String, String, String)>, ConfigError> {
    let fixed = |config: &Config| {
        let mut config = config.clone();
        let free = TrainSettings::default();
        let train = &config.train;
        config.train = TrainSettings { seed: train.seed, threads: train.threads, ..free };
        config.arena = Default::default();
        config.alarms = Default::default();
        to_toml(&config).map(|text| toml::from_str(&text).unwrap_or_default())
    };
    Ok(difference(&fixed(was)?, &fixed(now)?))
}

/// The first key whose value differs, as `learn.batch`, with both values.
fn difference(was: &toml::Table, now: &toml::Table) -> Option<(String, String, String)> {
    let keys: std::collections::BTreeSet<&String> = was.keys().chain(now.keys()).collect();
    let none = toml::Value::Table(toml::Table::new());
    keys.into_iter().find_map(|key| {
        let (old, new) = (was.get(key), now.get(key));
        let table = |value: Option<&toml::Value>| value.unwrap_or(&none).as_table().cloned();
        match (table(old), table(new)) {
            (Some(old), Some(new)) => {
                let (inner, old, new) = difference(&old, &new)?;
                Some((format!("{key}.{inner}"), old, new))
            }
            _ if old == new => None,
            _ => Some((key.clone(), told(old), told(new))),
        }
    })
}

fn told(value: Option<&toml::Value>) -> String {
    value.map_or_else(|| String::from("not set"), ToString::to_string)
}

/// Creates or opens the run folder and takes its lock.
pub fn open<G: Encode + Notation>(
    game: &G,
    loaded: &Loaded<Config>,
    data: &Path,
    name: &str,
    exists: bool,
    progress: &dyn Progress,
) -> anyhow::Result<Run> {
    nn::check_processor().map_err(|error| Unusable(error.to_string()))?;
    let config = &loaded.config;
    let device = config.learn.device.open();
    device.map_err(|error| loaded.error("learn.device", error.to_string()))?;
    if exists {
        let run = Run::open(data, name)?;
        run.check(game, G::CODEC_VERSION)?;
        run.check_seed(config.train.seed)?;
        for leftover in &run.cleaned {
            progress.say(&format!("cleaned up after a killed process: {leftover}"));
        }
        return Ok(run);
    }
    let preset = config.game.chosen_preset();
    let manifest = Manifest::new(game, preset, G::CODEC_VERSION, config.train.seed);
    Ok(Run::create(data, name, &manifest, &to_toml(config)?)?)
}

/// The settings of a run, section by section.
pub fn settings(config: &Config) -> RunSettings<'_> {
    RunSettings {
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
        alarms: &config.alarms,
    }
}

/// How this program was called, for lines that can be pasted.
pub fn program() -> String {
    let called = std::env::args().next().unwrap_or_else(|| String::from("menagerie"));
    if called.contains(' ') { format!("'{called}'") } else { called }
}

pub fn with_data(data: &Path) -> String {
    if data == Path::new("data") { String::new() } else { format!(" --data {}", data.display()) }
}

fn again(name: &str, data: &Path) -> String {
    format!("{} train --run {name}{}", program(), with_data(data))
}

/// What to do with a trained run.
fn farewell(name: &str, data: &Path) -> anyhow::Result<()> {
    let (program, data) = (program(), with_data(data));
    tell!("the run {name} is complete. Next:");
    tell!("  {program} play {name}{data}");
    tell!("  {program} match {name} alphabeta:2 --games 100{data}");
    tell!("  {program} export {name} --to models/{name}{data}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_names_that_are_meant() {
        for (name, known) in
            [("smok", "smoke"), ("somke", "smoke"), ("jungle-quik2", "jungle-quick")]
        {
            assert!(is_slip(name, known), "{name}");
        }
        for (name, known) in
            [("b", "a"), ("run2", "run1"), ("smoke2", "smoke"), ("wide", "deep"), ("tine", "smoke")]
        {
            assert!(!is_slip(name, known), "{name}");
        }
    }
}
