//! `truth` through the real program: what it writes on a card, what forks keep of that, which games
//! it knows; and players that ask tables.

use crate::kills::CONFIG;
use crate::program::Place;

/// A place with a config `NAME.toml` for each game.
fn place() -> Place {
    let place = Place::new();
    place.write("jungle.toml", CONFIG);
    for game in ["celestial", "shengxiao"] {
        let of_game = format!("[game]\nname = \"{game}\"");
        let config = CONFIG.replace("[game.rules]\nmax_plies = 24", &of_game);
        place.write(&format!("{game}.toml"), config);
    }
    place
}

fn model(place: &Place, game: &str, run: &str, sets: &[&str]) {
    let config = format!("{game}.toml");
    let mut words = vec!["train", &config, "--run", run, "--steps", "4"];
    words.extend(sets.iter().flat_map(|set| ["--set", set]));
    place.run(&words).expect(0, &[]);
    place.run(&["export", run, "--to", run]).expect(0, &[]);
}

fn card(place: &Place, model: &str) -> toml::Table {
    let text = std::fs::read_to_string(place.path(model).join("card.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

#[test]
fn the_truth_is_written_on_the_card_and_forks_remember_who_taught() {
    let place = place();
    place.run(&["solve", "--pieces", "2"]).expect(0, &["160068", "36 of 36 tables solved"]);
    model(&place, "jungle", "plain", &[]);
    assert_eq!(card(&place, "plain")["training"]["taught_by_tables"], false.into());
    let measure = ["truth", "plain", "--pieces", "2", "--games", "4", "--visits", "2"];
    place
        .run(&measure)
        .expect(0, &["tables taught this model: no", "untrained network", "conversion"]);
    assert!(card(&place, "plain").get("truth").is_none());
    // A card is not written while tables are missing.
    let partial = ["truth", "plain", "--games", "2", "--visits", "2", "--write-card"];
    place
        .run(&partial)
        .expect(4, &["36 of 36 tables of 2 animals, 0 of 224 of 3", "`solve --pieces 3`"]);
    place
        .run(&["truth", "plain", "--preset", "leiden"])
        .expect(4, &["`solve --pieces 3 --preset leiden`"]);
    let suite = ["suite", "--collect", "s.jsonl", "--pieces", "2", "--each", "1"];
    place.run(&suite).expect(0, &["in s.jsonl"]);
    place.run(&suite).expect(2, &["`s.jsonl` exists already", "`--replace`"]);
    place.run(&[&suite[..], &["--replace"]].concat()).expect(0, &[]);
    place.write("empty.jsonl", "\n");
    place.run(&["suite", "random", "--file", "empty.jsonl"]).expect(4, &["holds no position"]);
    place.run(&["suite", "random", "--file", "s.jsonl", "--game", "jungle"]).expect(2, &["leave"]);
    let said = place.run(&[&measure[..], &["--write-card", "--json", "t.json"]].concat());
    said.expect(0, &["written down in plain/card.toml"]);
    let truth = card(&place, "plain")["truth"].clone();
    for (key, value) in [("pieces", 2), ("visits", 2), ("seed", 1), ("conversion_games", 4)] {
        assert_eq!(truth[key], value.into(), "{truth}");
    }
    assert_eq!(truth["taught_by_tables"], false.into());
    let shares = ["sign", "policy", "search", "conversion", "conversion_quick", "untrained_sign"];
    for share in shares.iter().chain(&["untrained_policy", "random_move", "constant_value"]) {
        assert!((0.0..=1.0).contains(&truth[*share].as_float().unwrap()), "{share} in {truth}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("t.json")).unwrap()).unwrap();
    assert_eq!(json["positions"], truth["positions"].as_integer().unwrap());
    assert_eq!(json["rules"], truth["rules"].as_str().unwrap());
    place.run(&["show", "plain"]).expect(0, &["[truth]", "weights, sound"]);

    // A run of tables' pupils stays one, however often it is forked.
    model(&place, "jungle", "pupil", &["selfplay.table_targets=true"]);
    assert_eq!(card(&place, "pupil")["training"]["taught_by_tables"], true.into());
    let off = ["--set", "selfplay.table_targets=false"];
    std::fs::rename(place.path("pupil"), place.path("taught")).unwrap();
    for (from, to) in [("pupil", "child"), ("taught", "heir"), ("heir", "grandchild")] {
        place.run(&[&["fork", from, "--to", to], &off[..]].concat()).expect(0, &[]);
        let model = format!("{to}-model");
        place.run(&["export", to, "--to", &model]).expect(0, &[]);
        assert_eq!(card(&place, &model)["training"]["taught_by_tables"], true.into(), "{to}");
    }

    // Players that ask tables, in a match and at the board.
    let asks = "plain:visits=2:tables=2";
    let said = place.run(&["match", asks, "random", "--games", "2", "--max-plies", "20"]);
    let said = said.expect(0, &[asks]);
    assert_eq!(said.out.lines().count(), 1, "{}", said.out);
    assert!(!said.err.contains("Elo"), "{}", said.err);
    place.run_with(&["play", asks, "--side", "none"], "").expect(0, &[]);
    let incomplete = ["match", "plain:tables=3", "random", "--games", "2"];
    place.run(&incomplete).expect(4, &["224 of the 260 tables", "`solve --pieces 3`"]);
    place.run(&["truth", asks]).expect(2, &["leave `:tables=` out"]);
    place.run(&["truth", "heir", "--write-card"]).expect(2, &["is a run and has no card"]);
    place.run(&["truth", "random"]).expect(2, &["`random` has no network"]);
    place.run(&["truth", "plain", "--pieces", "6"]).expect(2, &["no table has 6 animals"]);
}

#[test]
fn endings_of_celestial_are_searched_and_other_games_have_no_solver() {
    let place = place();
    model(&place, "celestial", "sky", &[]);
    let words = ["truth", "sky", "--positions", "20", "--pieces", "4", "--visits", "8"];
    let said = place.run(&[&words[..], &["--write-card"]].concat());
    said.expect(0, &["20 endings with at most 4 animals", "some action is wrong", "chance"]);
    let truth = card(&place, "sky")["truth"].clone();
    assert_eq!((truth["animals"].clone(), truth["positions"].clone()), (4.into(), 20.into()));
    assert_eq!(truth["against"], "search to the end".into());
    place.run(&["match", "sky:tables=3", "random"]).expect(2, &["celestial has none"]);
    model(&place, "shengxiao", "beasts", &[]);
    place.run(&["truth", "beasts"]).expect(2, &["nothing solves endings of shengxiao"]);
}
