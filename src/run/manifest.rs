//! What a run is: the game, its rules, its seed, and who made it. Written once, but for
//! `finished`.

use crate::disk::{self, DiskError, atomic, stamp};
use crate::game::Game;
use crate::record::rules::{self, RulesHash};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Version of the run folder's layout and manifest.
pub const FORMAT: u32 = 1;

/// The content of `manifest.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// The game's name.
    pub game: String,
    /// The preset that was asked for, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    pub rules_hash: RulesHash,
    pub codec_version: u32,
    /// When the run was created, UTC.
    pub created: String,
    /// The seed of every stream of the run.
    pub seed: u64,
    /// The version of menagerie that created the run.
    pub package: String,
    /// Has the run done all it was asked to?
    pub finished: bool,
    /// The full rule record.
    pub rules: toml::Table,
    /// What the run was forked from, and what that was forked from, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestry: Vec<Ancestor>,
}

/// A run or model from which another run went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ancestor {
    /// The run's name, or the model's path.
    pub name: String,
    /// Where it stood.
    pub step: u64,
    pub generation: u64,
    pub games: u64,
    /// Hash of its weights as a model, as a card has it.
    pub hash: String,
    /// Did endgame tables teach it? Not said means that they did not.
    #[serde(default)]
    pub taught_by_tables: bool,
}

impl std::fmt::Display for Ancestor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, step, generation, games, .. } = self;
        write!(out, "{name} at step {step} (generation {generation}, {games} games)")
    }
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("{}: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error(
        "{}: a run of format version {found}, this program reads version {FORMAT}; {}",
        path.display(),
        if *found > FORMAT { "use a newer menagerie" } else { "use the menagerie that made it" }
    )]
    Version { path: PathBuf, found: u32 },
    #[error(
        "{}: the run was made with {what} {found}, but {expected} was asked for; resume it as it \
         is, or start a new run",
        path.display()
    )]
    Mismatch { path: PathBuf, what: &'static str, found: String, expected: String },
}

impl ManifestError {
    /// Is data at fault (damaged, or not usable here), rather than the disk?
    pub fn is_data(&self) -> bool {
        !matches!(self, ManifestError::Disk(_))
    }
}

impl Manifest {
    /// The manifest of a new run of `game`.
    pub fn new<G: Game>(game: &G, preset: Option<&str>, codec_version: u32, seed: u64) -> Self {
        Self::with_record(game.name(), &game.rules(), preset, codec_version, seed)
    }

    /// The manifest of a new run under a rule record.
    pub fn with_record(
        game: &str,
        record: &Value,
        preset: Option<&str>,
        codec_version: u32,
        seed: u64,
    ) -> Self {
        Self {
            format: FORMAT,
            game: game.to_string(),
            preset: preset.map(str::to_string),
            rules_hash: RulesHash::of_record(game, record),
            codec_version,
            created: stamp::utc(SystemTime::now()),
            seed,
            package: String::from(env!("CARGO_PKG_VERSION")),
            finished: false,
            rules: rules::to_toml(record),
            ancestry: Vec::new(),
        }
    }

    /// The full rule record in JSON.
    pub fn rule_record(&self) -> Value {
        Value::Object(rules::from_toml(&self.rules))
    }

    pub fn load(path: &Path) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let text = disk::read_text(path)?;
        let damaged = |why: String| ManifestError::Damaged { path: path.to_path_buf(), why };
        // The version first: a newer manifest may have keys that this program does not know.
        let version: Version = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if version.format != FORMAT {
            let (path, found) = (path.to_path_buf(), version.format);
            return Err(ManifestError::Version { path, found });
        }
        let manifest: Self = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        let hash = RulesHash::of_record(&manifest.game, &manifest.rule_record());
        if hash != manifest.rules_hash {
            let stated = manifest.rules_hash;
            return Err(damaged(format!("rules_hash is {stated}, but the rules have {hash}")));
        }
        Ok(manifest)
    }

    pub fn save(&self, path: &Path) -> Result<(), ManifestError> {
        let text = toml::to_string(self).map_err(|error| ManifestError::Damaged {
            path: path.to_path_buf(),
            why: format!("cannot be written: {error}"),
        })?;
        Ok(atomic::write(path, text.as_bytes())?)
    }

    /// Refuses another game, other rules or another codec than the run was made with. `path` is
    /// for the message.
    pub fn check<G: Game>(
        &self,
        path: &Path,
        game: &G,
        codec_version: u32,
    ) -> Result<(), ManifestError> {
        let (what, found, expected) = if self.game != game.name() {
            ("the game", self.game.clone(), game.name().to_string())
        } else if self.rules_hash != RulesHash::of(game) {
            let (found, expected) = difference(&self.rule_record(), &game.rules());
            ("the rules", found, expected)
        } else if self.codec_version != codec_version {
            ("codec version", self.codec_version.to_string(), codec_version.to_string())
        } else {
            return Ok(());
        };
        Err(ManifestError::Mismatch { path: path.to_path_buf(), what, found, expected })
    }

    /// Refuses another seed than the run was made with: its games would be others. `path` is for
    /// the message.
    pub fn check_seed(&self, path: &Path, seed: u64) -> Result<(), ManifestError> {
        if self.seed == seed {
            return Ok(());
        }
        let (found, expected) = (self.seed.to_string(), seed.to_string());
        Err(ManifestError::Mismatch { path: path.to_path_buf(), what: "the seed", found, expected })
    }
}

/// The options in which two rule records differ, as each has them.
fn difference(one: &Value, other: &Value) -> (String, String) {
    let empty = serde_json::Map::new();
    let maps = [one, other].map(|record| record.as_object().unwrap_or(&empty));
    let keys = maps[0].keys().chain(maps[1].keys().filter(|&key| !maps[0].contains_key(key)));
    let differing: Vec<&String> =
        keys.filter(|&key| maps[0].get(key) != maps[1].get(key)).collect();
    let text = |map: &serde_json::Map<String, Value>| {
        let options = differing.iter().map(|&key| {
            format!("{key} = {}", map.get(key).map_or("(nothing)".to_string(), Value::to_string))
        });
        options.collect::<Vec<_>>().join(", ")
    };
    (text(maps[0]), text(maps[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::toy::Heap;

    fn saved(change: impl Fn(String) -> String) -> Result<Manifest, ManifestError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("manifest.toml");
        Manifest::new(&Heap::default(), None, 1, u64::MAX).save(&path).unwrap();
        let text = change(std::fs::read_to_string(&path).unwrap());
        std::fs::write(&path, text).unwrap();
        Manifest::load(&path)
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let manifest = saved(|text| text).unwrap();
        assert_eq!(manifest.seed, u64::MAX);
        assert_eq!(manifest.rule_record(), Heap::default().rules());
        assert!(!manifest.finished);
    }

    #[test]
    fn ancestors_are_kept_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("manifest.toml");
        let ancestor = |name: &str| Ancestor {
            name: name.to_string(),
            step: 5,
            generation: 2,
            games: 80,
            hash: String::from("ab"),
            taught_by_tables: name == "mother",
        };
        let mut manifest = Manifest::new(&Heap::default(), None, 1, 7);
        manifest.ancestry = vec![ancestor("mother"), ancestor("models/grandmother")];
        manifest.save(&path).unwrap();
        assert_eq!(Manifest::load(&path).unwrap(), manifest);
        let told = "mother at step 5 (generation 2, 80 games)";
        assert_eq!(manifest.ancestry[0].to_string(), told);
        // Manifests of before that was kept.
        let text = std::fs::read_to_string(&path).unwrap();
        let old: Vec<&str> = text.lines().filter(|line| !line.contains("taught_by")).collect();
        std::fs::write(&path, old.join("\n")).unwrap();
        assert!(!Manifest::load(&path).unwrap().ancestry[0].taught_by_tables);
    }

    #[test]
    fn damage_and_other_versions_are_named() {
        let error = saved(|text| text.replace("format = 1", "format = 2\nnew = 1")).unwrap_err();
        assert!(error.to_string().contains("version 2, this program reads version 1"), "{error}");
        assert!(error.to_string().ends_with("use a newer menagerie"), "{error}");
        let error = saved(|text| text.replace("stones = 12", "stones = 13")).unwrap_err();
        assert!(error.to_string().contains("but the rules have"), "{error}");
        for change in [|_| String::new(), |text: String| text.replace("seed", "sead")] {
            let error = saved(change).unwrap_err();
            assert!(error.is_data());
            assert!(error.to_string().contains("manifest.toml: "), "{error}");
        }
    }

    #[test]
    fn a_mismatch_names_both() {
        let manifest = saved(|text| text).unwrap();
        let path = Path::new("m");
        assert!(manifest.check(path, &Heap::default(), 1).is_ok());
        let other = Heap { stones: 9, may_pass: true };
        let error = manifest.check(path, &other, 1).unwrap_err().to_string();
        assert!(
            error.contains(
                "the rules may_pass = false, stones = 12, but may_pass = true, stones = 9"
            ),
            "{error}"
        );
        assert!(manifest.check_seed(path, u64::MAX).is_ok());
        let error = manifest.check_seed(path, 3).unwrap_err().to_string();
        assert!(error.contains("the seed 18446744073709551615, but 3 was asked for"), "{error}");
        let error = manifest.check(path, &Heap::default(), 2).unwrap_err().to_string();
        assert!(error.contains("codec version 1, but 2 was asked for"), "{error}");
    }
}
