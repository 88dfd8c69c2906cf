//! `probe`: what the endgame tables say of a position and of its moves.

use super::game::HouseRules;
use super::tables;
use crate::endgame::{Exact, MOST_ANIMALS, Oracle, Signature, Tables, Value, speed};
use crate::game::jungle::Jungle;
use crate::game::{History, Notation};
use anyhow::bail;
use std::fmt::Write as _;
use std::path::Path;

/// Ask the endgame tables: the exact value of a position and of all its moves.
#[derive(Clone, Debug, clap::Args)]
pub struct ProbeArgs {
    /// The position text.
    #[arg(value_name = "POSITION", required_unless_present = "speed")]
    pub position: Option<String>,
    /// Measure how fast the tables of up to so many animals answer in memory, on one thread.
    #[arg(long, value_name = "ANIMALS", conflicts_with = "position", value_parser = clap::value_parser!(u8).range(2..=MOST_ANIMALS as i64))]
    pub speed: Option<u8>,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Prints value and distance, then each move with its own.
pub fn run(args: &ProbeArgs, data: &Path) -> anyhow::Result<()> {
    let game = tables::jungle(args.house.build()?)?;
    if let Some(position) = &args.position {
        tell!("{}", answer(&game, position, data)?.trim_end());
    }
    if let Some(animals) = args.speed {
        for line in speeds(&game, usize::from(animals), data)? {
            tell!("{line}");
        }
    }
    Ok(())
}

/// Rounds of measuring, and probes in each.
const ROUNDS: u64 = 5;
const PROBES: u64 = 5_000_000;

fn speeds(game: &Jungle, animals: usize, data: &Path) -> anyhow::Result<Vec<String>> {
    let tables = Tables::open(game, data, animals).map_err(tables::opened)?;
    let held = tables.held();
    let bytes: usize = held.iter().map(|table| table.bytes()).sum();
    let mut rates: Vec<f64> = (0..ROUNDS)
        .filter_map(|round| speed::measure(&tables, PROBES, round))
        .map(|speed| speed.per_second() / 1e6)
        .collect();
    rates.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (rates.first(), rates.last()) else {
        bail!("the tables of {animals} animals hold no position");
    };
    let (asked, _) = tables::asked(&tables, game, animals);
    Ok(vec![
        format!("asked: {asked}"),
        format!("{} tables, {:.1} MiB in memory", held.len(), bytes as f64 / f64::from(1 << 20)),
        format!(
            "{:.2} million probes a second on one thread (median of {ROUNDS}; {least:.2} to \
             {most:.2})",
            rates[rates.len() / 2]
        ),
    ])
}

fn answer(game: &Jungle, text: &str, data: &Path) -> anyhow::Result<String> {
    let position = game.parse_position(text)?;
    let none = Tables::of_book(tables::rulebook(game)?);
    let tables = match none.value(&position) {
        // It has ended, or one side has no animal.
        Some(_) => none,
        None => Tables::open_for(game, data, &Signature::of(&position)).map_err(tables::opened)?,
    };
    let Some(exact) = tables.value(&position) else {
        bail!("position `{text}` cannot arise in play, so no table holds it");
    };
    let mut out = format!("{}\n", words(exact));
    let proven = tables.ask(&position, &History::default()).is_none_or(|advice| advice.proven);
    if !proven {
        out.push_str("the counts of this position may make it a draw before that\n");
    }
    for (action, exact) in tables.moves(&position) {
        let value = exact.map_or_else(|| "unknown".into(), words);
        let _ = writeln!(out, "{} {value}", game.action_text(&position, action));
    }
    Ok(out)
}

/// `won in 17 plies`.
fn words(exact: Exact) -> String {
    match exact.value {
        Value::Draw => exact.value.word().into(),
        value => format!("{} in {} plies", value.word(), exact.plies),
    }
}
