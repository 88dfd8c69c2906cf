//! `rules`: the options of a game, their values under the rules that were asked for, and the
//! presets. What an option means stands beside the option itself.

use super::game::HouseRules;
use crate::config::text::wrapped;
use crate::game::Game;
use crate::game::registry::{self, AnyGame, RegistryError};
use crate::with_game;
use serde_json::Value;

/// Width of the text.
const WIDTH: usize = 96;

/// Show the rules of a game: every option with its value, what may be set and what it means, and
/// the presets
#[derive(Clone, Debug, clap::Args)]
pub struct RulesArgs {
    /// Print the rule record as JSON; `--rules` reads it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Prints the options and the presets, or the record.
pub fn run(args: &RulesArgs) -> anyhow::Result<()> {
    let game = args.house.build()?;
    if args.json {
        let record = with_game!(&game, game => game.rules());
        tell!("{}", serde_json::to_string_pretty(&record)?);
    } else {
        tell!("{}", text(&game)?.trim_end());
    }
    Ok(())
}

/// The options and presets of a game, for people.
fn text(game: &AnyGame) -> Result<String, RegistryError> {
    let (name, record) = with_game!(game, game => (game.name(), game.rules()));
    let presets = registry::preset_docs(name)?;
    let options = registry::options(name)?;
    let mut text = format!("The rules of {name}");
    match equal_preset(name, &presets, &record) {
        Some(preset) => text += &format!(": the preset {preset}"),
        None => text += ": a set of its own",
    }
    text += ". How it is played is told in docs/rules.md.\n";
    if options.is_empty() {
        text += "\nThere is no option to set.\n";
    } else {
        text += "\nEvery option; `--set rules.KEY=VALUE` sets one, in a config `KEY = VALUE` below \
                 [game.rules].\n";
    }
    for option in &options {
        let value = &record[option.key];
        let set = written(value);
        text += &format!("\n{} = {set}", option.key);
        if serde_json::to_string(value).ok().as_deref() != Some(option.default.as_str()) {
            let default = serde_json::from_str(&option.default).unwrap_or(Value::Null);
            text += &format!("   (by default {})", written(&default));
        }
        let meaning = format!("{} Allowed: {}.", option.doc, option.allowed);
        text += &format!("\n{}", wrapped(&meaning, "    ", WIDTH));
    }
    text += "\nPresets; `--preset NAME` chooses one, `--set` changes it.\n\n";
    let widest = presets.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, doc) in presets {
        text += &format!("{name:<widest$}  {doc}\n");
    }
    Ok(text)
}

/// The first preset that has these options.
fn equal_preset(
    game: &str,
    presets: &[(&'static str, &'static str)],
    record: &Value,
) -> Option<&'static str> {
    let none = serde_json::Map::new();
    let equals = |name: &str| {
        let any = registry::build(game, Some(name), &none);
        any.is_ok_and(|any| with_game!(&any, game => game.rules()) == *record)
    };
    presets.iter().map(|(name, _)| *name).find(|name| equals(name))
}

/// A value as `--set` and a config take it.
fn written(value: &Value) -> String {
    if value.is_null() { String::from("\"off\"") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(game: &str, preset: Option<&str>, rules: Value) -> String {
        let rules = rules.as_object().cloned().unwrap();
        text(&registry::build(game, preset, &rules).unwrap()).unwrap()
    }

    #[test]
    fn every_option_stands_there_with_value_and_meaning() {
        for game in registry::names() {
            let text = told(game, None, json!({}));
            for option in registry::options(game).unwrap() {
                assert!(text.contains(&format!("\n{} = ", option.key)), "{}: {text}", option.key);
                assert!(text.contains(option.doc.split(' ').next().unwrap()), "{text}");
            }
            for preset in registry::presets(game).unwrap() {
                assert!(text.contains(&format!("\n{preset} ")), "{preset}: {text}");
            }
            assert!(!text.contains("by default"), "{text}");
            assert!(text.contains(&format!("The rules of {game}: the preset standard.")), "{text}");
        }
        assert!(told("celestial", None, json!({})).contains("There is no option to set."));
    }

    #[test]
    fn what_differs_from_the_default_is_marked() {
        let text = told("jungle", Some("wikipedia"), json!({}));
        assert!(text.contains("the preset wikipedia."), "{text}");
        assert!(text.contains("\nno_capture_limit = \"off\"   (by default 100)\n"), "{text}");
        let text = told("jungle", Some("wikipedia"), json!({"traps": "all"}));
        assert!(text.contains("jungle: a set of its own."), "{text}");
        assert!(text.contains("\ntraps = \"all\"   (by default \"enemy\")\n"), "{text}");
    }
}
