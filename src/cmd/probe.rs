//! `probe`: what the endgame tables say of a position and of its moves.

use super::game::HouseRules;
use super::tables;
use crate::endgame::{Exact, Oracle, Signature, Tables, Value};
use crate::game::{History, Notation};
use anyhow::bail;
use std::fmt::Write as _;
use std::path::Path;

/// Ask the endgame tables: the exact value of a position and of all its moves.
#[derive(Clone, Debug, clap::Args)]
pub struct ProbeArgs {
    /// The position text.
    #[arg(value_name = "POSITION")]
    pub position: String,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Prints value and distance, then each move with its own.
pub fn run(args: &ProbeArgs, data: &Path) -> anyhow::Result<()> {
    tell!("{}", answer(args, data)?.trim_end());
    Ok(())
}

fn answer(args: &ProbeArgs, data: &Path) -> anyhow::Result<String> {
    let game = tables::jungle(args.house.build()?)?;
    let position = game.parse_position(&args.position)?;
    let none = Tables::of_book(tables::rulebook(&game)?);
    let tables = match none.value(&position) {
        // It has ended, or one side has no animal.
        Some(_) => none,
        None => Tables::open_for(&game, data, &Signature::of(&position)).map_err(tables::opened)?,
    };
    let Some(exact) = tables.value(&position) else {
        bail!("position `{}` cannot arise in play, so no table holds it", args.position);
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
