//! Which game a command is about, and by which rules: the flags that all commands share.

use super::config::OverrideArgs;
use crate::config::{Config, ConfigError, Loaded, load};
use crate::game::registry::{self, AnyGame, RegistryError};

/// Which game, by which house rules.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct HouseRules {
    /// The game; jungle, unless a model says otherwise
    #[arg(long, value_name = "NAME")]
    pub game: Option<String>,
    #[command(flatten)]
    pub overrides: OverrideArgs,
}

impl HouseRules {
    /// The game with these rules, if any was asked for.
    pub fn build_if_given(&self) -> Result<Option<AnyGame>, ConfigError> {
        let OverrideArgs { preset, rules, sets } = &self.overrides;
        let given = self.game.is_some() || preset.is_some() || rules.is_some() || !sets.is_empty();
        if given { self.build().map(Some) } else { Ok(None) }
    }

    /// The game with these rules.
    pub fn build(&self) -> Result<AnyGame, ConfigError> {
        let mut sources = self.overrides.over(None);
        sources.sets.extend(self.game.iter().map(|name| format!("game.name={name}")));
        build(&load::<Config>(&sources)?)
    }
}

/// The game of a config; an error names the place where the wrong word was written.
pub fn build(loaded: &Loaded<Config>) -> Result<AnyGame, ConfigError> {
    let game = &loaded.config.game;
    registry::build(&game.name, game.chosen_preset(), &game.options()).map_err(|error| {
        let key = match &error {
            RegistryError::Impossible { option: Some(name), game, problem } => {
                let message = format!("makes no game of {game}: {problem}");
                return loaded.error(&format!("game.rules.{name}"), message);
            }
            RegistryError::UnknownGame { .. } => String::from("game.name"),
            RegistryError::UnknownPreset { .. } => String::from("game.preset"),
            RegistryError::UnknownOption { name, .. } => format!("game.rules.{name}"),
            RegistryError::WrongValue { key, .. } => format!("game.rules.{key}"),
            RegistryError::Impossible { option: None, .. } => String::from("game.rules"),
        };
        loaded.error(&key, error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::with_game;
    use serde_json::Value;

    fn house(sets: &[&str]) -> HouseRules {
        let overrides = OverrideArgs {
            preset: Some(String::from("leiden")),
            rules: None,
            sets: sets.iter().map(ToString::to_string).collect(),
        };
        HouseRules { game: None, overrides }
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
            house.overrides.rules = Some(file.clone());
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
        assert!(error.contains("did you mean `celestial`?"), "{error}");
    }
}
