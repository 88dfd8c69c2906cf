//! The config as text: every key with its meaning, and a resolved config that loads back equal.

use super::compose::{Compose, Section};
use super::problem::{ConfigError, Origin, Problem};
use crate::settings::Field;

/// Width of comments.
const WIDTH: usize = 96;

/// Every key with its meaning, allowed values and default, as a config file that loads as the
/// default.
pub fn describe<C: Compose>() -> String {
    let mut text = String::from(
        "# Every key with its default. A config needs only the keys that differ; any of them can\n\
         # be given on the command line, too: --set section.key=value\n",
    );
    for section in C::sections() {
        text += &describe_section(&section);
    }
    text
}

fn describe_section(section: &Section) -> String {
    // A table of its own comes after the plain keys, or these would fall into it.
    let (tables, keys): (Vec<&Field>, Vec<&Field>) =
        section.fields.iter().partition(|field| field.default == "{}");
    let mut text = format!("\n{}[{}]\n", comment(&section.doc), section.name);
    for field in keys {
        text += &format!("\n{}", describe_field(field));
        text += &match field.default.as_str() {
            "null" => format!("# {} =\n", field.key),
            default => format!("{} = {default}\n", field.key),
        };
    }
    for field in tables {
        text += &format!("\n{}[{}.{}]\n", describe_field(field), section.name, field.key);
    }
    text
}

fn describe_field(field: &Field) -> String {
    comment(&field.doc) + &comment(&format!("Allowed: {}.", field.allowed))
}

/// A text as comment lines of at most [`WIDTH`] characters.
fn comment(text: &str) -> String {
    wrapped(text, "# ", WIDTH)
}

/// A text in lines of at most `width` characters (unless a word is longer), each after `margin`.
pub fn wrapped(text: &str, margin: &str, width: usize) -> String {
    let mut lines = vec![String::from(margin)];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let is_empty = lines[last] == margin;
        let space = usize::from(!is_empty);
        if !is_empty && lines[last].chars().count() + space + word.chars().count() > width {
            lines.push(format!("{margin}{word}"));
        } else {
            if !is_empty {
                lines[last].push(' ');
            }
            lines[last] += word;
        }
    }
    lines.join("\n") + "\n"
}

/// A config with every key, as a file that loads back equal.
pub fn to_toml<C: Compose>(config: &C) -> Result<String, ConfigError> {
    toml::to_string(config).map_err(|error| {
        let message = format!("the config cannot be written as TOML: {error}");
        ConfigError::Problems(vec![Problem {
            origin: Origin::Default,
            key: String::new(),
            message,
        }])
    })
}

#[cfg(test)]
mod tests {
    use super::super::compose::{Config, example::Example};
    use super::super::load::{Loaded, Sources, load};
    use super::*;

    fn loaded<C: Compose>(text: &str, sets: &[&str]) -> C {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x.toml");
        std::fs::write(&file, text).unwrap();
        let sets = sets.iter().map(ToString::to_string).collect();
        let loaded: Loaded<C> =
            load(&Sources { file: Some(file), sets, ..Sources::default() }).unwrap();
        loaded.config
    }

    #[test]
    fn the_description_loads_as_the_default() {
        assert_eq!(loaded::<Example>(&describe::<Example>(), &[]), Example::default());
        assert_eq!(loaded::<Config>(&describe::<Config>(), &[]), Config::default());
    }

    #[test]
    fn the_description_tells_every_key() {
        let text = describe::<Example>();
        let learn = "\n# How the learner works.\n[learn]\n\n# Samples in one step.\n\
                     # Allowed: 1 to 65536.\nbatch = 256\n";
        assert!(text.contains(learn), "{text}");
        assert!(text.contains("# Allowed: `ema` or `raw`.\nplays = \"ema\"\n"), "{text}");
        assert!(text.contains("# Allowed: options of the game's rules.\n[game.rules]\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        for section in Example::sections() {
            for field in section.fields {
                assert!(text.contains(field.key), "{}", field.key);
            }
        }
    }

    #[test]
    fn a_resolved_config_loads_back_equal() {
        let sets =
            ["learn.rate=0.1", "rules.limit=off", "learn.bounds=[]", "search.formula='a\"b'"];
        let config: Example = loaded("", &sets);
        let text = to_toml(&config).unwrap();
        assert!(text.contains("[game.rules]\nlimit = \"off\"\n"), "{text}");
        assert_eq!(loaded::<Example>(&text, &[]), config);
        let default = to_toml(&Config::default()).unwrap();
        assert_eq!(loaded::<Config>(&default, &[]), Config::default());
    }
}
