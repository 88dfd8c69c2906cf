//! One thin file per subcommand: arguments in, a room's function called, a few lines printed.

#![deny(clippy::print_stdout, clippy::print_stderr)]

/// Prints a line. A reader that went away or a full disk is an error of the command, no panic.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout().lock(), $($words)*)?
    }};
}

/// Says a line on standard error. Nobody can be told that it was not said.
macro_rules! note {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($words)*);
    }};
}

mod bench;
mod check;
mod config;
mod duel;
mod environment;
mod exit;
mod experiment;
mod export;
mod fork;
mod game;
mod interrupt;
mod man;
mod memory;
mod outset;
mod pack;
mod perft;
mod play;
mod players;
mod probe;
mod rules;
mod runs;
mod show;
mod status;
mod solve;
mod suite;
mod tables;
mod train;
mod truth;

pub use exit::Interrupted;

use clap::{CommandFactory, Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Trains players of the animal chess family by self-play, measures them, and plays against you.
#[derive(Parser, Debug)]
#[command(name = "menagerie", version, max_term_width = 100, after_help = exit::CODES)]
struct Cli {
    /// Where runs lie.
    #[arg(long, global = true, default_value = "data", value_name = "DIR")]
    data: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Train a model from scratch by self-play, or go on with a run.
    Train(train::TrainArgs),
    /// Say how a run is doing, in plain words.
    Status(status::StatusArgs),
    /// Compare variants of a config at equal CPU time.
    Experiment(experiment::ExperimentArgs),
    /// Make a new run out of a run's state or a model.
    Fork(fork::ForkArgs),
    /// Pack a run into one file.
    Pack(pack::PackArgs),
    /// Unpack a run that was packed.
    Unpack(pack::UnpackArgs),
    /// Let two players play many games against each other.
    Match(duel::MatchArgs),
    /// Play against a model or another player.
    Play(play::PlayArgs),
    /// Show what a model, a run or a shard is.
    Show(show::ShowArgs),
    /// List the runs.
    Runs(runs::Args),
    /// Make a model folder of a run.
    Export(export::ExportArgs),
    /// Print every configuration key with its default and meaning.
    Config(config::Args),
    /// Show the rules of a game: options, their values and meanings, presets.
    Rules(rules::RulesArgs),
    /// Replay case files against the rules.
    Check(check::CheckArgs),
    /// Count the leaves of the tree of actions.
    Perft(perft::PerftArgs),
    /// Measure how fast this program is on this machine.
    Bench(bench::BenchArgs),
    /// Make endgame tables of Jungle: every position with few animals, solved exactly.
    Solve(solve::SolveArgs),
    /// Ask the endgame tables for the exact value of a position and of all its moves.
    Probe(probe::ProbeArgs),
    /// Measure a model against the exact values of endgame tables.
    Truth(truth::TruthArgs),
    /// Let a player look for the one winning move in the positions of a suite.
    Suite(suite::SuiteArgs),
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or that of a command.
    Man(man::ManArgs),
}

/// The program: parses the command line, runs a command, turns its error into a message and an
/// exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output with code 0, misuse to standard error with 2.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::OK });
        }
    };
    match run(cli) {
        Ok(()) => ExitCode::from(exit::OK),
        Err(error) => {
            if !exit::is_silent(&error) {
                note!("error: {}", exit::told(&error));
            }
            ExitCode::from(exit::code(&error))
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    environment::check()?;
    let data = cli.data;
    match cli.command {
        Command::Train(args) => train::run(&args, &data),
        Command::Status(args) => status::run(&args, &data),
        Command::Experiment(args) => experiment::run(&args, &data),
        Command::Fork(args) => fork::run(&args, &data),
        Command::Pack(args) => pack::pack(&args, &data),
        Command::Unpack(args) => pack::unpack(&args, &data),
        Command::Match(args) => duel::run(&args, &data),
        Command::Play(args) => play::run(&args, &data),
        Command::Show(args) => show::run(&args, &data),
        Command::Runs(args) => runs::run(&args, &data),
        Command::Export(args) => export::run(&args, &data),
        Command::Config(args) => config::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Check(args) => match check::run(&args)? {
            true => Ok(()),
            false => Err(exit::Mismatches.into()),
        },
        Command::Perft(args) => perft::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Solve(args) => solve::run(&args, &data),
        Command::Probe(args) => probe::run(&args, &data),
        Command::Truth(args) => truth::run(&args, &data),
        Command::Suite(args) => suite::run(&args, &data),
        Command::Completions { shell } => {
            // The generator panics where it cannot write: it writes into memory.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "menagerie", &mut script);
            Ok(std::io::stdout().write_all(&script)?)
        }
        Command::Man(args) => man::run(&args, Cli::command()),
    }
}
