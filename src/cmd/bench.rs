//! `bench`: how fast this program is on this machine, as a table or as JSON.

use super::exit::Usage;
use super::game::HouseRules;
use crate::bench::{BenchError, Plan, Report, Size, model};
use crate::disk::atomic;
use crate::nn::board_conv::Instructions;
use crate::with_game;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The engine: evaluations by size, batch and threads
    Network,
    /// The learner: samples
    Training,
}

/// Measure how fast this program is on this machine
///
/// Every figure is the median of some rounds.
#[derive(Clone, Debug, clap::Args)]
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
    /// With `network` and one size: write a new model with sample answers into this folder
    #[arg(long, value_name = "PATH")]
    pub write: Option<PathBuf>,
    /// Replace what `--write` finds
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub house: HouseRules,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err(String::from("right is a number of seconds above 0, at most 3600")),
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
    let game = args.house.build()?;
    check(args)?;
    if let Some(instructions) = args.instructions
        && !instructions.choose()
    {
        return Err(Usage(String::from("other kernels are in use already")).into());
    }
    let plan = Plan {
        sizes: args.sizes.clone(),
        batches: args.batches.iter().map(|&batch| batch as usize).collect(),
        threads: args.threads.iter().map(|&threads| threads as usize).collect(),
        rounds: args.rounds as usize,
        seconds: args.seconds,
    };
    if let (Some(dir), [size]) = (&args.write, &args.sizes[..]) {
        with_game!(&game, game => model::write(game, *size, dir, args.force))?;
    }
    let mut report = Report::begin(&plan);
    for part in parts(args) {
        match part {
            Part::Network => with_game!(&game, game => report.network(game, &plan))?,
            Part::Training => with_game!(&game, game => report.training(game, &plan))?,
        }
    }
    tell_report(args, &report)
}

fn parts(args: &BenchArgs) -> Vec<Part> {
    if args.parts.is_empty() { Part::value_variants().to_vec() } else { args.parts.clone() }
}

/// Misuse that clap cannot see.
fn check(args: &BenchArgs) -> anyhow::Result<()> {
    let Some(path) = &args.write else { return Ok(()) };
    if !parts(args).contains(&Part::Network) {
        return Err(Usage(String::from("`--write` belongs to the part `network`")).into());
    }
    if args.sizes.len() != 1 {
        let sizes: Vec<String> = args.sizes.iter().map(Size::to_string).collect();
        let given = sizes.join(",");
        return Err(Usage(format!("`--write` takes one size; `--size {given}` has more")).into());
    }
    free(path, args.force)
}

/// Nothing is overwritten unasked.
fn free(path: &Path, force: bool) -> anyhow::Result<()> {
    if path.exists() && !force {
        let path = path.display();
        return Err(Usage(format!(
            "`{path}` exists already: choose another name, or replace it with `--force`"
        ))
        .into());
    }
    Ok(())
}

fn tell_report(args: &BenchArgs, report: &Report) -> anyhow::Result<()> {
    let json = || serde_json::to_string_pretty(report).map_err(BenchError::Json);
    match args.json.as_deref() {
        Some(path) if path == Path::new("-") => tell!("{}", json()?),
        file => {
            if let Some(file) = file {
                atomic::write(file, json()?.as_bytes())?;
            }
            tell!("{}", report.to_string().trim_end());
        }
    }
    Ok(())
}
