//! The section `[game]`: which game is played, and by which rules.

use crate::record::rules;

settings! {
    /// Which game is played, and by which rules.
    pub struct GameSettings {
        /// The game.
        name: String = String::from("jungle"), words "`jungle`, `celestial` or `shengxiao`";
        /// The named rule set that the options below change; empty is the game's default.
        preset: String = String::new(), words "a preset of the game, or \"\"";
        /// Options of the rules that differ from the preset; an option without a limit is
        /// `"off"`.
        rules: toml::Table = toml::Table::new(), words "options of the game's rules";
    }
}

impl GameSettings {
    /// The options that differ from the preset, as a rule record (`"off"` is null there).
    pub fn options(&self) -> serde_json::Map<String, serde_json::Value> {
        rules::from_toml(&self.rules)
    }

    /// The preset's name, if one was chosen.
    pub fn chosen_preset(&self) -> Option<&str> {
        Some(self.preset.as_str()).filter(|preset| !preset.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_a_rule_record() {
        let mut settings = GameSettings::default();
        assert_eq!(settings.chosen_preset(), None);
        settings.preset = String::from("leiden");
        settings.rules = toml::from_str("no_capture_limit = \"off\"\nno_move = \"draw\"").unwrap();
        assert_eq!(settings.chosen_preset(), Some("leiden"));
        let expected = serde_json::json!({"no_capture_limit": null, "no_move": "draw"});
        assert_eq!(serde_json::Value::Object(settings.options()), expected);
    }
}
