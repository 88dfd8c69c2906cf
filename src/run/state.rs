//! States of the learner: folders that are published whole and verified when they are read.
//!
//! Each holds `state.toml`, which lists every other file with its size and hash. What the files
//! are is the learner's business.

use super::layout::Layout;
use crate::disk::{self, DiskError, atomic};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Version of `state.toml`.
pub const FORMAT: u32 = 1;

const CARD: &str = "state.toml";

/// What a state is and what resuming from it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateCard {
    /// Steps of the learner.
    pub step: u64,
    /// The generation that plays next; as many have been played and learnt.
    pub generation: u64,
    /// The oldest game in its window: shards from here on are needed to resume.
    pub first_game: u64,
    /// The first game that the learner had not taken yet; with those of the run it was forked
    /// from, as many have been learnt from.
    pub next_game: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listing {
    format: u32,
    card: StateCard,
    file: Vec<Listed>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    name: String,
    bytes: u64,
    blake3: String,
}

/// Why a state cannot be used, or was not published.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("{}: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    /// The writer's own failure.
    #[error("the state was not saved: {0}")]
    Writer(String),
}

/// The newest sound state, and what was passed over on the way to it.
#[derive(Debug)]
pub struct Newest {
    /// Its folder; `None` if the run has no sound state.
    pub state: Option<(PathBuf, StateCard)>,
    /// Newer states that are damaged, newest first.
    pub skipped: Vec<StateError>,
}

/// Publishes a state: `fill` writes its files into the folder that it is given. A state of the
/// same step is replaced.
pub fn publish(
    layout: &Layout,
    card: &StateCard,
    fill: impl FnOnce(&Path) -> Result<(), StateError>,
) -> Result<PathBuf, StateError> {
    let path = layout.state(card.step);
    atomic::create_dir_durable(&layout.states())?;
    atomic::replace_dir(&path, |inside| {
        fill(inside)?;
        let mut file = Vec::new();
        for entry in disk::entries(inside)? {
            let content = disk::read(&entry.path)?;
            let blake3 = blake3::hash(&content).to_string();
            file.push(Listed { name: entry.name, bytes: content.len() as u64, blake3 });
        }
        let listing = Listing { format: FORMAT, card: *card, file };
        let text = toml::to_string(&listing).map_err(|error| {
            StateError::Writer(format!("{CARD} of {} cannot be written: {error}", path.display()))
        })?;
        atomic::write(&inside.join(CARD), text.as_bytes())?;
        Ok::<(), StateError>(())
    })?;
    Ok(path)
}

/// What a state is, without a look at its other files.
pub fn card(path: &Path) -> Result<StateCard, StateError> {
    listing(path).map(|listing| listing.card)
}

/// What a state is, after a look at every file: none is missing, short or changed.
pub fn verify(path: &Path) -> Result<StateCard, StateError> {
    let listing = listing(path)?;
    for Listed { name, bytes, blake3 } in &listing.file {
        let file = path.join(name);
        let damaged = |why| Err(StateError::Damaged { path: file.clone(), why });
        let content = match disk::read(&file) {
            Ok(content) => content,
            Err(error) if error.is_missing() => return damaged(String::from("is missing")),
            Err(error) => return Err(error.into()),
        };
        let found = content.len() as u64;
        if found != *bytes {
            return damaged(format!("expected {bytes} bytes, found {found}"));
        }
        if blake3::hash(&content).to_string() != *blake3 {
            return damaged(format!("has changed: its hash is no longer {blake3}"));
        }
    }
    Ok(listing.card)
}

/// The newest state that passes [`verify`].
pub fn newest(layout: &Layout) -> Result<Newest, DiskError> {
    let mut skipped = Vec::new();
    for step in layout.list_states()?.into_iter().rev() {
        let path = layout.state(step);
        match verify(&path) {
            Ok(card) if card.step != step => {
                let why = format!("is the state after {} steps under another name", card.step);
                skipped.push(StateError::Damaged { path, why });
            }
            Ok(card) => return Ok(Newest { state: Some((path, card)), skipped }),
            Err(error) => skipped.push(error),
        }
    }
    Ok(Newest { state: None, skipped })
}

fn listing(path: &Path) -> Result<Listing, StateError> {
    let card = path.join(CARD);
    let damaged = |why| StateError::Damaged { path: card.clone(), why };
    let text = match disk::read_text(&card) {
        Ok(text) => text,
        Err(error) if error.is_missing() => {
            return Err(damaged(String::from("is missing: the state is incomplete")));
        }
        Err(error) => return Err(error.into()),
    };
    let listing: Listing = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if listing.format != FORMAT {
        let found = listing.format;
        return Err(damaged(format!(
            "a state of format version {found}, this program reads version {FORMAT}"
        )));
    }
    if let Some(listed) = listing.file.iter().find(|listed| !is_plain(&listed.name)) {
        return Err(damaged(format!("lists \"{}\", which is no plain file name", listed.name)));
    }
    Ok(listing)
}

fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|plain| plain == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn layout_with(steps: &[u64]) -> (tempfile::TempDir, Layout) {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::at(dir.path());
        for &step in steps {
            let card = StateCard { step, generation: 1, first_game: 0, next_game: step };
            publish(&layout, &card, |inside| {
                atomic::write(&inside.join("weights"), &[step as u8; 100])?;
                Ok(atomic::write(&inside.join("optimizer"), b"momentum")?)
            })
            .unwrap();
        }
        (dir, layout)
    }

    fn newest_step(layout: &Layout) -> (Option<u64>, Vec<String>) {
        let newest = newest(layout).unwrap();
        let skipped = newest.skipped.iter().map(ToString::to_string).collect();
        (newest.state.map(|(_, card)| card.step), skipped)
    }

    #[test]
    fn the_newest_state_is_found() {
        let (_dir, layout) = layout_with(&[]);
        assert_eq!(newest_step(&layout), (None, vec![]));
        let (_dir, layout) = layout_with(&[10, 30, 20, 30]);
        assert_eq!(newest_step(&layout), (Some(30), vec![]));
        assert_eq!(card(&layout.state(20)).unwrap().next_game, 20);
    }

    #[test]
    fn damaged_states_are_skipped_and_named() {
        let (_dir, layout) = layout_with(&[1, 2, 3, 4, 5, 6]);
        fs::remove_file(layout.state(6).join(CARD)).unwrap();
        fs::remove_file(layout.state(5).join("weights")).unwrap();
        fs::write(layout.state(4).join("weights"), [4; 99]).unwrap();
        let mut weights = [3; 100];
        weights[50] ^= 1;
        fs::write(layout.state(3).join("weights"), weights).unwrap();
        let listing = fs::read_to_string(layout.state(2).join(CARD)).unwrap();
        let outside = listing.replace("\"weights\"", "\"../../weights\"");
        fs::write(layout.state(2).join(CARD), outside).unwrap();
        let (step, skipped) = newest_step(&layout);
        assert_eq!(step, Some(1));
        for (told, expected) in skipped.iter().zip([
            "step-00000006/state.toml: is missing: the state is incomplete",
            "step-00000005/weights: is missing",
            "step-00000004/weights: expected 100 bytes, found 99",
            "step-00000003/weights: has changed: its hash is no longer",
            "step-00000002/state.toml: lists \"../../weights\", which is no plain file name",
        ]) {
            assert!(told.contains(expected), "{told}");
        }
        assert_eq!(skipped.len(), 5);
    }

    #[test]
    fn a_state_under_another_name_is_skipped() {
        let (_dir, layout) = layout_with(&[1, 2]);
        fs::rename(layout.state(2), layout.state(9)).unwrap();
        let (step, skipped) = newest_step(&layout);
        assert_eq!(step, Some(1));
        assert!(skipped[0].contains("step-00000009: is the state after 2 steps"), "{skipped:?}");
    }

    #[test]
    fn a_state_that_could_not_be_written_leaves_the_earlier_one() {
        let (_dir, layout) = layout_with(&[7]);
        let card = StateCard { step: 7, generation: 2, first_game: 0, next_game: 0 };
        let failed = publish(&layout, &card, |inside| {
            atomic::write(&inside.join("weights"), b"half")?;
            Err(StateError::Writer(String::from("stopped")))
        });
        assert_eq!(failed.unwrap_err().to_string(), "the state was not saved: stopped");
        assert_eq!(newest(&layout).unwrap().state.unwrap().1.generation, 1);
    }
}
