//! Published shards as a run reads them: which ones a window needs, and the games in one. Changes
//! nothing.

use super::TrainError;
use crate::game::Notation;
use crate::metrics::Progress;
use crate::record::{Owner, Replayed, ShardError, shard};
use crate::replay;
use crate::run::{Layout, ShardFile};
use std::ops::Range;

/// The shards that hold the games of `window`, in their order. An error if a game is in none.
pub(super) fn of_window(layout: &Layout, window: Range<u64>) -> Result<Vec<ShardFile>, TrainError> {
    let mut shards = layout.list_shards()?;
    shards.retain(|shard| shard.last >= window.start && shard.first < window.end);
    let mut next = window.start;
    for (place, shard) in shards.iter().enumerate() {
        if shard.first > next {
            break;
        }
        if place > 0 && shard.first < next {
            let path = shard.path.clone();
            let what = format!("it holds game {}, as the shard before it does", shard.first);
            return Err(ShardError::Foreign { path, what }.into());
        }
        next = shard.last + 1;
    }
    if next < window.end {
        return Err(TrainError::MissingGames { next, until: window.end, folder: layout.shards() });
    }
    Ok(shards)
}

/// Games of a published shard as the window holds them, without what is reserved for measuring;
/// what was dropped is said. A shard that is not its owner's is refused.
pub fn read_shard<G: Notation>(
    game: &G,
    shard: &ShardFile,
    owner: Owner,
    progress: &dyn Progress,
) -> Result<Vec<Replayed<G>>, TrainError> {
    let path = &shard.path;
    let mut games = shard::read_games_of(path, game, shard.first..=shard.last, owner)?;
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
        // The same games under another name are not counted twice.
        std::fs::write(layout.shard(10, 14), b"").unwrap();
        let error = of_window(&layout, 5..20).unwrap_err().to_string();
        assert!(error.contains("games-0000000010-0000000019.shard: it holds game 10"), "{error}");
        std::fs::remove_file(layout.shard(10, 14)).unwrap();
        for (window, missing) in [(5..50, "20 to 49"), (25..40, "25 to 39"), (40..51, "50 to 50")] {
            let error = of_window(&layout, window).unwrap_err().to_string();
            assert!(error.contains(&format!("the games {missing} are missing")), "{error}");
        }
    }
}
