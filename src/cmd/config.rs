//! `menagerie config`: every key with its meaning, or what a config file comes to.

use super::game;
use crate::codec::Encode;
use crate::config::{Config, Loaded, Sources, describe, load, to_toml};
use crate::{nn, with_game};
use std::io::Write;
use std::path::PathBuf;

/// What goes over a config file.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OverrideArgs {
    /// Rule set by name; replaces preset and rule options of the config file
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Rule options from a file: TOML, or a rule record in JSON
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// One setting: section.key=value, or rules.key=value; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
}

impl OverrideArgs {
    /// A config file, if any, and these over it.
    pub fn over(&self, file: Option<PathBuf>) -> Sources {
        let OverrideArgs { preset, rules, sets } = self.clone();
        Sources { file, preset, rules, sets, ..Sources::default() }
    }
}

/// Show every setting with its default, allowed values and meaning
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show instead every value that a config file (or none) and the options come to
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    resolved: Option<Option<PathBuf>>,
    #[command(flatten)]
    overrides: OverrideArgs,
}

/// Prints the description, or the resolved config.
pub fn run(args: &Args) -> anyhow::Result<()> {
    write(args, &mut std::io::stdout().lock())
}

fn write(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    // Options that are wrong are told even where only the description is asked for.
    let file = args.resolved.clone().flatten();
    let loaded: Loaded<Config> = load(&args.overrides.over(file))?;
    let text = match args.resolved {
        None if args.overrides.over(None) == Sources::default() => describe::<Config>(),
        _ => {
            // What `train` would refuse is refused here, too.
            let shape = with_game!(&game::build(&loaded)?, game => game.shape());
            let fits = nn::check_size(&shape, &loaded.config.network);
            fits.map_err(|error| {
                loaded.error("network.channels", format!("does not fit: {error}"))
            })?;
            to_toml(&loaded.config)?
        }
    };
    Ok(out.write_all(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigError;
    use clap::Parser;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: Args,
    }

    fn printed(words: &[&str]) -> anyhow::Result<String> {
        let words = [&["config"], words].concat();
        let mut out = Vec::new();
        write(&Program::try_parse_from(words)?.args, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn described_or_resolved() {
        assert_eq!(printed(&[]).unwrap(), describe::<Config>());
        let resolved = printed(&["--resolved", "--set", "game.name=celestial"]).unwrap();
        assert!(resolved.contains("name = \"celestial\"\n"), "{resolved}");
        let resolved = printed(&["--preset", "leiden"]).unwrap();
        assert!(resolved.contains("preset = \"leiden\"\n"), "{resolved}");
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x.toml");
        std::fs::write(&file, "[game]\nname = \"shengxiao\"\n").unwrap();
        let resolved = printed(&["--resolved", &file.display().to_string()]).unwrap();
        assert!(resolved.contains("name = \"shengxiao\"\n"), "{resolved}");
    }

    #[test]
    fn what_makes_no_game_is_a_config_error() {
        for set in [
            "game.name=nan",
            "rules.foo=1",
            "rules.no_capture_limit=-1",
            "rules.setup=xyz",
            "network.channels=12",
        ] {
            let error = printed(&["--resolved", "--set", set]).unwrap_err();
            assert!(error.downcast_ref::<ConfigError>().is_some(), "{error}");
            assert!(error.to_string().starts_with(&format!("--set {set}: ")), "{error}");
        }
    }

    #[test]
    fn a_wrong_setting_is_a_config_error() {
        let error = printed(&["--set", "game.nam=x"]).unwrap_err();
        assert!(error.downcast_ref::<ConfigError>().is_some());
        let told = "--set game.nam=x: `game.nam` is no key; the nearest is `name`";
        assert_eq!(error.to_string(), told);
    }
}
