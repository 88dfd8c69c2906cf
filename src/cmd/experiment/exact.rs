//! What endgame tables say of an experiment's runs, where the rules have tables of three animals.

use super::plan::RunPlan;
use crate::arena::truth::{judge, rows, sample};
use crate::cmd::players::Contestant;
use crate::cmd::{game, tables};
use crate::endgame::Tables;
use crate::endgame::probe::OpenError;
use crate::game::registry::AnyGame;
use crate::nn::NetworkEvaluator;
use serde::Serialize;
use std::path::Path;

/// Tables of up to so many animals are asked.
pub const ANIMALS: usize = 3;
/// Positions of each stratum, and the sample's name: the same positions for every run.
const EACH: usize = 1;
const SEED: u64 = 1;

/// The raw network on positions that training never uses, as `truth` measures it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Truth {
    /// Positions asked.
    pub positions: u64,
    /// Share whose likeliest result is the true one.
    pub sign: f64,
    /// Share whose likeliest action keeps the true result.
    pub policy: f64,
}

/// Measures the averaged weights of a run in `folder` against the tables of up to `animals` animals
/// under `data`; `None` where they are not all there.
///
/// # Errors
/// Tables that are there but damaged, and a run that cannot be read.
pub fn measure(
    run: &RunPlan,
    folder: &Path,
    data: &Path,
    animals: usize,
) -> anyhow::Result<Option<Truth>> {
    let AnyGame::Jungle(game) = game::build(&run.config)? else { return Ok(None) };
    let held = match Tables::open_all(&game, data, animals) {
        Ok(held) => held,
        Err(OpenError::Store(error)) => return Err(tables::opened(OpenError::Store(error))),
        // No tables, or rules that have none.
        Err(_) => return Ok(None),
    };
    let contestant = Contestant::load(&run.name, folder)?;
    let Some(brain) = contestant.brain() else { return Ok(None) };
    let samples = sample(&held, EACH, SEED);
    let mut network = NetworkEvaluator::new(game.clone(), brain.weights.clone())?;
    let judged = judge(&game, &samples, &mut network)?;
    let all = rows(&samples, &judged, &[]).first().map(|row| (row.positions, row.rates));
    Ok(all.map(|(positions, rates)| Truth { positions, sign: rates.sign, policy: rates.kept }))
}
