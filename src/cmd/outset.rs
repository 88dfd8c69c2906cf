//! What a new run would only find out after hours: are there openings to measure it from, and are
//! the endgame tables there that it asks? Told before the run exists. Changes nothing.

use crate::arena::ArenaSettings;
use crate::arena::opening::draw_openings;
use crate::config::{Config, ConfigError, Loaded};
use crate::endgame::probe;
use crate::game::Game;
use std::path::Path;

/// Openings that are drawn to see whether there are enough; more would take time.
const MOST_GAMES: u32 = 2000;

/// Refuses settings and rules under which a run of `game` could not be measured, or could not use
/// the tables under `data` that it is to use.
pub fn check<G: Game>(loaded: &Loaded<Config>, game: &G, data: &Path) -> Result<(), ConfigError> {
    let config = &loaded.config;
    if config.selfplay.taught_by_tables() {
        let key = match config.selfplay.adjudicate_tables {
            true => "selfplay.adjudicate_tables",
            false => "selfplay.table_targets",
        };
        let there = probe::are_there(game, data);
        there.map_err(|error| loaded.error(key, format!("is asked for, but {error}")))?;
    }
    let games = config.train.measure_games.max(config.train.final_games).min(MOST_GAMES);
    let arena = ArenaSettings { games, ..config.arena.clone() };
    draw_openings(game, &arena, config.train.seed).map(drop).map_err(|few| {
        let most = game.rules()["max_plies"].as_u64();
        match most.filter(|&most| most <= u64::from(few.max)) {
            Some(most) => {
                let message = format!(
                    "ends every game after {most} plies, but measuring begins with openings of \
                     {} to {}: {few}",
                    few.min, few.max
                );
                loaded.error("game.rules.max_plies", message)
            }
            None => loaded.error("arena.opening_plies_max", format!("is too small: {few}")),
        }
    })
}
