//! `match`: two players, many games.

use super::exit::{Interrupted, Usage};
use super::game::{self, GAME_OF_A_MODEL, HouseRules};
use super::interrupt;
use super::players::{Contestant, common_game};
use crate::arena::duel::{Duel, DuelPlan, duel};
use crate::arena::{ArenaSettings, StaticEvaluation};
use crate::codec::Encode;
use crate::disk::{DiskError, atomic};
use crate::game::Notation;
use crate::settings::Settings;
use crate::ui::progress;
use crate::with_game;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Let two players play many games against each other, from varied openings, each opening twice
/// with sides swapped.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("game", |arg| arg.help(GAME_OF_A_MODEL)))]
#[command(mut_arg("sets", |arg| arg.help("One option of the rules or setting of the arena: rules.key=value, arena.key=value; may be repeated")))]
pub struct MatchArgs {
    /// A model folder or a run (`:visits=64` sets its level), `random`, `greedy`,
    /// `alphabeta:DEPTH`, `rollout:VISITS` or `uniform:VISITS`.
    pub a: String,
    /// Its opponent, written the same way.
    pub b: String,
    /// Games, 200 if absent; an odd number is rounded up, since openings are played twice.
    #[arg(long, value_name = "N")]
    pub games: Option<u32>,
    /// Names the openings and every random choice.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads, 2 if absent; the result does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// A game of this many plies, 400 if absent, is cut and counts as a draw.
    #[arg(long, value_name = "N")]
    pub max_plies: Option<u32>,
    /// Print the result as JSON: `wins`, `draws`, `losses` and `score` of A, `elo`, `elo_low`,
    /// `elo_high` and more.
    #[arg(long)]
    pub json: bool,
    /// Write every game, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    pub games_to: Option<PathBuf>,
    /// Replace the file of games if it is there.
    #[arg(long, requires = "games_to")]
    pub replace: bool,
    #[command(flatten)]
    pub house: HouseRules,
}

pub fn run(args: &MatchArgs, data: &Path) -> anyhow::Result<()> {
    let loaded = args.house.load(&["arena"])?;
    let asked = game::build(&loaded)?;
    let settings = settings(args, loaded.config.arena);
    settings.check().map_err(|wrong| Usage(wrong.to_string()))?;
    let load = |text| Contestant::load(text, data).map(|it| it.on_threads(settings.threads));
    let (a, b) = (load(&args.a)?, load(&args.b)?);
    let game = common_game(args.house.is_given().then_some(asked), &[&a, &b])?;
    args.games_to.iter().try_for_each(|file| check_target(file, args.replace))?;
    let stop = interrupt::flag()?;
    with_game!(&game, game => play(game, &a, &b, &settings, args, &stop))
}

/// Refuses a file that could not be written, or should not be, before any game is played.
fn check_target(file: &Path, replace: bool) -> anyhow::Result<()> {
    let told = file.display();
    if file.exists() && !replace {
        return Err(Usage(format!(
            "`{told}` exists already: choose another name, or replace it with `--replace`"
        ))
        .into());
    }
    let is_folder = file.is_dir() || file.to_string_lossy().ends_with(std::path::is_separator);
    if is_folder || file.file_name().is_none() {
        return Err(Usage(format!("`{told}` is a folder, games are written to a file")).into());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    Ok(tempfile::tempfile_in(folder).map(drop).map_err(DiskError::on("write", file))?)
}

/// The settings of the arena, and what the flags say over them. Games are rounded up to pairs.
fn settings(args: &MatchArgs, set: ArenaSettings) -> ArenaSettings {
    let even = |games: u32| games.saturating_add(games % 2);
    ArenaSettings {
        games: even(args.games.unwrap_or(set.games)),
        threads: args.threads.unwrap_or(set.threads),
        max_plies: args.max_plies.unwrap_or(set.max_plies),
        ..set
    }
}

fn play<G: Encode + Notation + StaticEvaluation>(
    game: &G,
    a: &Contestant,
    b: &Contestant,
    settings: &ArenaSettings,
    args: &MatchArgs,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    for brain in [a, b].into_iter().filter_map(Contestant::brain) {
        if brain.plays_other_rules(game) {
            note!("note: {} was trained for other rules than these", brain.name);
        }
    }
    let progress = progress::to_stderr();
    let plan = DuelPlan {
        seed: args.seed,
        keep_games: args.games_to.is_some(),
        stop: Some(stop),
        ..DuelPlan::default()
    };
    let result =
        duel(game, &|| a.player(game), &|| b.player(game), settings, &plan, progress.as_ref())?;
    drop(progress);
    if args.json {
        tell!("{}", serde_json::to_string_pretty(&json(game, &result, args))?);
    } else {
        tell!("{}", result.summary());
    }
    // Told before it is written: a disk that refuses does not lose the result.
    if let Some(path) = &args.games_to {
        let lines = result.records.iter().map(serde_json::to_string);
        let text = lines.map(|line| Ok(line? + "\n")).collect::<anyhow::Result<String>>()?;
        atomic::write(path, text.as_bytes())?;
    }
    if result.interrupted { Err(Interrupted.into()) } else { Ok(()) }
}

/// The result with the keys that scripts rely on.
fn json<G: StaticEvaluation>(game: &G, duel: &Duel, args: &MatchArgs) -> serde_json::Value {
    let estimate = &duel.estimate;
    // Of no games nothing is known.
    let known = |value: f64| (duel.games > 0).then_some(value);
    serde_json::json!({
        "game": game.name(),
        "a": duel.a,
        "b": duel.b,
        "games": duel.games,
        "wins": duel.wins,
        "draws": duel.draws,
        "losses": duel.losses,
        "cut": duel.cut,
        "score": known(estimate.score),
        "score_low": known(estimate.score_low),
        "score_high": known(estimate.score_high),
        "elo": estimate.elo,
        "elo_low": estimate.elo_low,
        "elo_high": estimate.elo_high,
        "pairs": duel.pairs,
        "mean_plies": duel.mean_plies,
        "ms_per_move": duel.ms_per_move,
        "seed": args.seed,
        "evaluation_version": G::EVALUATION_VERSION,
        "interrupted": duel.interrupted,
    })
}
