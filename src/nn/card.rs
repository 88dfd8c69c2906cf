//! The card of a model: what it plays, what it sees, how large it is, how it was made.

use super::NetworkSettings;
use crate::codec::{Encode, Shape};
use crate::search::SearchSettings;
use serde::{Deserialize, Serialize};

/// Version of the card's format.
pub const CARD_FORMAT: u32 = 1;

/// How a model was trained: free facts such as `run`, `generation`, `games`, `steps`, `seed`,
/// `seconds`, and [`TAUGHT_BY_TABLES`].
pub type TrainingFacts = toml::Table;

/// The fact whether endgame tables taught the model, or one that it descends from.
pub const TAUGHT_BY_TABLES: &str = "taught_by_tables";

/// `card.toml` of a model folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Version of this format.
    pub format: u32,
    /// The game's name: `jungle`.
    pub game: String,
    /// The codec whose inputs and codes the network learned.
    pub codec_version: u32,
    /// blake3 hash of `model.bpk`, in hexadecimal.
    pub hash: String,
    /// Size of `model.bpk`.
    pub model_bytes: u64,
    /// Hash of the model from which it was trained on, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The program that made it: `menagerie 0.1.0`.
    pub made_by: String,
    #[serde(default)]
    pub note: String,
    /// The resolved rules it was trained on. TOML has no null; it is written as `"off"`.
    #[serde(with = "rules_in_toml")]
    pub rules: serde_json::Value,
    pub shape: Shape,
    pub network: NetworkSettings,
    /// The search that it was trained with, and plays with unless told otherwise.
    #[serde(default)]
    pub search: SearchSettings,
    #[serde(default)]
    pub training: TrainingFacts,
    /// What exact values say of it: the headline figures of `truth`, if they were written down.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub truth: toml::Table,
}

mod rules_in_toml {
    use crate::record::rules;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub fn serialize<S: Serializer>(record: &Value, serializer: S) -> Result<S::Ok, S::Error> {
        rules::to_toml(record).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let table = toml::Table::deserialize(deserializer)?;
        Ok(Value::Object(rules::from_toml(&table)))
    }
}

impl Card {
    /// Did endgame tables teach the model? `None` on cards that do not say.
    pub fn taught_by_tables(&self) -> Option<bool> {
        self.training.get(TAUGHT_BY_TABLES).and_then(toml::Value::as_bool)
    }

    /// A card for a network of `game`; saving fills in hash and size.
    pub fn new<G: Encode>(game: &G, network: &NetworkSettings, search: &SearchSettings) -> Self {
        Self {
            format: CARD_FORMAT,
            game: game.name().to_string(),
            codec_version: G::CODEC_VERSION,
            hash: String::new(),
            model_bytes: 0,
            parent: None,
            made_by: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            note: String::new(),
            rules: game.rules(),
            shape: game.shape(),
            network: network.clone(),
            search: search.clone(),
            training: TrainingFacts::new(),
            truth: toml::Table::new(),
        }
    }
}
