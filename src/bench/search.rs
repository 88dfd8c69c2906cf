//! Simulations per second of one search at a time on one thread, as in play, and the share of that
//! time inside the network.

use super::clock::repeat;
use super::inputs::{SEED, lines, network};
use super::spread::Spread;
use super::{BenchError, Plan, Size};
use crate::codec::Encode;
use crate::nn::{EngineWeights, NetworkEvaluator};
use crate::search::{self, Search, SearchKind, SearchSettings, search_once};
use serde::Serialize;
use std::sync::Arc;

/// Simulations of a search.
pub const VISITS: u32 = 400;
/// Positions that are searched in turn.
const POSITIONS: usize = 32;

/// One game and size.
#[derive(Clone, Debug, Serialize)]
pub struct SearchRow {
    pub game: &'static str,
    pub kind: SearchKind,
    pub size: Size,
    /// Simulations of each search.
    pub visits: u32,
    pub simulations_per_second: Spread,
    /// Share of the time inside the network's forward call, encoding left out.
    pub network_share: Spread,
}

/// Measures one game with a network of one size, without a cache.
pub fn measure<G: Encode>(
    game: &G,
    settings: &SearchSettings,
    size: Size,
    plan: &Plan,
) -> Result<SearchRow, BenchError> {
    let weights = Arc::new(EngineWeights::new(&network(game, size)?));
    let mut evaluator = NetworkEvaluator::new(game.clone(), weights)?;
    let mut search: Box<dyn Search<G>> = search::make(settings);
    let lines = lines(game, POSITIONS);
    let mut turns = lines.iter().cycle();
    let mut failure = None;
    let mut round = || {
        let before = evaluator.counters().forward_ns;
        let spent = repeat(plan.seconds, || {
            let Some(line) = turns.next() else { return 0 };
            let how = search::Plan { visits: VISITS, leaves: 1, explore: false, seed: SEED };
            match search_once(&mut search, line, &how, &mut evaluator) {
                Ok(report) => u64::from(report.visits),
                Err(error) => {
                    failure.get_or_insert(error);
                    0
                }
            }
        });
        let inside = (evaluator.counters().forward_ns - before) as f64 / 1e9;
        (spent.rate(), inside / spent.wall)
    };
    // The first searches take memory.
    round();
    let rounds: Vec<(f64, f64)> = (0..plan.rounds).map(|_| round()).collect();
    if let Some(error) = failure {
        return Err(error.into());
    }
    Ok(SearchRow {
        game: game.name(),
        kind: settings.kind,
        size,
        visits: VISITS,
        simulations_per_second: Spread::of(rounds.iter().map(|round| round.0)),
        network_share: Spread::of(rounds.iter().map(|round| round.1)),
    })
}
