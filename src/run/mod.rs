//! A run folder: where everything lies, what may change, what is pruned.
//!
//! Shards never change. A state is replaced whole by another one of the same step; champion,
//! manifest (`finished`), config and `spent` are replaced by rename. Metrics are appended to, and so
//! is the journal until its games are a shard; the lock's file is written in place by whoever holds
//! it. Nothing is ever overwritten because it is in the way: a folder with foreign content is
//! refused with advice.

pub mod champion;
pub mod layout;
pub mod list;
pub mod manifest;
pub mod pack;
pub mod prune;
pub mod state;

pub use champion::Champion;
pub use layout::{Layout, NameError, ShardFile};
pub use list::{RunEntry, RunState, list};
pub use manifest::{Ancestor, Manifest, ManifestError};
pub use pack::{PackError, Packed, pack, unpack};
pub use state::{Newest, StateCard, StateError};

use crate::disk::lock::{Lock, LockError};
use crate::disk::{self, DiskError, atomic};
use crate::game::Game;
use std::path::{Path, PathBuf};

/// A run that this process may write.
#[derive(Debug)]
pub struct Run {
    pub layout: Layout,
    pub manifest: Manifest,
    /// Names of leftovers of a killed process that were cleaned when the run was opened.
    pub cleaned: Vec<String>,
    _lock: Lock,
}

/// Why a run cannot be created or opened.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("there is a run {name} already; resume it, or choose another name for a new one")]
    Exists { name: String },
    #[error(
        "there is no run {name} in {}{}",
        data.display(),
        if known.is_empty() { String::new() } else { format!("; there are: {}", known.join(", ")) }
    )]
    Missing { name: String, data: PathBuf, known: Vec<String> },
    #[error(
        "{} is no run (it has no manifest.toml) but holds {content}; nothing was touched: choose \
         another name, or move the folder away",
        path.display()
    )]
    Foreign { path: PathBuf, content: String },
}

impl RunError {
    /// Is data at fault (damaged, or not usable here), rather than the disk or the request?
    pub fn is_data(&self) -> bool {
        match self {
            RunError::Manifest(error) => error.is_data(),
            RunError::Foreign { .. } => true,
            _ => false,
        }
    }
}

impl Run {
    /// Creates `data/<name>` with its manifest and resolved config, whole or not at all, and
    /// takes its lock. An existing run or a folder with other content is refused.
    pub fn create(
        data: &Path,
        name: &str,
        manifest: &Manifest,
        config: &str,
    ) -> Result<Run, RunError> {
        Self::create_filled(data, name, manifest, config, |_| Ok::<(), RunError>(()))
    }

    /// As [`Run::create`]; `fill` writes what the run begins with (states, shards) into the
    /// folder before it gets its name.
    pub fn create_filled<E: From<RunError> + From<DiskError>>(
        data: &Path,
        name: &str,
        manifest: &Manifest,
        config: &str,
        fill: impl FnOnce(&Layout) -> Result<(), E>,
    ) -> Result<Run, E> {
        let layout = claim(data, name)?;
        publish(&layout, name, |inside| -> Result<(), E> {
            let inside = Layout::at(inside);
            for dir in inside.folders() {
                atomic::create_dir_durable(&dir)?;
            }
            atomic::write(&inside.config(), config.as_bytes())?;
            manifest.save(&inside.manifest()).map_err(RunError::from)?;
            fill(&inside)
        })?;
        let run = Self::open(data, name)?;
        // Others may be about to create a run of this name, too; they will be told. What is left of
        // dead ones is in nobody's way: the run stands even if it cannot be removed.
        let _ = atomic::clean_temporary_of(run.layout.root());
        Ok(run)
    }

    /// Opens an existing run for writing: takes the lock and cleans what a killed process left
    /// under way.
    pub fn open(data: &Path, name: &str) -> Result<Run, RunError> {
        let layout = Layout::new(data, name)?;
        if !layout.manifest().exists() {
            refuse_foreign(&layout)?;
            let known = list(data)?.into_iter().map(|entry| entry.name).collect();
            return Err(RunError::Missing {
                name: name.to_string(),
                data: data.to_path_buf(),
                known,
            });
        }
        let lock = Lock::acquire(&layout.lock())?;
        let manifest = Manifest::load(&layout.manifest())?;
        let mut cleaned = atomic::clean_temporary(layout.root())?;
        for dir in layout.folders() {
            atomic::create_dir_durable(&dir)?;
            cleaned.extend(atomic::clean_temporary(&dir)?);
        }
        Ok(Run { layout, manifest, cleaned, _lock: lock })
    }

    /// Refuses to go on under other rules or with another codec than the run was made with.
    pub fn check<G: Game>(&self, game: &G, codec_version: u32) -> Result<(), RunError> {
        Ok(self.manifest.check(&self.layout.manifest(), game, codec_version)?)
    }

    /// Refuses to go on with another seed than the run was made with.
    pub fn check_seed(&self, seed: u64) -> Result<(), RunError> {
        Ok(self.manifest.check_seed(&self.layout.manifest(), seed)?)
    }

    /// Notes in the manifest that the run has done all it was asked to, or that it goes on.
    pub fn set_finished(&mut self, finished: bool) -> Result<(), RunError> {
        if self.manifest.finished != finished {
            self.manifest.finished = finished;
            self.manifest.save(&self.layout.manifest())?;
        }
        Ok(())
    }
}

/// The layout of a run that may be created, in a data folder that is there.
fn claim(data: &Path, name: &str) -> Result<Layout, RunError> {
    let layout = Layout::new(data, name)?;
    if layout.manifest().exists() {
        return Err(RunError::Exists { name: name.to_string() });
    }
    refuse_foreign(&layout)?;
    atomic::create_dir_durable(data)?;
    Ok(layout)
}

/// Publishes the folder of a run that was claimed. Of several processes that do so at once one
/// wins; the others are told that there is such a run.
fn publish<E: From<RunError> + From<DiskError>>(
    layout: &Layout,
    name: &str,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let published = atomic::publish_dir(layout.root(), fill);
    if published.is_err() && layout.manifest().exists() {
        return Err(RunError::Exists { name: name.to_string() }.into());
    }
    published
}

fn refuse_foreign(layout: &Layout) -> Result<(), RunError> {
    let root = layout.root();
    let foreign = |content| Err(RunError::Foreign { path: root.to_path_buf(), content });
    if root.is_file() {
        return foreign(String::from("the content of a file"));
    }
    let names: Vec<String> = disk::entries(root)?.into_iter().map(|entry| entry.name).collect();
    match &names[..] {
        [] => Ok(()),
        [name] => foreign(name.clone()),
        [first, second] => foreign(format!("{first} and {second}")),
        [first, second, rest @ ..] => foreign(format!("{first}, {second} and {} more", rest.len())),
    }
}

#[cfg(test)]
pub(crate) fn example_manifest() -> Manifest {
    let rules = serde_json::json!({"limit": null, "count": 3});
    Manifest::with_record("heap", &rules, Some("standard"), 1, 42)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_run_is_created_once_and_opened_by_one() {
        let data = tempfile::tempdir().unwrap();
        let data = &data.path().join("data");
        let run = Run::create(data, "first", &example_manifest(), "[game]\n").unwrap();
        assert_eq!(fs::read_to_string(run.layout.config()).unwrap(), "[game]\n");
        let error = Run::open(data, "first").unwrap_err();
        assert!(error.to_string().contains("is held by process"), "{error}");
        drop(run);
        let mut run = Run::open(data, "first").unwrap();
        assert_eq!(run.manifest, example_manifest_at(&run.manifest.created));
        assert_eq!(run.cleaned, Vec::<String>::new());
        run.set_finished(true).unwrap();
        drop(run);
        assert!(Run::open(data, "first").unwrap().manifest.finished);
        let error = Run::create(data, "first", &example_manifest(), "").unwrap_err();
        assert!(error.to_string().starts_with("there is a run first already"), "{error}");
        let error = Run::open(data, "second").unwrap_err().to_string();
        assert!(error.contains("there is no run second in"), "{error}");
        assert!(error.ends_with("there are: first"), "{error}");
    }

    #[test]
    fn of_many_that_create_a_run_at_once_one_does() {
        let data = tempfile::tempdir().unwrap();
        let manifest = example_manifest();
        let start = std::sync::Barrier::new(8);
        let create = || {
            start.wait();
            Run::create_filled::<RunError>(data.path(), "x", &manifest, "", |inside| {
                // Long enough that all of them are under way.
                std::thread::sleep(std::time::Duration::from_millis(20));
                Ok(atomic::write(&inside.states().join("filled"), b"")?)
            })
        };
        let created: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(created.iter().filter(|one| one.is_ok()).count(), 1);
        for error in created.iter().filter_map(|one| one.as_ref().err()) {
            assert!(matches!(error, RunError::Exists { .. }), "{error}");
        }
        assert!(data.path().join("x/state/filled").exists());
        assert_eq!(disk::entries(data.path()).unwrap().len(), 1);
    }

    fn example_manifest_at(created: &str) -> Manifest {
        Manifest { created: created.to_string(), ..example_manifest() }
    }

    #[test]
    fn foreign_content_is_refused_and_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("holiday");
        fs::create_dir(&folder).unwrap();
        for name in ["a.jpg", "b.jpg", "c.jpg"] {
            fs::write(folder.join(name), name).unwrap();
        }
        for error in [
            Run::create(data.path(), "holiday", &example_manifest(), "").unwrap_err(),
            Run::open(data.path(), "holiday").unwrap_err(),
        ] {
            assert!(error.is_data());
            assert!(error.to_string().contains("a.jpg, b.jpg and 1 more"), "{error}");
            assert!(error.to_string().contains("nothing was touched"), "{error}");
        }
        assert_eq!(disk::entries(&folder).unwrap().len(), 3);
        fs::create_dir(data.path().join("empty")).unwrap();
        Run::create(data.path(), "empty", &example_manifest(), "").unwrap();
    }

    #[test]
    fn leftovers_are_cleaned_on_opening() {
        let data = tempfile::tempdir().unwrap();
        let run = Run::create(data.path(), "x", &example_manifest(), "").unwrap();
        let leftover = run.layout.shards().join(".games.shard.5-1.tmp");
        drop(run);
        fs::write(&leftover, b"half").unwrap();
        let run = Run::open(data.path(), "x").unwrap();
        assert_eq!(run.cleaned, [".games.shard.5-1.tmp"]);
        assert!(!leftover.exists());
    }
}
