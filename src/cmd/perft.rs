//! `perft`: counts the leaves of the tree of actions and says how fast.

use crate::game::registry::{self, AnyGame};
use crate::game::{Game, Notation, perft};
use crate::with_game;
use anyhow::{Context, bail};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Which game, by which house rules.
#[derive(Clone, Debug, clap::Args)]
pub struct HouseRules {
    /// The game.
    #[arg(long, default_value = "jungle")]
    pub game: String,
    /// A named rule set of the game.
    #[arg(long)]
    pub preset: Option<String>,
    /// A TOML file with rule options (alone, or in a `[rules]` table), over the preset.
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// One option, over file and preset: `rules.traps=all`. May be given several times.
    #[arg(long, value_name = "rules.KEY=VALUE")]
    pub set: Vec<String>,
}

impl HouseRules {
    /// The game with these rules.
    pub fn build(&self) -> anyhow::Result<AnyGame> {
        let mut rules = match &self.rules {
            Some(file) => read_rules(file)?,
            None => Map::new(),
        };
        for text in &self.set {
            let (key, value) = read_option(text)?;
            rules.insert(key, value);
        }
        Ok(registry::build(&self.game, self.preset.as_deref(), &rules)?)
    }
}

/// Reads a rules file: the options alone or in a table `[rules]`.
fn read_rules(file: &Path) -> anyhow::Result<Map<String, Value>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the rules file {}", file.display()))?;
    let mut table: Map<String, Value> = toml::from_str(&text)
        .with_context(|| format!("the rules file {} is no TOML", file.display()))?;
    match table.remove("rules") {
        None => Ok(table),
        Some(Value::Object(rules)) if table.is_empty() => Ok(rules),
        Some(_) => bail!(
            "the rules file {} should hold the options alone, or one table `[rules]`",
            file.display()
        ),
    }
}

/// Reads `rules.key=value`; the value is TOML, or a word without quotes.
fn read_option(text: &str) -> anyhow::Result<(String, Value)> {
    let parts = text.strip_prefix("rules.").and_then(|rest| rest.split_once('='));
    let Some((key, value)) = parts.filter(|(key, _)| !key.is_empty()) else {
        bail!("`--set {text}` is not understood; `--set rules.KEY=VALUE` is right");
    };
    let toml = toml::from_str::<Map<String, Value>>(&format!("value = {value}"));
    let value = match toml {
        Ok(mut table) if table.len() == 1 => table.remove("value").unwrap_or(Value::Null),
        _ => Value::String(value.into()),
    };
    Ok((key.into(), value))
}

/// Count the leaves of the tree of actions to a depth.
#[derive(Clone, Debug, clap::Args)]
pub struct PerftArgs {
    /// Half-moves to look ahead; all depths up to it are counted.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=64))]
    pub depth: u32,
    /// The position; the start if absent.
    #[arg(long, value_name = "TEXT")]
    pub position: Option<String>,
    /// Show the leaves behind each action, at the full depth only.
    #[arg(long)]
    pub divide: bool,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Prints the counts with the time they took.
pub fn run(args: &PerftArgs) -> anyhow::Result<()> {
    with_game!(&args.house.build()?, game => count(game, args))
}

fn count<G: Game + Notation>(game: &G, args: &PerftArgs) -> anyhow::Result<()> {
    let position = match &args.position {
        Some(text) => game.parse_position(text)?,
        None => game.start(),
    };
    if args.divide {
        let parts = perft::divide(game, &position, args.depth);
        for (action, leaves) in &parts {
            println!("{} {leaves}", game.action_text(&position, *action));
        }
        println!("total {}", parts.iter().map(|part| part.1).sum::<u64>());
        return Ok(());
    }
    for depth in args.depth.min(1)..=args.depth {
        let begun = Instant::now();
        let leaves = perft::perft(game, &position, depth);
        let seconds = begun.elapsed().as_secs_f64();
        let millions = leaves as f64 / seconds.max(1e-9) / 1e6;
        println!("depth {depth}: {leaves} leaves, {seconds:.3} s, {millions:.1} million/s");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house(set: &[&str]) -> HouseRules {
        HouseRules {
            game: "jungle".into(),
            preset: Some("leiden".into()),
            rules: None,
            set: set.iter().map(ToString::to_string).collect(),
        }
    }

    fn rules(house: &HouseRules) -> Value {
        with_game!(&house.build().unwrap(), game => game.rules())
    }

    #[test]
    fn options_are_toml_or_words() {
        let rules = rules(&house(&[
            "rules.traps=all",
            "rules.equal=\"both_die\"",
            "rules.max_plies=off",
            "rules.no_capture_limit=40",
            "rules.trapped_takes=false",
            "rules.ranks=R<C<D<W<P<T=L<E",
        ]));
        assert_eq!(rules["traps"], "all");
        assert_eq!(rules["equal"], "both_die");
        assert_eq!(rules["max_plies"], Value::Null);
        assert_eq!(rules["no_capture_limit"], 40);
        assert_eq!(rules["trapped_takes"], false);
        assert_eq!(rules["ranks"], "R<C<D<W<P<T=L<E");
        for wrong in ["traps=all", "rules.=1", "rules.traps", "rules.trap=all", "rules.traps=1"] {
            let error = house(&[wrong]).build().unwrap_err().to_string();
            assert!(error.contains(wrong.rsplit('.').next().unwrap().split('=').next().unwrap()));
        }
    }

    #[test]
    fn a_file_stands_between_preset_and_options() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rules.toml");
        let with_file = |set: &[&str]| HouseRules { rules: Some(file.clone()), ..house(set) };
        for text in ["traps = \"all\"\nmax_plies = 7", "[rules]\ntraps = \"all\"\nmax_plies = 7"] {
            std::fs::write(&file, text).unwrap();
            let rules = rules(&with_file(&["rules.max_plies=9"]));
            assert_eq!((&rules["traps"], &rules["max_plies"]), (&"all".into(), &9.into()));
            assert_eq!(rules["no_move"], "draw");
        }
        for text in ["[rules]\n[other]", "traps", "rules = 1"] {
            std::fs::write(&file, text).unwrap();
            let error = with_file(&[]).build().unwrap_err().to_string();
            assert!(error.contains("rules.toml"), "{error}");
        }
    }
}
