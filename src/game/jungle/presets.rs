//! Named rule records. Each is the default with a few options changed; the sources are named in
//! the documentation of the rules.

use super::rules::{
    DOG_OVER_WOLF, ElephantTakesRat, Jump, JumpBlockers, Limit, NoMove, Repetition, Rules, Traps,
};
use serde_json::{Map, Value};

/// The names of the presets, the default first.
pub const PRESETS: [&str; 9] = [
    "standard",
    "wikipedia",
    "leiden",
    "codingame",
    "netcan",
    "katagomo",
    "misty",
    "western",
    "animal-checkers",
];

/// Options that endgame tables do not mind.
const NOT_IN_TABLES: [&str; 4] =
    ["no_capture_limit", "max_plies", "repetition", "repetition_count"];

/// What a preset is, in a line; empty for a name that is none.
pub fn preset_doc(name: &str) -> &'static str {
    match name {
        "standard" => "the common Chinese rules, and the defaults of all options",
        "wikipedia" => "the rules of most articles: dog over wolf, no count of half-moves",
        "leiden" => "the endgame study of van Rijn and Vis: the elephant always takes the rat",
        "codingame" => "the programming contest: every trap weakens anyone, 150 half-moves",
        "netcan" => "rats take each other across the shore, repeating a position three times loses",
        "katagomo" => "the engine KataGomo: 200 half-moves without a capture",
        "misty" => "as katagomo, and the third repetition is a draw",
        "western" => "the sets sold in the West: lion and tiger jump lengthwise, leopard sideways",
        "animal-checkers" => "the simplified game: four animals a side, no river, no traps",
        _ => "",
    }
}

impl Rules {
    /// What a command needs to get the endgame tables of these rules: nothing, ` --preset leiden`,
    /// and a ` --set` for each option that no preset has; each begins with a space. Counts and
    /// repetition are left out, since tables leave them out.
    pub fn table_flags(&self) -> String {
        let record = |rules: &Rules| match serde_json::to_value(rules) {
            Ok(Value::Object(record)) => record,
            _ => Map::new(),
        };
        let own = record(self);
        let differences = |preset: &str| -> Vec<String> {
            let base = Rules::preset(preset).as_ref().map(record).unwrap_or_default();
            let other = own.iter().filter(|(key, value)| base.get(*key) != Some(value));
            let other = other.filter(|(key, _)| !NOT_IN_TABLES.contains(&key.as_str()));
            other.map(|(key, value)| format!(" --set 'rules.{key}={}'", bare(value))).collect()
        };
        let is_other = |preset: &str| Rules::preset(preset).as_ref() != Some(self);
        let sets = PRESETS.iter().map(|preset| (preset, differences(preset)));
        let nearest = sets.min_by_key(|(preset, sets)| (sets.len(), is_other(preset)));
        let Some((preset, sets)) = nearest else {
            return String::new();
        };
        let preset = match *preset {
            "standard" => String::new(),
            preset => format!(" --preset {preset}"),
        };
        preset + &sets.concat()
    }

    /// The preset of this name.
    pub fn preset(name: &str) -> Option<Rules> {
        let rules = Rules::default();
        let dog_over_wolf = Rules { ranks: DOG_OVER_WOLF.into(), ..Rules::default() };
        Some(match name {
            "standard" => rules,
            "wikipedia" => {
                Rules { trapped_takes: true, no_capture_limit: Limit(None), ..dog_over_wolf }
            }
            // van Rijn and Vis, the endgame study from Leiden.
            "leiden" => Rules {
                elephant_takes_rat: ElephantTakesRat::Always,
                water_rat_takes_land_rat: true,
                land_rat_takes_water_rat: true,
                trapped_takes: true,
                no_move: NoMove::Draw,
                no_capture_limit: Limit(None),
                max_plies: Limit(Some(512)),
                repetition: Repetition::Draw,
                ..dog_over_wolf
            },
            "codingame" => Rules {
                land_rat_takes_water_rat: true,
                traps: Traps::All,
                trapped_takes: true,
                capture_all_wins: false,
                max_plies: Limit(Some(150)),
                no_capture_limit: Limit(None),
                ..dog_over_wolf
            },
            "netcan" => Rules {
                elephant_takes_rat: ElephantTakesRat::Never,
                water_rat_takes_land_rat: true,
                land_rat_takes_water_rat: true,
                trapped_takes: true,
                repetition: Repetition::Loss,
                no_capture_limit: Limit(None),
                ..rules
            },
            "katagomo" => {
                Rules { trapped_takes: true, no_capture_limit: Limit(Some(200)), ..rules }
            }
            "misty" => Rules {
                trapped_takes: true,
                no_capture_limit: Limit(Some(200)),
                repetition: Repetition::Draw,
                ..rules
            },
            "western" => Rules {
                elephant_takes_rat: ElephantTakesRat::Always,
                water_rat_takes_elephant: true,
                water_rat_takes_land_rat: true,
                land_rat_takes_water_rat: true,
                traps: Traps::All,
                lion_jump: Jump::Along,
                tiger_jump: Jump::Along,
                leopard_jump: Jump::Across,
                jump_blockers: JumpBlockers::EnemyRat,
                ..dog_over_wolf
            },
            // The simplified game: no river, no traps, four animals a side.
            "animal-checkers" => Rules {
                board: "...d.../......./......./......./......./......./...D...".into(),
                setup: "t5d/7/r5e/7/E5R/7/D5T w 0 1".into(),
                ..rules
            },
            _ => return None,
        })
    }
}

/// A value as `--set` takes it.
fn bare(value: &Value) -> String {
    match value {
        Value::Null => String::from("off"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_name_the_nearest_preset_and_the_rest() {
        for preset in PRESETS {
            let expected = match preset {
                "standard" => String::new(),
                _ => format!(" --preset {preset}"),
            };
            assert_eq!(Rules::preset(preset).unwrap().table_flags(), expected);
        }
        let base = Rules::preset("leiden").unwrap();
        let rules = Rules { max_plies: Limit(None), traps: Traps::All, ..base };
        assert_eq!(rules.table_flags(), " --preset leiden --set 'rules.traps=all'");
        let rules = Rules { max_plies: Limit(Some(24)), ..Rules::default() };
        assert_eq!(rules.table_flags(), "");
    }
}
