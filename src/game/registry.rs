//! Name + options → concrete game: the one match over games. Below it everything is generic code
//! made for one game.
//!
//! A new game needs four things here: an `impl Registered`, a variant of [`AnyGame`], a line in
//! [`GAMES`], and an arm of [`with_game!`](crate::with_game).

use super::celestial::{self, Celestial};
use super::jungle::{self, Jungle};
use super::shengxiao::{self, Shengxiao};
use super::{Game, Notation};
use crate::settings::{Field, Settings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// How a game is made from its options.
trait Registered: Game + Notation {
    type Rules: Serialize + DeserializeOwned;
    const NAME: &'static str;
    /// The names of the rule sets, the default first.
    const PRESETS: &'static [&'static str];

    /// The rule set of a name in [`Registered::PRESETS`].
    fn preset(name: &str) -> Option<Self::Rules>;

    /// What that rule set is, in a line.
    fn preset_doc(_name: &str) -> &'static str {
        "the one rule set"
    }

    /// Every option with its default and meaning.
    fn options() -> Vec<Field>;

    /// The game, or why these options make none.
    fn with(rules: Self::Rules) -> Result<Self, String>;
}

impl Registered for Jungle {
    type Rules = jungle::Rules;
    const NAME: &'static str = "jungle";
    const PRESETS: &'static [&'static str] = &jungle::PRESETS;

    fn preset(name: &str) -> Option<jungle::Rules> {
        jungle::Rules::preset(name)
    }

    fn preset_doc(name: &str) -> &'static str {
        jungle::preset_doc(name)
    }

    fn options() -> Vec<Field> {
        jungle::Rules::fields()
    }

    fn with(rules: jungle::Rules) -> Result<Jungle, String> {
        Jungle::new(rules).map_err(|error| error.to_string())
    }
}

/// The one rule set of a game without presets.
const ONLY: &[&str] = &["standard"];

impl Registered for Celestial {
    type Rules = celestial::Rules;
    const NAME: &'static str = "celestial";
    const PRESETS: &'static [&'static str] = ONLY;

    fn preset(name: &str) -> Option<celestial::Rules> {
        ONLY.contains(&name).then(celestial::Rules::default)
    }

    fn options() -> Vec<Field> {
        Vec::new()
    }

    fn with(rules: celestial::Rules) -> Result<Celestial, String> {
        Ok(Celestial::new(rules))
    }
}

impl Registered for Shengxiao {
    type Rules = shengxiao::Rules;
    const NAME: &'static str = "shengxiao";
    const PRESETS: &'static [&'static str] = ONLY;

    fn preset(name: &str) -> Option<shengxiao::Rules> {
        ONLY.contains(&name).then(shengxiao::Rules::default)
    }

    fn options() -> Vec<Field> {
        shengxiao::Rules::fields()
    }

    fn with(rules: shengxiao::Rules) -> Result<Shengxiao, String> {
        Shengxiao::new(rules).map_err(|error| error.to_string())
    }
}

/// A game chosen at run time; opened by [`with_game!`](crate::with_game).
#[derive(Clone, Debug)]
pub enum AnyGame {
    Jungle(Jungle),
    Celestial(Celestial),
    Shengxiao(Shengxiao),
}

/// Runs `$body` with `$game` bound to a reference to the concrete game.
///
/// ```
/// use menagerie::game::{Game, registry};
/// let any = registry::build("jungle", None, &serde_json::Map::new())?;
/// let name = menagerie::with_game!(&any, game => game.name());
/// assert_eq!(name, "jungle");
/// # Ok::<(), registry::RegistryError>(())
/// ```
#[macro_export]
macro_rules! with_game {
    ($any:expr, $game:ident => $body:expr) => {
        match $any {
            $crate::game::registry::AnyGame::Jungle($game) => $body,
            $crate::game::registry::AnyGame::Celestial($game) => $body,
            $crate::game::registry::AnyGame::Shengxiao($game) => $body,
        }
    };
}

/// What is known of a game before it is made.
struct Entry {
    name: &'static str,
    presets: &'static [&'static str],
    preset_doc: fn(&str) -> &'static str,
    options: fn() -> Vec<Field>,
    build: fn(&str, &Map<String, Value>) -> Result<AnyGame, RegistryError>,
}

const GAMES: &[Entry] = &[
    entry::<Jungle>(|preset, rules| make(preset, rules, AnyGame::Jungle)),
    entry::<Celestial>(|preset, rules| make(preset, rules, AnyGame::Celestial)),
    entry::<Shengxiao>(|preset, rules| make(preset, rules, AnyGame::Shengxiao)),
];

const fn entry<G: Registered>(
    build: fn(&str, &Map<String, Value>) -> Result<AnyGame, RegistryError>,
) -> Entry {
    Entry {
        name: G::NAME,
        presets: G::PRESETS,
        preset_doc: G::preset_doc,
        options: G::options,
        build,
    }
}

/// Why no game could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    #[error("there is no game `{name}`; the games are {}{}", list(known), hint(name, known))]
    UnknownGame { name: String, known: Vec<&'static str> },
    #[error("{game} has no preset `{name}`; its presets are {}{}", list(known), hint(name, known))]
    UnknownPreset { game: &'static str, name: String, known: Vec<&'static str> },
    #[error("{game} has no option `{name}`; its options are {}{}", list(known), hint(name, known))]
    UnknownOption { game: &'static str, name: String, known: Vec<&'static str> },
    #[error("option `{key}` of {game} cannot be `{value}`; right is {allowed}")]
    WrongValue { game: &'static str, key: String, value: String, allowed: String },
    /// Each value alone may stand, but not all together. `option` is the first that was asked for
    /// and without which they could; the last that was asked for, if there is no such.
    #[error("these options make no game of {game}: {problem}")]
    Impossible { game: &'static str, option: Option<String>, problem: String },
}

/// Names in a row: `a`, `b`.
fn list(names: &[&str]) -> String {
    match names {
        [] => "none".into(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

/// The nearest name, if one is near.
fn hint(name: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest {
        Some((similarity, nearest)) if similarity > 0.75 => {
            format!(" (did you mean `{nearest}`?)")
        }
        _ => String::new(),
    }
}

fn find(name: &str) -> Result<&'static Entry, RegistryError> {
    GAMES
        .iter()
        .find(|game| game.name == name)
        .ok_or_else(|| RegistryError::UnknownGame { name: name.into(), known: names() })
}

/// The names of all games.
pub fn names() -> Vec<&'static str> {
    GAMES.iter().map(|game| game.name).collect()
}

/// The names of a game's rule sets, the default first.
pub fn presets(game: &str) -> Result<&'static [&'static str], RegistryError> {
    Ok(find(game)?.presets)
}

/// The same, each with what it is, in a line.
pub fn preset_docs(game: &str) -> Result<Vec<(&'static str, &'static str)>, RegistryError> {
    let game = find(game)?;
    Ok(game.presets.iter().map(|&name| (name, (game.preset_doc)(name))).collect())
}

/// A game's options with their defaults and meanings.
pub fn options(game: &str) -> Result<Vec<Field>, RegistryError> {
    Ok((find(game)?.options)())
}

/// Makes a game: a rule set (the default one if `preset` is `None`) with the options in `rules`
/// put over it, key by key.
pub fn build(
    name: &str,
    preset: Option<&str>,
    rules: &Map<String, Value>,
) -> Result<AnyGame, RegistryError> {
    let game = find(name)?;
    (game.build)(preset.unwrap_or(game.presets[0]), rules)
}

/// Rule options as TOML can hold them: TOML has no `null`, there an absent limit is `"off"`.
pub fn without_null(rules: &Map<String, Value>) -> Map<String, Value> {
    let off = |value: &Value| if value.is_null() { "off".into() } else { value.clone() };
    rules.iter().map(|(key, value)| (key.clone(), off(value))).collect()
}

fn make<G: Registered>(
    preset: &str,
    rules: &Map<String, Value>,
    wrap: fn(G) -> AnyGame,
) -> Result<AnyGame, RegistryError> {
    let base = G::preset(preset).ok_or_else(|| RegistryError::UnknownPreset {
        game: G::NAME,
        name: preset.into(),
        known: G::PRESETS.to_vec(),
    })?;
    let impossible = |option: Option<String>, problem: String| RegistryError::Impossible {
        game: G::NAME,
        option,
        problem,
    };
    let Ok(Value::Object(base)) = serde_json::to_value(&base) else {
        return Err(impossible(None, "its options are no record".into()));
    };
    let mut record = base.clone();
    for (key, value) in rules {
        let options = G::options();
        let Some(option) = options.iter().find(|option| option.key == key) else {
            return Err(RegistryError::UnknownOption {
                game: G::NAME,
                name: key.clone(),
                known: options.iter().map(|option| option.key).collect(),
            });
        };
        // Each key is tried alone first, so that the error can name it.
        let mut alone = record.clone();
        alone.insert(key.clone(), value.clone());
        if serde_json::from_value::<G::Rules>(Value::Object(alone.clone())).is_err() {
            return Err(RegistryError::WrongValue {
                game: G::NAME,
                key: key.clone(),
                value: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
                allowed: option.allowed.clone(),
            });
        }
        record = alone;
    }
    let with = |record: &Map<String, Value>| -> Result<G, String> {
        let rules = serde_json::from_value(Value::Object(record.clone()));
        G::with(rules.map_err(|error| error.to_string())?)
    };
    with(&record).map(wrap).map_err(|problem| {
        let is_at_fault = |key: &&String| {
            let mut without = record.clone();
            without.insert(key.to_string(), base[*key].clone());
            with(&without).is_ok()
        };
        let option = rules.keys().find(is_at_fault).or_else(|| rules.keys().next_back());
        impossible(option.cloned(), problem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn built(preset: Option<&str>, rules: Value) -> Result<Value, String> {
        let Value::Object(rules) = rules else { panic!("no record") };
        let any = build("jungle", preset, &rules).map_err(|error| error.to_string())?;
        Ok(crate::with_game!(&any, game => game.rules()))
    }

    #[test]
    fn options_go_over_the_preset() {
        let rules = built(Some("leiden"), json!({"traps": "all", "max_plies": "off"})).unwrap();
        assert_eq!(rules["traps"], "all");
        assert_eq!(rules["max_plies"], Value::Null);
        assert_eq!(rules["no_move"], "draw");
        assert_eq!(built(None, json!({})), built(Some("standard"), json!({})));
    }

    #[test]
    fn what_is_unknown_is_quoted_with_the_nearest_name() {
        let error = build("jungel", None, &Map::new()).unwrap_err().to_string();
        assert!(error.contains("`jungel`") && error.contains("did you mean `jungle`?"), "{error}");
        let error = built(Some("lieden"), json!({})).unwrap_err();
        assert!(error.contains("`lieden`") && error.contains("mean `leiden`?"), "{error}");
        assert!(error.contains("`animal-checkers`"), "{error}");
        let error = built(None, json!({"trap": "all"})).unwrap_err();
        assert!(error.contains("`trap`") && error.contains("mean `traps`?"), "{error}");
        assert!(!built(None, json!({"zzz": 1})).unwrap_err().contains("mean"));
    }

    #[test]
    fn wrong_values_name_key_and_value() {
        for (key, value) in [
            ("traps", json!("none")),
            ("trapped_takes", json!(1)),
            ("max_plies", json!(0)),
            ("max_plies", json!(-3)),
            ("no_capture_limit", json!("never")),
            ("no_capture_limit", json!(100_001)),
            ("repetition_count", json!(1)),
            ("ranks", json!("R<C<D<W<P<T<L")),
            ("ranks", json!("R<C<D<W<P<T<L<L")),
            ("ranks", json!("R<C<D<W<P<T<L>E")),
            ("ranks", json!("R<C<D<W<P<T<L<E<")),
            ("swimmers", json!("RR")),
            ("swimmers", json!("X")),
            ("board", json!("../.")),
            ("setup", json!("7/7 w 0 1")),
        ] {
            let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let error = built(None, json!({key: value})).unwrap_err();
            assert!(error.contains(&format!("`{key}`")), "{error}");
            assert!(error.contains(&format!("`{written}`")), "{error}");
        }
    }

    #[test]
    fn options_that_do_not_go_together_name_the_one_at_fault() {
        let at_fault = |game: &str, rules: Value| {
            let Value::Object(rules) = rules else { panic!("no record") };
            match build(game, None, &rules) {
                Err(RegistryError::Impossible { option, .. }) => option.unwrap(),
                other => panic!("{other:?}"),
            }
        };
        let setup = "7/7/7/7/7/7/7/7/7 w 0 1";
        assert_eq!(at_fault("jungle", json!({"setup": setup, "traps": "all"})), "setup");
        assert_eq!(at_fault("jungle", json!({"board": "../..", "traps": "all"})), "board");
        // Both are wrong: the last one is as good as the first.
        assert_eq!(at_fault("shengxiao", json!({"setup": "x", "width": 99})), "width");
        assert_eq!(at_fault("shengxiao", json!({"quiet_turns": 7, "setup": "x"})), "setup");
    }

    #[test]
    fn every_preset_says_what_it_is() {
        for game in names() {
            let docs = preset_docs(game).unwrap();
            assert_eq!(docs.len(), presets(game).unwrap().len());
            assert!(docs.iter().all(|(_, doc)| doc.len() > 10), "{docs:?}");
        }
    }

    #[test]
    fn toml_gets_no_null() {
        let Value::Object(rules) = built(Some("wikipedia"), json!({})).unwrap() else { panic!() };
        let text = toml::to_string(&without_null(&rules)).unwrap();
        assert!(text.contains("no_capture_limit = \"off\""), "{text}");
        let back: Map<String, Value> = toml::from_str(&text).unwrap();
        assert_eq!(built(None, Value::Object(back)).unwrap(), Value::Object(rules));
    }
}
