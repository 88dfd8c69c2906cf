//! The runs in a data folder, for people. Reads only; a run that is damaged is listed with what
//! is wrong with it.

use super::champion::Champion;
use super::layout::{Layout, check_name};
use super::manifest::Manifest;
use super::state;
use crate::disk::{self, DiskError, lock};
use serde::Serialize;
use std::path::Path;

/// One run of a data folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunEntry {
    pub name: String,
    pub state: RunState,
    /// The game's name, where the manifest can be read.
    pub game: Option<String>,
    pub preset: Option<String>,
    pub created: Option<String>,
    /// The newest state's step.
    pub step: Option<u64>,
    /// Games that the newest readable state has learnt from, with those that a fork took along.
    pub games: u64,
    pub champion: Option<Champion>,
}

/// What a run is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// A process holds it: who.
    Running(String),
    /// It can be resumed.
    Stopped,
    /// It has done all it was asked to.
    Finished,
    /// It cannot be used: why.
    Damaged(String),
}

/// The runs in a data folder, by name; none if there is no such folder.
pub fn list(data: &Path) -> Result<Vec<RunEntry>, DiskError> {
    let mut runs = Vec::new();
    for entry in disk::entries(data)?.into_iter().filter(|entry| entry.is_dir) {
        let layout = Layout::at(&entry.path);
        if check_name(&entry.name).is_ok() && layout.manifest().exists() {
            runs.push(look(entry.name, &layout)?);
        }
    }
    Ok(runs)
}

fn look(name: String, layout: &Layout) -> Result<RunEntry, DiskError> {
    let manifest = Manifest::load(&layout.manifest());
    let champion = Champion::load(layout);
    let holder = lock::holder(&layout.lock())?;
    let state = match (holder, &manifest, &champion) {
        (Some(holder), ..) => RunState::Running(holder),
        (None, Err(error), _) | (None, _, Err(error)) => RunState::Damaged(error.to_string()),
        (None, Ok(manifest), _) if manifest.finished => RunState::Finished,
        _ => RunState::Stopped,
    };
    let manifest = manifest.ok();
    let steps = layout.list_states()?;
    let newest = steps.iter().rev().find_map(|&step| state::card(&layout.state(step)).ok());
    Ok(RunEntry {
        name,
        state,
        game: manifest.as_ref().map(|manifest| manifest.game.clone()),
        preset: manifest.as_ref().and_then(|manifest| manifest.preset.clone()),
        created: manifest.map(|manifest| manifest.created),
        step: steps.last().copied(),
        games: newest.map_or(0, |card| card.next_game),
        champion: champion.ok().flatten(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Run, StateCard, example_manifest};

    #[test]
    fn runs_are_listed_with_what_they_do() {
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        assert_eq!(list(&data.join("none")).unwrap(), []);
        let create = |name| Run::create(data, name, &example_manifest(), "").unwrap();
        let running = create("running");
        // The games of the second shard have not been learnt from yet.
        std::fs::write(running.layout.shard(0, 63), b"").unwrap();
        std::fs::write(running.layout.shard(64, 127), b"").unwrap();
        let card = StateCard { step: 400, generation: 1, first_game: 0, next_game: 64 };
        state::publish(&running.layout, &card, |_| Ok(())).unwrap();
        std::fs::create_dir(running.layout.state(500)).unwrap();
        Champion { step: 500, generation: 2 }.save(&running.layout).unwrap();
        drop(create("stopped"));
        create("finished").set_finished(true).unwrap();
        let damaged = create("damaged").layout;
        std::fs::write(damaged.manifest(), "format = 1\n").unwrap();
        std::fs::create_dir(data.join("suites")).unwrap();
        std::fs::create_dir(data.join("foreign")).unwrap();
        let runs = list(data).unwrap();
        let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["damaged", "finished", "running", "stopped"]);
        assert!(matches!(&runs[0].state, RunState::Damaged(why) if why.contains("missing field")));
        assert_eq!(runs[1].state, RunState::Finished);
        assert!(matches!(&runs[2].state, RunState::Running(by) if by.starts_with("process ")));
        assert_eq!((runs[2].games, runs[2].step), (64, Some(500)));
        assert_eq!(runs[2].champion, Some(Champion { step: 500, generation: 2 }));
        assert_eq!(runs[3].state, RunState::Stopped);
        assert_eq!(runs[3].preset.as_deref(), Some("standard"));
    }
}
