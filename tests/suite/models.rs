//! Model folders: exported, used by every command, and refused when something is wrong with them.

use crate::program::Place;

/// A place with a trained run `a` and the model folder `model`.
fn with_model() -> Place {
    let place = Place::new();
    place.train("a", &[]).expect(0, &[]);
    place.run(&["export", "a", "--to", "model"]).expect(0, &["model: jungle generation 2"]);
    place
}

#[test]
fn an_exported_model_plays_and_shows() {
    let place = with_model();
    for player in ["model", "model:visits=3", "a", "./data/a", "model:visits=2:search=puct"] {
        let said = place.run(&["match", player, "random", "--games", "2", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&said.expect(0, &[]).out).unwrap();
        assert_eq!(json["games"], 2, "{player}");
    }
    // Many threads share the memory of the caches.
    let many = ["--games", "300", "--threads", "256", "--max-plies", "2"];
    place.run(&[&["match", "model:visits=1", "random"], &many[..]].concat()).expect(0, &[]);
    let said = place.run_with(&["play", "model", "--visits", "4"], "hint\neval\nquit\n");
    assert!(said.expect(0, &[]).out.contains("4 visits"));
    place.run(&["show", "model"]).expect(0, &["game = \"jungle\"", "weights, sound"]);
    place.run(&["show", "a"]).expect(0, &["rules_hash", "generation 2: random"]);
    let shard = "data/a/shards/games-0000000000-0000000005.shard";
    place.run(&["show", shard]).expect(0, &["6 games of jungle", "game 5: "]);
    place.run(&["show", shard, "--game", "5", "--ply", "3"]).expect(0, &["after 3 plies"]);
    place.run(&["show", shard, "--ply", "3"]).expect(2, &["--game"]);
    place.run(&["show", "a", "--game", "3"]).expect(2, &["`--game` belongs to a shard"]);
    for what in ["model", "a"] {
        let json = place.run(&["show", what, "--json"]).expect(0, &[]).out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["game"], "jungle", "{what}");
    }
    place.run(&["show", shard, "--game", "6"]).expect(4, &["no game 6, but 0 to 5"]);
    let case = place.run(&["show", shard, "--json"]).expect(0, &[]).out;
    assert_eq!(case.lines().count(), 6);
    place.write("games.jsonl", case);
    place.run(&["check", "games.jsonl"]).expect(0, &["6 checked", "0 mismatches"]);
}

#[test]
fn export_replaces_nothing_unasked() {
    let place = with_model();
    let before = place.files("model");
    place
        .run(&["export", "a", "--to", "model"])
        .expect(2, &["`model` exists already", "`--replace`"]);
    assert_eq!(place.files("model"), before);
    place.run(&["export", "a", "--to", "model", "--replace"]).expect(0, &[]);
    place.run(&["export", "data/a", "--to", "by-path"]).expect(0, &["generation 2"]);
    let cards = ["model", "by-path"].map(|name| place.path(name).join("card.toml"));
    let [named, by_path] = cards.map(|card| std::fs::read_to_string(card).unwrap());
    assert_eq!(named, by_path);
    place.run(&["export", "data/b", "--to", "x"]).expect(2, &["data/b"]);
    let steps = place.run(&["export", "a", "--step", "999999", "--to", "x"]);
    let told = steps.expect(2, &["no state after 999999 steps; there are: 0, "]).err;
    let step = told.rsplit([' ', ',']).next().unwrap().trim();
    place.run(&["export", "a", "--step", step, "--to", "x"]).expect(0, &[]);
    place.run(&["export", "a", "--step", "0", "--to", "untrained"]).expect(0, &["0 steps"]);
    assert_eq!(
        std::fs::read(place.path("x/model.bpk")).unwrap(),
        std::fs::read(place.path("model/model.bpk")).unwrap()
    );
    // Someone else's folder, or a file, is not made a model, not even by --replace.
    std::fs::create_dir(place.path("mine")).unwrap();
    place.write("mine/diary", "sun");
    place.run(&["export", "a", "--to", "mine"]).expect(2, &["exists already"]);
    place.run(&["export", "a", "--to", "mine", "--replace"]).expect(1, &["mine", "no model"]);
    place.write("file", "x");
    place.run(&["export", "a", "--to", "file", "--replace"]).expect(1, &["file", "no model"]);
    assert_eq!(place.files("mine").len(), 1);
}

#[test]
fn a_damaged_model_is_refused_by_every_command_and_left_as_it_is() {
    let place = with_model();
    let weights = std::fs::read(place.path("model/model.bpk")).unwrap();
    let card = std::fs::read_to_string(place.path("model/card.toml")).unwrap();
    let mut flipped = weights.clone();
    flipped[weights.len() / 2] ^= 1;
    let half = &weights[..weights.len() / 2];
    let cards = |from: &str, to: &str| {
        assert!(card.contains(from), "{card}");
        card.replacen(from, to, 1)
    };
    let cases: [(&str, &[u8], String, &str); 9] = [
        ("truncated", half, card.clone(), "it was cut short or replaced"),
        ("emptied", b"", card.clone(), "has 0 bytes; its card says"),
        ("flipped", &flipped, card.clone(), "it is damaged or replaced"),
        ("other format", &weights, cards("format = 1", "format = 7"), "has format 7"),
        ("no card", &weights, String::new(), "card.toml"),
        ("card torn", &weights, card[..card.len() / 2].to_string(), "card.toml"),
        ("other network", &weights, cards("channels = 8", "channels = 16"), "weights"),
        ("huge network", &weights, cards("blocks = 1", "blocks = 4000000000"), "blocks"),
        ("other game", &weights, cards("\"jungle\"", "\"celestial\""), "celestial"),
    ];
    for (what, bytes, card, word) in cases {
        place.write("model/model.bpk", bytes);
        place.write("model/card.toml", card);
        let before = (place.files("model"), place.files("data"));
        let mut commands = vec![
            vec!["match", "model", "random", "--games", "2", "--game", "jungle"],
            vec!["play", "model", "--game", "jungle"],
        ];
        if what != "other game" {
            commands.push(vec!["show", "model"]);
        }
        for words in commands {
            let said = place.run(&words);
            assert_eq!(said.code, Some(4), "{what}: {words:?}: {}", said.err);
            assert!(said.err.contains(word) && said.err.starts_with("error: "), "{}", said.err);
        }
        assert_eq!((place.files("model"), place.files("data")), before, "{what}");
    }
}

#[test]
fn a_model_of_another_game_is_refused() {
    let place = with_model();
    let sets = ["game.name=celestial"];
    place.train("c", &sets).expect(0, &[]);
    place.run(&["export", "c", "--to", "checkers"]).expect(0, &["checkers: celestial"]);
    let words = ["match", "checkers", "random", "--games", "2", "--game", "jungle"];
    place.run(&words).expect(4, &["checkers knows celestial, not jungle"]);
    place.run(&["match", "checkers", "model", "--games", "2"]).expect(4, &["knows"]);
    place.run(&["play", "model", "--game", "shengxiao"]).expect(4, &["knows jungle"]);
    place.run(&["match", "checkers", "random", "--games", "2"]).expect(0, &[]);
    // The weights of one under the card of the other.
    std::fs::copy(place.path("checkers/model.bpk"), place.path("model/model.bpk")).unwrap();
    place.run(&["play", "model"]).expect(4, &["model.bpk", "its card says"]);
}
