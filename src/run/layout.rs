//! All paths of a run folder, and the names of the files in it.
//!
//! Numbers in names are padded, so that a folder's listing is in order.

use crate::disk::{self, DiskError};
use std::path::{Path, PathBuf};

/// Folders of `data/` that are no runs.
const RESERVED: [&str; 3] = ["suites", "tables", "matches"];

/// A name that no run can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{name}\" cannot name a run: {why}; use 1 to 64 letters, digits, `-`, `_` and `.`, with a \
     letter or digit first"
)]
pub struct NameError {
    pub name: String,
    pub why: &'static str,
}

/// Where everything of one run lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout of the run `name` in the folder `data`. Touches no file.
    pub fn new(data: &Path, name: &str) -> Result<Self, NameError> {
        check_name(name)?;
        Ok(Self::at(data.join(name)))
    }

    /// The layout of a run folder given by its path.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the run is.
    pub fn manifest(&self) -> PathBuf {
        self.root.join("manifest.toml")
    }

    /// The resolved config.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// Which weights play.
    pub fn champion(&self) -> PathBuf {
        self.root.join("champion")
    }

    /// What a generation that was broken off has spent.
    pub fn spent(&self) -> PathBuf {
        self.root.join("spent")
    }

    pub fn shards(&self) -> PathBuf {
        self.root.join("shards")
    }

    /// The shard with the games `first` to `last`, both included.
    pub fn shard(&self, first: u64, last: u64) -> PathBuf {
        self.shards().join(format!("games-{first:010}-{last:010}.shard"))
    }

    /// The games of the generation that is being played.
    pub fn journal(&self) -> PathBuf {
        self.shards().join("games.journal")
    }

    pub fn states(&self) -> PathBuf {
        self.root.join("state")
    }

    /// The folder of the learner's state after `step` steps.
    pub fn state(&self, step: u64) -> PathBuf {
        self.states().join(state_name(step))
    }

    pub fn metrics(&self) -> PathBuf {
        self.root.join("metrics")
    }

    pub fn arena(&self) -> PathBuf {
        self.root.join("arena")
    }

    /// The folders that every run has.
    pub fn folders(&self) -> [PathBuf; 4] {
        [self.shards(), self.states(), self.metrics(), self.arena()]
    }

    /// The published shards in the order of their games. Other files are passed over.
    pub fn list_shards(&self) -> Result<Vec<ShardFile>, DiskError> {
        let shards = disk::entries(&self.shards())?.into_iter().filter_map(|entry| {
            let (first, last) = parse_shard(&entry.name)?;
            Some(ShardFile { path: entry.path, first, last })
        });
        let mut shards: Vec<ShardFile> = shards.collect();
        shards.sort_by_key(|shard| (shard.first, shard.last));
        Ok(shards)
    }

    /// The steps of which there is a state, ascending. Other files are passed over.
    pub fn list_states(&self) -> Result<Vec<u64>, DiskError> {
        let entries = disk::entries(&self.states())?;
        let mut steps: Vec<u64> =
            entries.iter().filter_map(|entry| parse_state(&entry.name)).collect();
        steps.sort_unstable();
        Ok(steps)
    }
}

/// A published shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardFile {
    pub path: PathBuf,
    /// Number of its first game.
    pub first: u64,
    /// Number of its last game.
    pub last: u64,
}

/// Can this name a run? It is a folder's name on every system, and hides nothing.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let refuse = |why| Err(NameError { name: name.to_string(), why });
    if name.is_empty() {
        return refuse("it is empty");
    }
    if name.len() > 64 {
        return refuse("it is too long");
    }
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
        return refuse("it has other characters");
    }
    if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) || name.ends_with('.') {
        return refuse("it begins or ends with a sign");
    }
    if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        return refuse("a folder of this name holds other data");
    }
    Ok(())
}

fn state_name(step: u64) -> String {
    format!("step-{step:08}")
}

fn parse_state(name: &str) -> Option<u64> {
    let step = name.strip_prefix("step-")?.parse().ok()?;
    (state_name(step) == name).then_some(step)
}

fn parse_shard(name: &str) -> Option<(u64, u64)> {
    let (first, last) = name.strip_prefix("games-")?.strip_suffix(".shard")?.split_once('-')?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for name in ["a", "jungle-2", "7x.b_c", &"x".repeat(64)] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in ["", "..", ".x", "a/b", "a b", "ä", "-x", "x.", "Suites", &"x".repeat(65)] {
            let error = check_name(name).unwrap_err().to_string();
            assert!(error.starts_with(&format!("\"{name}\" cannot name a run: ")), "{error}");
        }
        assert!(Layout::new(Path::new("data"), "../../etc").is_err());
    }

    #[test]
    fn what_is_published_is_listed_in_order_and_the_rest_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path(), "x").unwrap();
        assert_eq!(layout.list_shards().unwrap(), []);
        for folder in layout.folders() {
            std::fs::create_dir_all(folder).unwrap();
        }
        for path in [
            layout.shard(64, 127),
            layout.shard(0, 63),
            layout.shard(10_000_000_000, 10_000_000_063),
            layout.shards().join("games-9-5.shard"),
            layout.shards().join(".games-0000000001-0000000002.shard.1-1.tmp"),
            layout.shards().join("notes.txt"),
        ] {
            std::fs::write(path, b"").unwrap();
        }
        let shards = layout.list_shards().unwrap();
        let ranges: Vec<_> = shards.iter().map(|shard| (shard.first, shard.last)).collect();
        assert_eq!(ranges, [(0, 63), (64, 127), (10_000_000_000, 10_000_000_063)]);
        assert!(shards[0].path.ends_with("x/shards/games-0000000000-0000000063.shard"));
        for name in ["step-00000100", "step-00000020", "step-5", "step-00000007.bak"] {
            std::fs::create_dir(layout.states().join(name)).unwrap();
        }
        assert_eq!(layout.list_states().unwrap(), [20, 100]);
        assert!(layout.state(20).ends_with("x/state/step-00000020"));
    }
}
