//! The identity of a rule record: its hash, and its form in TOML.
//!
//! TOML has no null; an option that is null is written as the word `"off"`.

use crate::game::Game;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;

/// A hash of a game's name and its full rule record: equal exactly for equal rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RulesHash(pub u64);

impl RulesHash {
    /// The hash of the rules that `game` plays.
    pub fn of<G: Game>(game: &G) -> RulesHash {
        Self::of_record(game.name(), &game.rules())
    }

    /// The hash of a rule record; the order of its keys is of no account.
    pub fn of_record(game: &str, rules: &Value) -> RulesHash {
        let hash = blake3::hash(format!("{game}\n{}", canonical(rules)).as_bytes());
        let first: [u8; 8] = std::array::from_fn(|index| hash.as_bytes()[index]);
        RulesHash(u64::from_be_bytes(first))
    }
}

impl fmt::Display for RulesHash {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

impl fmt::Debug for RulesHash {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for RulesHash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(hash) if digits => Ok(RulesHash(hash)),
            _ => Err(format!("\"{text}\" is not a rules hash; expected 16 hexadecimal digits")),
        }
    }
}

impl Serialize for RulesHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for RulesHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
        } else {
            u64::deserialize(deserializer).map(RulesHash)
        }
    }
}

/// JSON text without spaces and with sorted keys.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries = entries
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// A rule record as TOML; null becomes `"off"`. Anything but a record of options is empty.
pub fn to_toml(rules: &Value) -> toml::Table {
    fn convert(value: &Value) -> toml::Value {
        match value {
            Value::Null => toml::Value::String(String::from("off")),
            Value::Bool(flag) => toml::Value::Boolean(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => toml::Value::Integer(integer),
                None => toml::Value::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => toml::Value::String(text.clone()),
            Value::Array(items) => toml::Value::Array(items.iter().map(convert).collect()),
            Value::Object(_) => toml::Value::Table(to_toml(value)),
        }
    }
    match rules {
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), convert(value))).collect()
        }
        _ => toml::Table::new(),
    }
}

/// Options written in TOML as a rule record; `"off"` becomes null.
pub fn from_toml(options: &toml::Table) -> Map<String, Value> {
    fn convert(value: &toml::Value) -> Value {
        match value {
            toml::Value::String(text) if text == "off" => Value::Null,
            toml::Value::String(text) => Value::from(text.as_str()),
            toml::Value::Integer(number) => Value::from(*number),
            toml::Value::Float(number) => Value::from(*number),
            toml::Value::Boolean(flag) => Value::from(*flag),
            toml::Value::Datetime(time) => Value::from(time.to_string()),
            toml::Value::Array(items) => Value::Array(items.iter().map(convert).collect()),
            toml::Value::Table(table) => Value::Object(from_toml(table)),
        }
    }
    options.iter().map(|(key, value)| (key.clone(), convert(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_rules_have_equal_hashes_whatever_their_order() {
        let one: Value =
            serde_json::from_str(r#"{"a": 1, "b": {"d": [1, "x"], "c": null}}"#).unwrap();
        let same: Value = serde_json::from_str(r#"{"b":{"c":null,"d":[1,"x"]},"a":1}"#).unwrap();
        assert_eq!(canonical(&one), r#"{"a":1,"b":{"c":null,"d":[1,"x"]}}"#);
        let hash = RulesHash::of_record("jungle", &one);
        assert_eq!(hash, RulesHash::of_record("jungle", &same));
        assert_ne!(hash, RulesHash::of_record("celestial", &one));
        assert_ne!(hash, RulesHash::of_record("jungle", &json!({"a": 2})));
    }

    /// The hash stands in files: it must never change.
    #[test]
    fn a_known_hash() {
        let hash = RulesHash::of_record("celestial", &json!({}));
        assert_eq!(hash.to_string(), "317529f219f65bbd");
    }

    #[test]
    fn hashes_have_a_text() {
        let hash = RulesHash(0x00ab);
        assert_eq!(hash.to_string(), "00000000000000ab");
        assert_eq!("00000000000000ab".parse(), Ok(hash));
        assert!("ab".parse::<RulesHash>().unwrap_err().contains("\"ab\""));
        assert!("+0000000000000ab".parse::<RulesHash>().is_err());
    }

    #[test]
    fn a_rule_record_survives_toml() {
        let rules = json!({"limit": null, "setup": "8/8 w", "count": 3, "wins": true});
        let text = toml::to_string(&to_toml(&rules)).unwrap();
        assert!(text.contains("limit = \"off\""), "{text}");
        assert_eq!(Value::Object(from_toml(&toml::from_str(&text).unwrap())), rules);
        assert_eq!(to_toml(&Value::Null), toml::Table::new());
    }
}
