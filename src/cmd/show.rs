//! `show`: what a model, a run, a shard or one of its games is, in words.

use super::exit::{Unusable, Usage};
use crate::arena::rating::rounded;
use crate::game::registry::{self, AnyGame};
use crate::game::{Line, Notation, Side};
use crate::metrics::journal;
use crate::nn;
use crate::record::{End, GameRecord, Shard, shard, text};
use crate::run::{Layout, Manifest};
use crate::ui::board::{BoardStyle, Pieces, draw_board};
use crate::ui::chart;
use crate::ui::style::Colour;
use crate::with_game;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Show the card of a model, the state of a run, a shard of games, or one game in it.
#[derive(Clone, Debug, clap::Args)]
pub struct ShowArgs {
    /// A model folder, a run (by folder or name), or a shard file.
    pub what: String,
    /// Of a shard: the game with this number.
    #[arg(long, value_name = "NUMBER")]
    pub game: Option<u64>,
    /// Of a game: the board after so many plies; after the last if larger.
    #[arg(long, requires = "game")]
    pub ply: Option<u32>,
    /// As JSON: the card of a model, the manifest of a run; of a shard or game, lines in the format
    /// of the case files.
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &ShowArgs, data: &Path) -> anyhow::Result<()> {
    let path = PathBuf::from(&args.what);
    if path.join(nn::CARD_FILE).exists() {
        refuse_game(args, "model")?;
        return show_model(&path, args.json);
    }
    for folder in [path.clone(), data.join(&args.what)] {
        if folder.join("manifest.toml").exists() {
            refuse_game(args, "run")?;
            return show_run(&Layout::at(folder), args.json);
        }
    }
    if path.is_file() {
        return show_shard(&path, args);
    }
    let wrong = format!("{} is no model, no run and no shard", args.what);
    if path.exists() { Err(Unusable(wrong).into()) } else { Err(Usage(wrong).into()) }
}

/// Only shards have games to choose from.
fn refuse_game(args: &ShowArgs, what: &str) -> Result<(), Usage> {
    if args.game.is_none() {
        return Ok(());
    }
    let name = &args.what;
    Err(Usage(format!(
        "`--game` belongs to a shard; {name} is a {what} (shards lie in a run's `shards`)"
    )))
}

fn show_model(folder: &Path, json: bool) -> anyhow::Result<()> {
    // Loading checks the weights against the card.
    let (card, net) = nn::load(folder, &nn::cpu())?;
    if json {
        tell!("{}", serde_json::to_string_pretty(&card)?);
        return Ok(());
    }
    tell!("{}", toml::to_string_pretty(&card)?);
    tell!("# {} weights, sound", crate::nn::flat::read(&net).len());
    Ok(())
}

fn show_run(layout: &Layout, json: bool) -> anyhow::Result<()> {
    let manifest = Manifest::load(&layout.manifest())?;
    if json {
        tell!("{}", serde_json::to_string_pretty(&manifest)?);
        return Ok(());
    }
    tell!("{}", toml::to_string_pretty(&manifest)?);
    let entries = |room: &str| journal::read(&layout.metrics().join(format!("{room}.jsonl")));
    for (room, keys) in [
        ("learn", &["policy", "value", "policy_accuracy", "value_accuracy"][..]),
        ("selfplay", &["mean_plies", "draw_rate", "games_per_second"][..]),
    ] {
        let lines = entries(room)?;
        for key in keys {
            let values: Vec<f64> = lines.iter().filter_map(|line| line[key].as_f64()).collect();
            if let (Some(first), Some(last)) = (values.first(), values.last()) {
                let curve = chart::sparkline(&values, 40);
                // Rounded first: a loss of -0.0001 would read as -0.000.
                let [first, last] = [first, last].map(|value| rounded(*value, 3));
                tell!("{room:>8} {key:<16} {curve} {first:.3} -> {last:.3}");
            }
        }
    }
    for entry in entries("ladder")? {
        let rows = entry["ladder"]["rows"].as_array().cloned().unwrap_or_default();
        let scores = rows.iter().map(|row| {
            let score = 100.0 * row["estimate"]["score"].as_f64().unwrap_or(0.0);
            format!("{} {score:.0} %", row["opponent"].as_str().unwrap_or("?"))
        });
        let scores = scores.collect::<Vec<_>>().join(", ");
        tell!("generation {:>4}: {scores}", entry["generation"]);
    }
    Ok(())
}

fn show_shard(path: &Path, args: &ShowArgs) -> anyhow::Result<()> {
    let content = shard::read(path)?;
    let rules: serde_json::Value = serde_json::from_str(&content.header.rules)
        .with_context(|| format!("{}: the rules in its header are no JSON", path.display()))?;
    let rules = rules.as_object().cloned().unwrap_or_default();
    let any = registry::build(&content.header.game, None, &rules)?;
    match args.game {
        None => list_games(path, &content, &any, args.json),
        Some(number) => {
            let Some(record) = content.games.iter().find(|game| game.index == number) else {
                let found = match (content.games.first(), content.games.last()) {
                    (Some(first), Some(last)) => format!("{} to {}", first.index, last.index),
                    _ => String::from("none"),
                };
                let path = path.display();
                return Err(Unusable(format!("{path} has no game {number}, but {found}")).into());
            };
            with_game!(&any, game => show_game(game, record, args))
        }
    }
}

fn list_games(path: &Path, shard: &Shard, any: &AnyGame, json: bool) -> anyhow::Result<()> {
    if json {
        for record in &shard.games {
            tell!("{}", with_game!(any, game => text::export(game, record))?);
        }
        return Ok(());
    }
    let header = &shard.header;
    tell!(
        "{}: {} games of {}, generation {}, rules {}",
        path.display(),
        shard.games.len(),
        header.game,
        header.generation,
        header.rules_hash
    );
    for dropped in &shard.dropped {
        tell!("damaged: {}", dropped.why);
    }
    for record in &shard.games {
        tell!("game {}: {} plies, {}", record.index, record.actions.len(), ending(record));
    }
    Ok(())
}

fn show_game<G: Notation>(game: &G, record: &GameRecord, args: &ShowArgs) -> anyhow::Result<()> {
    if args.json {
        tell!("{}", text::export(game, record)?);
        return Ok(());
    }
    tell!("{}", text::transcript(game, record)?.trim_end());
    let replayed = record.replay(game)?;
    let mut line: Line<G> = replayed.line(game);
    let shown = args.ply.map_or(replayed.actions.len(), |ply| ply as usize);
    let mut last = None;
    for &action in replayed.actions.iter().take(shown) {
        last = Some(game.action_text(line.position(), action));
        line.play(action);
    }
    let style = BoardStyle { pieces: Pieces::Letters, colour: Colour::of(&std::io::stdout()) };
    tell!("\n{}", draw_board(&game.sketch(line.position()), style, last.as_deref()));
    tell!("after {} plies: {}", line.ply(), game.position_text(line.position()));
    Ok(())
}

/// How a recorded game ended, in words.
fn ending(record: &GameRecord) -> String {
    let won = |winner: &Option<Side>| match winner {
        Some(Side::First) => "the first side won",
        Some(Side::Second) => "the second side won",
        None => "drawn",
    };
    match &record.end {
        End::Finished { winner, reason, .. } => format!("{}, because {reason}", won(winner)),
        End::Adjudicated { winner, by, .. } => format!("{}, adjudicated by {by}", won(winner)),
        End::Cut => String::from("cut off without a result"),
    }
}
