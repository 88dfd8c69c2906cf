//! Would a run fit into this machine and its own budget? Its plan, or an error that names the
//! setting to blame and where it was set.

use super::train::settings;
use crate::codec::Encode;
use crate::config::{Config, ConfigError, Loaded};
use crate::game::Notation;
use crate::train::MemoryPlan;
use std::path::Path;

/// The plan of a run with these settings that goes on from `games_before` games. Refuses a
/// network that cannot be built for the game, and more memory than there is.
pub fn check<G: Encode + Notation>(
    loaded: &Loaded<Config>,
    game: &G,
    games_before: u64,
    data: &Path,
) -> Result<MemoryPlan, ConfigError> {
    let plan = MemoryPlan::of(game, &settings(&loaded.config), games_before, data)
        .map_err(|error| loaded.error("network.channels", format!("does not fit: {error}")))?;
    match plan.refusal() {
        Some(refused) => Err(loaded.error(refused.key, refused.message)),
        None => Ok(plan),
    }
}
