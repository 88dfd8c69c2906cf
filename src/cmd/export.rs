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
    let ladder = journal::read(&layout.metrics().join("ladder.jsonl"))?
        .into_iter()
        .rev()
        .find(|entry| entry["generation"] == state.generation);
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
    if let (Some(ladder), Some(facts)) = (ladder, facts.as_object_mut()) {
        let rows = ladder["ladder"]["rows"].as_array().cloned().unwrap_or_default();
        let scores = rows.into_iter().map(|row| {
            serde_json::json!({
                "opponent": row["opponent"],
                "games": row["games"],
                "score": row["estimate"]["score"],
                "score_low": row["estimate"]["score_low"],
                "score_high": row["estimate"]["score_high"],
            })
        });
        facts.insert("visits".into(), ladder["visits"].clone());
        facts.insert("ladder".into(), scores.collect());
    }
    Ok(toml::Table::try_from(facts)?)
}
