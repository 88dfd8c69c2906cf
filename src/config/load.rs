//! Loading: file, then preset, then rules, then overrides, each over the earlier ones; everything
//! that is wrong is told at once.

use super::compose::{Compose, KeyFault, Section};
use super::document::{self, Document, Entry, RULES};
use super::problem::{ConfigError, Origin, Problem, nearest};
use crate::disk::{self, DiskError};
use crate::settings::Conflict;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a config is made of. Later ones go before earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// A config file.
    pub file: Option<PathBuf>,
    /// The game, as `--game` names it.
    pub game: Option<String>,
    /// A preset of the rules; it replaces the file's preset and the file's options of the rules.
    pub preset: Option<String>,
    /// A file of rule options: TOML, or a rule record in JSON (`.json`).
    pub rules: Option<PathBuf>,
    /// Overrides: `section.key=value`, `rules.key=value`.
    pub sets: Vec<String>,
}

/// A config that is in order, and where its values come from.
#[derive(Clone, Debug)]
pub struct Loaded<C> {
    pub config: C,
    origins: BTreeMap<String, Origin>,
}

impl<C> Loaded<C> {
    /// Where the value of a key (`learn.batch`, `game.rules.no_move`) comes from.
    pub fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).cloned().unwrap_or(Origin::Default)
    }

    /// An error about a key's value that was found after loading (an unknown preset, say); it
    /// names the place where the value was set.
    pub fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        let (key, message) = (key.to_string(), message.into());
        ConfigError::Problems(vec![Problem { origin: self.origin(&key), key, message }])
    }
}

/// Loads a config, or tells everything that is wrong with it.
pub fn load<C: Compose>(sources: &Sources) -> Result<Loaded<C>, ConfigError> {
    let mut found = Document::default();
    if let Some(path) = &sources.file {
        found = document::read_config(path, &read_short(path)?);
    }
    if let Some(game) = &sources.game {
        found.entries.push(option_entry("game", ["game", "name"], game));
    }
    if let Some(preset) = &sources.preset {
        let preset_path = [RULES[0], "preset"];
        let options = RULES.map(String::from);
        found
            .entries
            .retain(|entry| entry.path != preset_path && !entry.path.starts_with(&options));
        found.entries.push(option_entry("preset", preset_path, preset));
    }
    if let Some(path) = &sources.rules {
        let rules = document::read_rules(path, &read_short(path)?);
        found.entries.extend(rules.entries);
        found.problems.extend(rules.problems);
    }
    read_sets(sources, &mut found);
    assemble(found)
}

/// A value that an option of its own gives: `--preset leiden`.
fn option_entry(option: &str, path: [&str; 2], value: &str) -> Entry {
    let origin = Origin::Option(format!("--{option} {value}"));
    Entry {
        path: path.map(String::from).to_vec(),
        value: toml::Value::String(value.to_string()),
        quoted: format!("\"{value}\""),
        key_at: origin.clone(),
        value_at: origin,
        bare: None,
    }
}

/// No config of a person is longer; a file that is was named by mistake.
const LONGEST: u64 = 1 << 20;

fn read_short(path: &Path) -> Result<String, DiskError> {
    let length = std::fs::metadata(path).map_or(0, |about| about.len());
    if length > LONGEST {
        let why = format!("{length} bytes, but a config has {LONGEST} at most");
        return Err(DiskError::on("read", path)(std::io::Error::other(why)));
    }
    disk::read_text(path)
}

fn read_sets(sources: &Sources, found: &mut Document) {
    let mut seen: BTreeMap<Vec<String>, String> = BTreeMap::new();
    if let Some(game) = &sources.game {
        seen.insert(["game", "name"].map(String::from).to_vec(), format!("--game {game}"));
    }
    for text in &sources.sets {
        match document::read_override(text) {
            Ok(entry) => {
                if let Some(earlier) = seen.insert(entry.path.clone(), format!("--set {text}")) {
                    let message = format!("is set twice; the other is {earlier}");
                    found.problems.push(problem(&entry, entry.key_at.clone(), message));
                }
                found.entries.push(entry);
            }
            Err(problem) => found.problems.push(problem),
        }
    }
}

fn assemble<C: Compose>(found: Document) -> Result<Loaded<C>, ConfigError> {
    let Document { entries, mut problems } = found;
    let sections = C::sections();
    let mut table = toml::Table::new();
    let mut origins = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    for entry in entries {
        // An unknown section of a file is told once, not for each of its keys.
        let is_known = sections.iter().any(|section| section.name == entry.path[0]);
        let in_file = !matches!(entry.key_at, Origin::Option(_));
        if !is_known && in_file && !unknown.insert(entry.path[0].clone()) {
            continue;
        }
        if is_known && entry.is_head() {
            continue;
        }
        match check::<C>(&sections, &entry) {
            Ok(value) => {
                origins.insert(entry.path.join("."), entry.key_at.clone());
                insert(&mut table, &entry.path, value);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(ConfigError::Problems(problems));
    }
    match C::from_table(table) {
        Ok(config) => {
            let loaded = Loaded { config, origins };
            let conflicts = loaded.config.conflicts().into_iter();
            let problems: Vec<Problem> = conflicts
                .map(|(section, Conflict { keys, message })| {
                    // The key that somebody set is to blame.
                    let keys = keys.iter().map(|key| format!("{section}.{key}"));
                    let mut keys = keys.rev();
                    let last = keys.next().unwrap_or_default();
                    let set = |key: &String| loaded.origins.contains_key(key);
                    let first = keys.next_back().filter(|first| set(first) || !set(&last));
                    let key = first.unwrap_or(last);
                    Problem { origin: loaded.origin(&key), key, message: message.to_string() }
                })
                .collect();
            if problems.is_empty() { Ok(loaded) } else { Err(ConfigError::Problems(problems)) }
        }
        Err(error) => Err(ConfigError::Problems(vec![Problem {
            origin: Origin::Default,
            key: String::new(),
            message: error.message().to_string(),
        }])),
    }
}

/// The entry's value, if its section takes it.
fn check<C: Compose>(sections: &[Section], entry: &Entry) -> Result<toml::Value, Problem> {
    let (name, keys) = (entry.path[0].as_str(), &entry.path[1..]);
    let refuse_key = |message| Err(problem(entry, entry.key_at.clone(), message));
    let Some(section) = sections.iter().find(|section| section.name == name) else {
        return refuse_key(unknown_section(sections, name));
    };
    let key = match keys {
        [] => return refuse_key(format!("is a section; expected [{name}] with keys below it")),
        [key] => key.as_str(),
        [rules, _option] if [name, rules] == RULES => return Ok(entry.value.clone()),
        [key, ..] => return refuse_key(format!("goes too deep; the key would be `{name}.{key}`")),
    };
    let Some(field) = section.fields.iter().find(|field| field.key == key) else {
        return refuse_key(unknown_key(sections, section, key));
    };
    let fault = match C::try_key(name, key, &entry.value) {
        Ok(()) => return Ok(entry.value.clone()),
        Err(fault) => fault,
    };
    // `--set game.name=7` may well mean the word.
    if let Some(bare) = &entry.bare {
        let word = toml::Value::String(bare.clone());
        if C::try_key(name, key, &word).is_ok() {
            return Ok(word);
        }
    }
    let message = match fault {
        KeyFault::Range(fault) => {
            format!("= {} is out of range; allowed: {}", entry.quoted, fault.allowed)
        }
        KeyFault::Type(why) => {
            // Words about the program's own types help nobody.
            let of_types = ["invalid type", "invalid value", "unknown variant"];
            let why = match of_types.iter().any(|begin| why.starts_with(begin)) {
                true => String::from(" is none of what is allowed"),
                false => format!(": {why}; allowed"),
            };
            format!("= {}{why}: {}", entry.quoted, field.allowed)
        }
    };
    Err(problem(entry, entry.value_at.clone(), message))
}

fn problem(entry: &Entry, origin: Origin, message: String) -> Problem {
    Problem { origin, key: entry.path.join("."), message }
}

fn unknown_section(sections: &[Section], name: &str) -> String {
    let names = sections.iter().map(|section| section.name);
    let owner = sections.iter().find(|s| s.fields.iter().any(|field| field.key == name));
    if let Some(owner) = owner {
        format!("stands in no section; it belongs into [{}]", owner.name)
    } else if let Some(near) = nearest(name, names.clone()) {
        format!("is no section; the nearest is [{near}]")
    } else {
        let names: Vec<String> = names.map(|name| format!("[{name}]")).collect();
        format!("is no section; there are {}", names.join(" "))
    }
}

fn unknown_key(sections: &[Section], section: &Section, key: &str) -> String {
    let keys = section.fields.iter().map(|field| field.key);
    let owner = sections.iter().find(|s| s.fields.iter().any(|field| field.key == key));
    if let Some(owner) = owner {
        format!("is no key of [{}]; it belongs into [{}]", section.name, owner.name)
    } else if let Some(near) = nearest(key, keys.clone()) {
        format!("is no key; the nearest is `{near}`")
    } else {
        let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
        format!("is no key; [{}] has {}", section.name, keys.join(", "))
    }
}

/// Puts a value at its path; a whole table of rules and single options mix.
fn insert(table: &mut toml::Table, path: &[String], value: toml::Value) {
    match path {
        [] => {}
        [key] => {
            table.insert(key.clone(), value);
        }
        [section, rest @ ..] => {
            let empty = || toml::Value::Table(toml::Table::new());
            let inner = table.entry(section.clone()).or_insert_with(empty);
            if let toml::Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::compose::example::{Example, Plays};
    use super::*;
    use serde_json::Value;

    struct Files(tempfile::TempDir);

    impl Files {
        fn with(name: &str, text: &str) -> (Files, PathBuf) {
            let files = Files(tempfile::tempdir().unwrap());
            let path = files.add(name, text);
            (files, path)
        }

        fn add(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        }
    }

    fn from_text(text: &str, sets: &[&str]) -> Result<Loaded<Example>, Vec<String>> {
        let (files, file) = Files::with("x.toml", text);
        let sets = sets.iter().map(ToString::to_string).collect();
        let loaded = load(&Sources { file: Some(file), sets, ..Sources::default() });
        let folder = format!("{}/", files.0.path().display());
        loaded.map_err(|error| {
            error.problems().iter().map(|one| one.to_string().replace(&folder, "")).collect()
        })
    }

    #[test]
    fn nothing_at_all_is_the_default() {
        let loaded: Loaded<Example> = load(&Sources::default()).unwrap();
        assert_eq!(loaded.config, Example::default());
        assert_eq!(loaded.origin("learn.batch"), Origin::Default);
    }

    #[test]
    fn a_file_and_overrides_are_loaded() {
        let text = "[learn]\nbatch = 8\nrate = 1\nplays = \"raw\"\n[search]\nkeep = false\n";
        let loaded = from_text(text, &["learn.batch=16", "search.formula=7"]).unwrap();
        let config = &loaded.config;
        assert_eq!((config.learn.batch, config.learn.rate), (16, 1.0));
        assert_eq!((config.learn.plays, config.search.keep), (Plays::Raw, false));
        assert_eq!(config.search.formula, "7");
        assert_eq!(loaded.origin("learn.batch").to_string(), "--set learn.batch=16");
        assert!(loaded.origin("search.keep").to_string().ends_with("x.toml:6:1"));
        let error = loaded.error("search.formula", "= \"7\" is no formula").to_string();
        assert_eq!(error, "--set search.formula=7: `search.formula` = \"7\" is no formula");
    }

    #[test]
    fn everything_wrong_is_told_at_once_with_its_place() {
        let text = "\
batch = 3
[learning]
rate = 1.0
batch = 3
[learn]
bacth = 3
visits = 64
batch = 0
rate = \"fast\"
plays = \"emma\"
zzzzzzzzzzzz = 1
[search]
visits = -1
keep = 1
";
        let problems = from_text(text, &["learn.batch=70000", "serach.visits=3", "learn=3"]);
        let mut problems = problems.unwrap_err();
        problems.sort();
        let mut expected = vec![
            "--set learn.batch=70000: `learn.batch` = 70000 is out of range; allowed: 1 to 65536",
            "--set learn=3: `learn` is a section; expected [learn] with keys below it",
            "--set serach.visits=3: `serach.visits` is no section; the nearest is [search]",
            "x.toml:1:1: `batch` stands in no section; it belongs into [learn]",
            "x.toml:2:2: `learning` is no section; the nearest is [learn]",
            "x.toml:6:1: `learn.bacth` is no key; the nearest is `batch`",
            "x.toml:7:1: `learn.visits` is no key of [learn]; it belongs into [search]",
            "x.toml:8:9: `learn.batch` = 0 is out of range; allowed: 1 to 65536",
            "x.toml:9:8: `learn.rate` = \"fast\" is none of what is allowed: 0.0 to 1.0",
            "x.toml:10:9: `learn.plays` = \"emma\" is none of what is allowed: `ema` or `raw`",
            "x.toml:11:1: `learn.zzzzzzzzzzzz` is no key; [learn] has `batch`, `rate`, `plays`, \
             `bounds`",
            "x.toml:13:10: `search.visits` = -1 is none of what is allowed: 1 to 100000",
            "x.toml:14:8: `search.keep` = 1 is none of what is allowed: `true` or `false`",
        ];
        expected.sort();
        assert_eq!(problems, expected);
    }

    #[test]
    fn a_key_given_twice_is_told() {
        let problems = from_text("[learn]\nbatch = 3\nbatch = 4\n", &[]).unwrap_err();
        assert_eq!(problems, ["x.toml:3:1: duplicate key at `batch`"]);
        let problems = from_text("", &["learn.batch=3", "learn.batch=4"]).unwrap_err();
        assert_eq!(
            problems,
            ["--set learn.batch=4: `learn.batch` is set twice; the other is --set learn.batch=3"]
        );
    }

    #[test]
    fn rules_come_from_preset_file_and_overrides() {
        let text = "[game]\npreset = \"misty\"\n[game.rules]\nno_move = \"draw\"\ncount = 1\n";
        let (files, file) = Files::with("x.toml", text);
        let mut sources = Sources { file: Some(file), ..Sources::default() };
        let rules = |sources: &Sources| {
            let loaded: Loaded<Example> = load(sources).unwrap();
            (
                loaded.config.game.preset.clone(),
                Value::Object(loaded.config.game.options()).to_string(),
            )
        };
        let text = |preset: &str, options: &str| (preset.to_string(), options.to_string());
        assert_eq!(rules(&sources), text("misty", r#"{"count":1,"no_move":"draw"}"#));
        sources.rules = Some(files.add("r.json", r#"{"count": null}"#));
        assert_eq!(rules(&sources), text("misty", r#"{"count":null,"no_move":"draw"}"#));
        sources.sets = vec![String::from("rules.count=off"), String::from("rules.x=true")];
        assert_eq!(rules(&sources), text("misty", r#"{"count":null,"no_move":"draw","x":true}"#));
        let twice = Sources {
            game: Some(String::from("jungle")),
            sets: vec![String::from("game.name=jungle")],
            ..Sources::default()
        };
        let error = load::<Example>(&twice).unwrap_err().to_string();
        assert!(error.ends_with("is set twice; the other is --game jungle"), "{error}");
        sources.preset = Some(String::from("leiden"));
        assert_eq!(rules(&sources), text("leiden", r#"{"count":null,"x":true}"#));
        let loaded: Loaded<Example> = load(&sources).unwrap();
        assert_eq!(loaded.origin("game.preset").to_string(), "--preset leiden");
        assert_eq!(loaded.origin("game.rules.x").to_string(), "--set rules.x=true");
    }

    #[test]
    fn a_rules_key_that_is_no_table_is_told() {
        let problems = from_text("[game]\nrules = 3\n", &[]).unwrap_err();
        assert!(problems[0].starts_with("x.toml:2:9: `game.rules` = 3 is none"), "{problems:?}");
        let problems = from_text("[learn]\nbatch = { x = 1 }\n", &["learn.a.b=1"]).unwrap_err();
        assert!(problems[0].starts_with("x.toml:2:9: `learn.batch` = { x = 1 } is none"));
        assert!(problems[1].contains("goes too deep; the key would be `learn.a`"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let sources = Sources { file: Some("no/such.toml".into()), ..Sources::default() };
        let error = load::<Example>(&sources).unwrap_err();
        assert!(error.to_string().starts_with("cannot read no/such.toml: "), "{error}");
    }
}
