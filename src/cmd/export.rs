//! `export`: a run's weights as a model folder that is enough to play.

use super::exit::Usage;
use super::players::champion_state;
use super::status::located;
use crate::config::{Config, Sources, load};
use crate::game::registry;
use crate::learn::State;
use crate::metrics::journal;
use crate::nn::{self, Card, flat};
use crate::run::{Layout, Manifest};
use crate::train::STATE_FILE;
use crate::with_game;
use anyhow::bail;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Make a model folder of a run: weights and card, enough to play.
#[derive(Clone, Debug, clap::Args)]
pub struct ExportArgs {
    /// The run, by folder or name.
    pub run: String,
    /// The state after this many steps; the champion's if absent.
    #[arg(long)]
    pub step: Option<u64>,
    /// The model folder to make.
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Replace a model that stands there.
    #[arg(long)]
    pub replace: bool,
    /// A sentence for the card.
    #[arg(long, default_value = "")]
    pub note: String,
}

pub fn run(args: &ExportArgs, data: &Path) -> anyhow::Result<()> {
    let layout = located(data, &args.run)?;
    let manifest = Manifest::load(&layout.manifest())?;
    let state = match args.step {
        None => champion_state(&layout, &manifest)?,
        Some(step) => {
            let steps = layout.list_states()?;
            if !steps.contains(&step) {
                let known: Vec<String> = steps.iter().map(u64::to_string).collect();
                let known = known.join(", ");
                return Err(
                    Usage(format!("no state after {step} steps; there are: {known}")).into()
                );
            }
            State::load(&layout.state(step).join(STATE_FILE))?
        }
    };
    if args.to.exists() && !args.replace {
        let to = args.to.display();
        return Err(Usage(format!(
            "`{to}` exists already: choose another name, or replace it with `--replace`"
        ))
        .into());
    }
    if args.replace && args.to.exists() && !args.to.join(nn::CARD_FILE).exists() {
        bail!("{} is there, but no model: nothing was touched", args.to.display());
    }
    let rules = manifest.rule_record().as_object().cloned().unwrap_or_default();
    let game = registry::build(&manifest.game, None, &rules)?;
    let net = flat::network(state.shape, &state.network, &state.weights.averaged)?;
    let config = load::<Config>(&Sources { file: Some(layout.config()), ..Sources::default() })?;
    let search = &config.config.search;
    let mut card = with_game!(&game, game => Card::new(game, &state.network, search));
    card.note = args.note.clone();
    card.parent = manifest.ancestry.first().map(|parent| parent.hash.clone());
    card.training = facts(&manifest, &state, &layout)?;
    let taught = config.config.selfplay.taught_by_tables()
        || manifest.ancestry.iter().any(|ancestor| ancestor.taught_by_tables);
    card.training.insert(nn::TAUGHT_BY_TABLES.into(), taught.into());
    let card = nn::save(&args.to, &net, &card, args.replace)?;
    tell!(
        "{}: {} generation {}, {} games, {} steps, hash {}",
        args.to.display(),
        card.game,
        state.generation,
        state.games,
        state.weights.steps,
        &card.hash[..16.min(card.hash.len())]
    );
    Ok(())
}

/// How the weights were made, and what the run measured of them.
fn facts(manifest: &Manifest, state: &State, layout: &Layout) -> anyhow::Result<toml::Table> {
    let name = layout.root().file_name().unwrap_or_default().to_string_lossy();
    let path = layout.metrics().join("ladder.jsonl");
    let (entries, passed_over) = journal::look(&path)?;
    if passed_over > 0 {
        let path = path.display();
        note!("note: {path}: lines that could not be read and were passed over: {passed_over}");
    }
    let measured = entries.into_iter().rev().filter(|e| e["generation"] == state.generation);
    let scores = measured.clone().find_map(|entry| scores(&entry));
    if scores.is_none() && measured.count() > 0 {
        let (path, generation) = (path.display(), state.generation);
        note!("note: {path}: what it says of generation {generation} is no measurement");
    }
    let mut facts = serde_json::json!({
        "run": name,
        "seed": manifest.seed,
        "generation": state.generation,
        "games": state.games,
        "positions": state.positions,
        "samples": state.samples,
        "steps": state.weights.steps,
    });
    if !manifest.ancestry.is_empty() {
        facts["ancestry"] = serde_json::to_value(&manifest.ancestry)?;
    }
    if let Some((visits, scores)) = scores {
        facts["visits"] = visits.into();
        facts["ladder"] = scores.into();
    }
    Ok(toml::Table::try_from(facts)?)
}

/// Simulations for a move and the scores against each opponent of an entry of the ladder, if it
/// has the form of one.
fn scores(entry: &Value) -> Option<(u64, Vec<Value>)> {
    let score = |row: &Value| {
        let estimate = |key: &str| row["estimate"][key].as_f64();
        Some(serde_json::json!({
            "opponent": row["opponent"].as_str()?,
            "games": row["games"].as_u64()?,
            "score": estimate("score")?,
            "score_low": estimate("score_low")?,
            "score_high": estimate("score_high")?,
        }))
    };
    let rows = entry["ladder"]["rows"].as_array()?;
    Some((entry["visits"].as_u64()?, rows.iter().map(score).collect::<Option<_>>()?))
}
