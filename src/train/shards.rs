//! Published shards as a run reads them: which ones a window needs, and the games in one. Changes
//! nothing.

use super::TrainError;
use crate::game::Notation;
use crate::metrics::Progress;
use crate::record::{Replayed, shard};
use crate::replay;
use crate::run::{Layout, ShardFile};
use std::ops::Range;
use std::path::Path;

/// The shards that hold the games of `window`, in their order. An error if a game is in none.
pub(super) fn of_window(layout: &Layout, window: Range<u64>) -> Result<Vec<ShardFile>, TrainError> {
    let mut shards = layout.list_shards()?;
    shards.retain(|shard| shard.last >= window.start && shard.first < window.end);
    let mut next = window.start;
    for shard in &shards {
        if shard.first > next {
            break;
        }
        next = next.max(shard.last + 1);
    }
    if next < window.end {
        return Err(TrainError::MissingGames { next, until: window.end, folder: layout.shards() });
    }
    Ok(shards)
}

/// Games of a published shard as the window holds them, without what is reserved for measuring;
/// what was dropped is said.
pub fn read_shard<G: Notation>(
    game: &G,
    path: &Path,
    progress: &dyn Progress,
) -> Result<Vec<Replayed<G>>, TrainError> {
    let mut games = shard::read_games(path, game)?;
    games.games.iter_mut().for_each(|replayed| replay::forget_reserved(game, replayed));
    if let Some(damage) = &games.damage {
        progress.say(&format!("{}: {damage}", path.display()));
    }
    for dropped in &games.dropped {
        progress.say(&format!("dropped: {}", dropped.why));
    }
    if !games.dropped.is_empty() {
        let (dropped, kept) = (games.dropped.len(), games.games.len());
        let path = path.display();
        progress.say(&format!("{path}: {dropped} of {} games were dropped", dropped + kept));
    }
    Ok(games.games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_needs_all_its_games() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::at(dir.path());
        std::fs::create_dir_all(layout.shards()).unwrap();
        for first in [0, 10, 30, 40] {
            std::fs::write(layout.shard(first, first + 9), b"").unwrap();
        }
        let firsts = |window| -> Vec<u64> {
            of_window(&layout, window).unwrap().iter().map(|shard| shard.first).collect()
        };
        assert_eq!(firsts(5..20), [0, 10]);
        assert_eq!(firsts(35..50), [30, 40]);
        assert_eq!(firsts(50..50), [0; 0]);
        for (window, missing) in [(5..50, "20 to 49"), (25..40, "25 to 39"), (40..51, "50 to 50")] {
            let error = of_window(&layout, window).unwrap_err().to_string();
            assert!(error.contains(&format!("the games {missing} are missing")), "{error}");
        }
    }
}
