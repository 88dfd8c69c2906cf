//! Config files and overrides as lists of entries, each with the place it comes from. Knows the
//! form of a config (sections, keys), not its keys.

use super::problem::{Origin, Problem};
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

/// Where the rules of the game stand: a key whose value is a table of options.
pub const RULES: [&str; 2] = ["game", "rules"];

/// A value for a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Section and key, never empty; three words for an option of the rules.
    pub path: Vec<String>,
    pub value: toml::Value,
    /// The value as it was written, shortened.
    pub quoted: String,
    /// The place of the key.
    pub key_at: Origin,
    /// The place of the value.
    pub value_at: Origin,
    /// May the value as well be meant as a string (an override without quotes)?
    pub bare: Option<String>,
}

impl Entry {
    /// Is this a section's head, not one of its keys?
    pub fn is_head(&self) -> bool {
        self.path.len() == 1 && self.value.as_table().is_some_and(toml::Table::is_empty)
    }
}

/// What was read of a file.
#[derive(Debug, Default)]
pub struct Document {
    pub entries: Vec<Entry>,
    pub problems: Vec<Problem>,
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    found: Document,
}

/// Reads a config file's text.
pub fn read_config(path: &Path, text: &str) -> Document {
    read(path, text, |reader, root| {
        for (section, value) in in_order(root) {
            let name = section.get_ref().to_string();
            match value.get_ref() {
                DeValue::Table(keys) => {
                    reader.head(&name, section);
                    reader.section(&[name], keys);
                }
                _ => reader.entry(vec![name], section, value),
            }
        }
    })
}

/// Reads the text of a file of rule options.
pub fn read_rules(path: &Path, text: &str) -> Document {
    if path.extension().is_some_and(|extension| extension == "json") {
        return read_json_rules(path, text);
    }
    read(path, text, |reader, root| {
        for (key, value) in in_order(root) {
            if matches!(value.get_ref(), DeValue::Table(_)) {
                let message = format!(
                    "[{}] is a section, so this is a config; a file of rules has options alone, \
                     such as `traps = \"all\"`",
                    key.get_ref()
                );
                let origin = Origin::at(path, text, key.span().start);
                reader.found.problems.push(Problem { origin, key: String::new(), message });
                return;
            }
            let [section, rules] = RULES.map(String::from);
            reader.entry(vec![section, rules, key.get_ref().to_string()], key, value);
        }
    })
}

fn read(path: &Path, text: &str, walk: impl FnOnce(&mut Reader, &DeTable)) -> Document {
    let mut reader = Reader { path, text, found: Document::default() };
    let (root, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        walk(&mut reader, root.get_ref());
    }
    for error in errors {
        let span = error.span().unwrap_or_default();
        let quoted = shorten(text.get(span.clone()).unwrap_or_default());
        let message = match quoted.is_empty() {
            true => error.message().to_string(),
            false => format!("{} at `{quoted}`", error.message()),
        };
        let origin = Origin::at(path, text, span.start);
        reader.found.problems.push(Problem { origin, key: String::new(), message });
    }
    reader.found
}

/// The keys of a table in the order of the text.
fn in_order<'a, 'i>(
    table: &'a DeTable<'i>,
) -> Vec<(&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>)> {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    keys
}

impl Reader<'_> {
    /// The section itself, as an entry with an empty table: its name may be unknown.
    fn head(&mut self, name: &str, section: &Spanned<DeString>) {
        let at = Origin::at(self.path, self.text, section.span().start);
        self.found.entries.push(Entry {
            path: vec![name.to_string()],
            value: toml::Value::Table(toml::Table::new()),
            quoted: String::new(),
            key_at: at.clone(),
            value_at: at,
            bare: None,
        });
    }

    fn section(&mut self, path: &[String], keys: &DeTable) {
        for (key, value) in in_order(keys) {
            let path = [path, &[key.get_ref().to_string()]].concat();
            match value.get_ref() {
                DeValue::Table(options) if path == RULES => self.section(&path, options),
                _ => self.entry(path, key, value),
            }
        }
    }

    fn entry(&mut self, path: Vec<String>, key: &Spanned<DeString>, value: &Spanned<DeValue>) {
        let at = |byte| Origin::at(self.path, self.text, byte);
        let (key_at, value_at) = (at(key.span().start), at(value.span().start));
        let quoted = shorten(self.text.get(value.span()).unwrap_or_default());
        match toml::Value::deserialize(ValueDeserializer::from(value.clone())) {
            Ok(value) => {
                let bare = None;
                self.found.entries.push(Entry { path, value, quoted, key_at, value_at, bare });
            }
            Err(error) => {
                let message = format!("= {quoted}: {}", error.message());
                let key = path.join(".");
                self.found.problems.push(Problem { origin: value_at, key, message });
            }
        }
    }
}

/// A rule record in JSON, as games and manifests of other programs have it.
fn read_json_rules(path: &Path, text: &str) -> Document {
    let problem = |message: String, origin| Document {
        problems: vec![Problem { origin, key: String::new(), message }],
        ..Document::default()
    };
    let whole = || Origin::Whole(path.to_path_buf());
    let record: serde_json::Value = match serde_json::from_str(text) {
        Ok(record) => record,
        Err(error) => return problem(format!("not JSON: {error}"), whole()),
    };
    let Some(options) = record.as_object() else {
        return problem(String::from("expected an object with options of the rules"), whole());
    };
    let values = crate::record::rules::to_toml(&record);
    let entries = values.into_iter().map(|(key, value)| Entry {
        quoted: options.get(&key).map(|value| shorten(&value.to_string())).unwrap_or_default(),
        path: RULES.map(String::from).into_iter().chain([key]).collect(),
        value,
        key_at: whole(),
        value_at: whole(),
        bare: None,
    });
    Document { entries: entries.collect(), problems: Vec::new() }
}

/// Reads `section.key=value`. The value is TOML; what is no TOML is a string.
pub fn read_override(text: &str) -> Result<Entry, Problem> {
    let origin = Origin::Option(format!("--set {text}"));
    let refuse = |message: &str| {
        let message = message.to_string();
        Err(Problem { origin: origin.clone(), key: String::new(), message })
    };
    let Some((key, value)) = text.split_once('=') else {
        return refuse("has no `=`; expected section.key=value");
    };
    let mut path: Vec<String> = key.split('.').map(|word| word.trim().to_string()).collect();
    if path.iter().any(String::is_empty) {
        return refuse("has no key before the `=`; expected section.key=value");
    }
    if path[0] == RULES[1] {
        path.insert(0, RULES[0].to_string());
    }
    let value = value.trim();
    let parsed = toml::from_str::<toml::Table>(&format!("value = {value}"));
    let parsed = parsed.ok().filter(|table| table.len() == 1).and_then(|mut t| t.remove("value"));
    let string = toml::Value::String(value.to_string());
    Ok(Entry {
        path,
        quoted: shorten(value),
        key_at: origin.clone(),
        value_at: origin,
        bare: parsed.is_some().then(|| value.to_string()),
        value: parsed.unwrap_or(string),
    })
}

/// The first line of a text, at most 60 characters of it.
fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paths(document: &Document) -> Vec<String> {
        document.entries.iter().map(|entry| entry.path.join(".")).collect()
    }

    #[test]
    fn a_file_becomes_entries_with_places() {
        let text = "[learn]\nrate = 0.5\nbatch = 3\n\n[game.rules]\nno_move = \"draw\"\n";
        let document = read_config(Path::new("x.toml"), text);
        assert_eq!(document.problems, []);
        let expected = ["learn", "learn.rate", "learn.batch", "game", "game.rules.no_move"];
        assert_eq!(paths(&document), expected);
        let batch = &document.entries[2];
        assert_eq!((batch.quoted.as_str(), &batch.value), ("3", &toml::Value::Integer(3)));
        assert_eq!(batch.key_at.to_string(), "x.toml:3:1");
        assert_eq!(batch.value_at.to_string(), "x.toml:3:9");
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_place() {
        let told = |text| {
            let document = read_config(Path::new("x.toml"), text);
            document.problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let duplicate = told("[learn]\nbatch = 3\nbatch = 4\n");
        assert_eq!(duplicate, ["x.toml:3:1: duplicate key at `batch`"]);
        assert!(told("[learn]\nbatch =\n")[0].starts_with("x.toml:2:8: "));
        let huge = told("[learn]\nbatch = 99999999999999999999\n");
        assert!(huge[0].starts_with("x.toml:2:9: `learn.batch` = 99999999999999999999: "));
        assert!(told("a = 1\n]\nb = = 2\n").len() > 1);
    }

    #[test]
    fn rules_are_read_from_toml_and_json() {
        let toml = read_rules(Path::new("r.toml"), "limit = \"off\"\ncount = 3\n");
        let json = read_rules(Path::new("r.json"), r#"{"limit": null, "count": 3}"#);
        let values = |document: &Document| {
            let mut values: Vec<_> = document
                .entries
                .iter()
                .map(|entry| (entry.path.join("."), entry.value.to_string()))
                .collect();
            values.sort();
            values
        };
        assert_eq!(values(&toml), values(&json));
        assert_eq!(values(&toml)[1].0, "game.rules.limit");
        let config = read_rules(Path::new("c.toml"), "[game]\nname = \"jungle\"\n[train]\n");
        assert_eq!(config.problems.len(), 1);
        let told = config.problems[0].to_string();
        assert!(told.starts_with("c.toml:1:2: [game] is a section, so this is a config"), "{told}");
        for text in ["[]", "{"] {
            assert_eq!(read_rules(Path::new("r.json"), text).problems.len(), 1);
        }
    }

    #[test]
    fn overrides_are_toml_or_plain_words() {
        let value = |text| read_override(text).unwrap().value;
        assert_eq!(value("learn.batch=3"), toml::Value::Integer(3));
        assert_eq!(value("game.name = celestial"), toml::Value::String("celestial".into()));
        assert_eq!(value("game.name=\"a b\""), toml::Value::String("a b".into()));
        assert_eq!(value("a.b=1\nc = 2"), toml::Value::String("1\nc = 2".into()));
        let rules = read_override("rules.setup=8/8 w 0 1").unwrap();
        assert_eq!(rules.path, ["game", "rules", "setup"]);
        assert_eq!(rules.value, toml::Value::String("8/8 w 0 1".into()));
        let error = read_override("learn.batch").unwrap_err().to_string();
        assert_eq!(error, "--set learn.batch: has no `=`; expected section.key=value");
        assert!(read_override(".x=1").is_err() && read_override("=1").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            let path = Path::new("x.toml");
            let document = read_config(path, &text);
            prop_assert!(document.problems.is_empty() || document.entries.len() < text.len());
            read_rules(Path::new("x.json"), &text);
            let _ = read_override(&text);
        }
    }
}
