//! Which game a command is about, and by which rules: the flags that all commands share.

use crate::config::{Config, ConfigError, Loaded, Origin, Problem, Sources, load};
use crate::game::registry::{self, AnyGame, RegistryError};
use std::path::PathBuf;

/// Which game, by which house rules.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct HouseRules {
    /// The game; jungle if absent
    #[arg(long, value_name = "NAME")]
    pub game: Option<String>,
    /// Rule set by name, which the options below change; `menagerie rules` lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Rule options from a file: TOML, or a rule record in JSON
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// One option: rules.key=value; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
}

/// Help of `--game` where a player's model may know which game it is.
pub const GAME_OF_A_MODEL: &str = "The game; the model's if absent, jungle without a model";

/// The sections that say which game it is.
const RULES: [&str; 2] = ["game", "rules"];

impl HouseRules {
    /// Was anything said about the game?
    pub fn is_given(&self) -> bool {
        let about_rules = |set: &String| RULES.contains(&section(set));
        self.game.is_some()
            || self.preset.is_some()
            || self.rules.is_some()
            || self.sets.iter().any(about_rules)
    }

    /// What the flags say, without a config file.
    pub fn sources(&self) -> Sources {
        let Self { game, preset, rules, sets } = self.clone();
        Sources { file: None, game, preset, rules, sets }
    }

    /// What the flags say. Settings of other sections than the game's and `sections` are refused,
    /// since nothing would come of them.
    pub fn load(&self, sections: &[&str]) -> Result<Loaded<Config>, ConfigError> {
        let loaded = load::<Config>(&self.sources())?;
        let unused = |set: &&String| {
            let section = section(set);
            !RULES.contains(&section) && !sections.contains(&section)
        };
        let takes: Vec<String> = RULES
            .iter()
            .skip(1)
            .chain(sections)
            .map(|section| format!("`{section}.KEY`"))
            .collect();
        let takes = takes.join(" and ");
        let problem = |set: &String| Problem {
            origin: Origin::Option(format!("--set {set}")),
            key: String::new(),
            message: format!("means nothing to this command, which takes {takes}"),
        };
        let problems: Vec<Problem> = self.sets.iter().filter(unused).map(problem).collect();
        if problems.is_empty() { Ok(loaded) } else { Err(ConfigError::Problems(problems)) }
    }

    /// The game with these rules, if any was asked for.
    pub fn build_if_given(&self) -> Result<Option<AnyGame>, ConfigError> {
        let game = self.build()?;
        Ok(self.is_given().then_some(game))
    }

    /// The game with these rules.
    pub fn build(&self) -> Result<AnyGame, ConfigError> {
        build(&self.load(&[])?)
    }
}

/// The section of `section.key=value`.
fn section(set: &str) -> &str {
    set.split(['.', '=']).next().unwrap_or_default().trim()
}

/// The game of a config; an error names the place where the wrong word was written.
pub fn build(loaded: &Loaded<Config>) -> Result<AnyGame, ConfigError> {
    let game = &loaded.config.game;
    registry::build(&game.name, game.chosen_preset(), &game.options()).map_err(|error| {
        let (key, message) = match &error {
            RegistryError::Impossible { option: Some(name), game, problem } => {
                (format!("game.rules.{name}"), format!("makes no game of {game}: {problem}"))
            }
            RegistryError::Impossible { option: None, .. } => {
                (String::from("game.rules"), format!("cannot be: {error}"))
            }
            RegistryError::UnknownGame { name, .. } => {
                (String::from("game.name"), format!("= {name}: {error}"))
            }
            RegistryError::UnknownPreset { name, .. } => {
                (String::from("game.preset"), format!("= {name}: {error}"))
            }
            RegistryError::UnknownOption { name, .. } => {
                (format!("game.rules.{name}"), format!("is unknown: {error}"))
            }
            RegistryError::WrongValue { key, value, allowed, .. } => {
                (format!("game.rules.{key}"), format!("cannot be `{value}`; right is {allowed}"))
            }
        };
        loaded.error(&key, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::with_game;
    use serde_json::Value;

    fn house(sets: &[&str]) -> HouseRules {
        HouseRules {
            preset: Some(String::from("leiden")),
            sets: sets.iter().map(ToString::to_string).collect(),
            ..HouseRules::default()
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
        let with_file = |sets: &[&str]| {
            let mut house = house(sets);
            house.rules = Some(file.clone());
            house
        };
        std::fs::write(&file, "traps = \"all\"\nmax_plies = 7").unwrap();
        let rules = rules(&with_file(&["rules.max_plies=9"]));
        assert_eq!((&rules["traps"], &rules["max_plies"]), (&"all".into(), &9.into()));
        assert_eq!(rules["no_move"], "draw");
        std::fs::write(&file, "traps").unwrap();
        let error = with_file(&[]).build().unwrap_err().to_string();
        assert!(error.contains("rules.toml"), "{error}");
    }

    #[test]
    fn a_board_or_set_up_that_makes_no_game_is_told_where_it_was_set() {
        for (set, words) in [
            ("rules.setup=xx", "position `xx`"),
            ("rules.board=xx", "`x` is no ground"),
            ("rules.board=../..", "the board has 2 ranks"),
        ] {
            let error = house(&[set, "rules.traps=all"]).build().unwrap_err().to_string();
            let key = set.split('=').next().unwrap();
            let begin = format!("--set {set}: `game.{key}` makes no game of jungle: ");
            assert!(error.starts_with(&begin) && error.contains(words), "{error}");
        }
    }

    #[test]
    fn another_game_is_asked_for_by_name() {
        let asked = HouseRules { game: Some(String::from("celestial")), ..Default::default() };
        let game = asked.build_if_given().unwrap().unwrap();
        assert_eq!(with_game!(&game, game => game.name()), "celestial");
        assert!(HouseRules::default().build_if_given().unwrap().is_none());
        let wrong = HouseRules { game: Some(String::from("celestail")), ..Default::default() };
        let error = wrong.build().unwrap_err().to_string();
        assert!(error.starts_with("--game celestail: `game.name` = celestail: "), "{error}");
        assert!(error.contains("did you mean `celestial`?"), "{error}");
    }

    #[test]
    fn errors_of_rules_are_plain_sentences() {
        let told = |house: HouseRules| house.build().unwrap_err().to_string();
        assert_eq!(
            told(house(&["rules.traps=alll"])),
            "--set rules.traps=alll: `game.rules.traps` cannot be `alll`; right is `enemy` or `all`"
        );
        let error = told(house(&["rules.trap=all"]));
        assert!(error.contains("`game.rules.trap` is unknown: jungle has no option `trap`"));
        let game = Some(String::from("celestial"));
        let error = told(HouseRules { game, ..house(&[]) });
        let begin = "--preset leiden: `game.preset` = leiden: celestial has no preset `leiden`; ";
        assert!(error.starts_with(begin), "{error}");
    }

    #[test]
    fn settings_that_would_change_nothing_are_refused() {
        let error = house(&["search.draw_penalty=0.1"]).build_if_given().unwrap_err().to_string();
        assert_eq!(
            error,
            "--set search.draw_penalty=0.1: means nothing to this command, which takes `rules.KEY`"
        );
        assert!(house(&["arena.games=4"]).load(&["arena"]).is_ok());
        let sets = vec![String::from("arena.games=4")];
        assert!(!HouseRules { sets, ..HouseRules::default() }.is_given());
    }
}
