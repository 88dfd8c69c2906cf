//! Which weights play: a small file, changed by rename.

use super::layout::Layout;
use super::manifest::ManifestError;
use super::state::StateCard;
use crate::disk::{self, atomic};
use serde::{Deserialize, Serialize};

/// The state whose weights play, in self-play and wherever the run is asked for its player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Champion {
    /// The step of its state.
    pub step: u64,
    /// The generation of its state: as many have been played and learnt.
    pub generation: u64,
}

impl Champion {
    /// The run's champion; `None` if there is none yet.
    pub fn load(layout: &Layout) -> Result<Option<Self>, ManifestError> {
        let path = layout.champion();
        let bytes = match disk::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match toml::from_slice(&bytes) {
            Ok(champion) => Ok(Some(champion)),
            Err(error) => Err(ManifestError::Damaged { path, why: error.to_string() }),
        }
    }

    /// Makes the champion that of the newest state, whose card this is, if another one or nothing
    /// readable stands there; gives what was wrong with an unreadable one. Only for the holder of
    /// the run's lock.
    pub fn follow(
        layout: &Layout,
        card: &StateCard,
    ) -> Result<Option<ManifestError>, ManifestError> {
        let right = Self { step: card.step, generation: card.generation };
        let damage = match Self::load(layout) {
            Ok(Some(champion)) if champion == right => return Ok(None),
            Ok(_) => None,
            Err(damage @ ManifestError::Damaged { .. }) => Some(damage),
            Err(error) => return Err(error),
        };
        right.save(layout)?;
        Ok(damage)
    }

    pub fn save(&self, layout: &Layout) -> Result<(), ManifestError> {
        let text = format!("step = {}\ngeneration = {}\n", self.step, self.generation);
        Ok(atomic::write(&layout.champion(), text.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_champion_is_replaced_and_damage_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::at(dir.path());
        assert_eq!(Champion::load(&layout).unwrap(), None);
        for step in [100, 200] {
            let champion = Champion { step, generation: step / 100 };
            champion.save(&layout).unwrap();
            assert_eq!(Champion::load(&layout).unwrap(), Some(champion));
        }
        for text in ["", "step = 1\ngeneration = x\n", "step = -1\ngeneration = 0\n"] {
            std::fs::write(layout.champion(), text).unwrap();
            let error = Champion::load(&layout).unwrap_err();
            assert!(error.is_data() && error.to_string().contains("champion: "), "{error}");
        }
        // It follows the newest state, whatever stands there.
        let card = StateCard { step: 7, generation: 2, first_game: 0, next_game: 0 };
        let follow = || Champion::follow(&layout, &card).unwrap();
        for text in [&b"\xff\xfe"[..], b"step ="] {
            std::fs::write(layout.champion(), text).unwrap();
            assert!(follow().is_some_and(|damage| damage.is_data()));
            let expected = Champion { step: 7, generation: 2 };
            assert_eq!(Champion::load(&layout).unwrap(), Some(expected));
        }
        assert!(follow().is_none());
        Champion { step: 6, generation: 1 }.save(&layout).unwrap();
        assert!(follow().is_none());
        assert_eq!(Champion::load(&layout).unwrap().unwrap().step, 7);
    }
}
