//! The models that come with the program: whole, made by the config of their name, and worth
//! having.

use crate::program::Place;
use menagerie::config::{Config, Loaded, Sources, load};
use std::path::{Path, PathBuf};

/// Every model folder.
fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut models: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    models.sort();
    assert!(models.len() >= 4, "{models:?}");
    models
}

fn table(text: &str) -> toml::Table {
    text.parse().unwrap()
}

#[test]
fn a_card_says_what_the_config_of_its_name_makes() {
    for model in shipped() {
        let name = model.file_name().unwrap().to_str().unwrap().to_string();
        let card = table(&std::fs::read_to_string(model.join("card.toml")).unwrap());
        let file = format!("{}/configs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let loaded: Loaded<Config> =
            load(&Sources { file: Some(file.into()), ..Sources::default() }).unwrap();
        let config = loaded.config;
        assert_eq!(card["game"].as_str(), Some(config.game.name.as_str()), "{name}");
        assert_eq!(card["network"], written(&config.network), "{name}");
        assert_eq!(card["search"], written(&config.search), "{name}");
        let training = &card["training"];
        let whole = |key: &str| training[key].as_integer().unwrap() as u64;
        assert_eq!(whole("seed"), config.train.seed, "{name}");
        assert_eq!(whole("generation"), config.train.generations, "{name}");
        let games = config.train.generations * u64::from(config.selfplay.games);
        assert_eq!(whole("games"), games, "{name}");
        assert!(training["taught_by_tables"].as_bool().is_some(), "{name}");
        // The curve ends with the ladder on the card.
        let curve = std::fs::read_to_string(model.join("curve.jsonl")).unwrap();
        let last: serde_json::Value = serde_json::from_str(curve.lines().last().unwrap()).unwrap();
        let rows = last["ladder"]["rows"].as_array().unwrap();
        let scores = training["ladder"].as_array().unwrap();
        assert_eq!(rows.len(), scores.len(), "{name}");
        for (row, score) in rows.iter().zip(scores) {
            assert_eq!(row["opponent"].as_str(), score["opponent"].as_str(), "{name}");
            assert_eq!(row["estimate"]["score"].as_f64(), score["score"].as_float(), "{name}");
        }
    }
}

/// Settings as a card writes them.
fn written(settings: &impl serde::Serialize) -> toml::Value {
    toml::Value::try_from(settings).unwrap()
}

#[test]
fn shipped_models_are_sound_and_beat_random_with_few_visits() {
    let place = Place::new();
    for model in shipped() {
        let path = model.display().to_string();
        place.run(&["show", &path]).expect(0, &["weights, sound"]);
        let player = format!("{path}:visits=8");
        let said = place.run(&["match", &player, "random", "--games", "20", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&said.expect(0, &[]).out).unwrap();
        let score = json["score"].as_f64().unwrap();
        assert!(score >= 0.9, "{path}: {score}");
    }
}
