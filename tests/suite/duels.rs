//! `match`: its JSON, what its result depends on, and players that are none.

use crate::program::Place;
use serde_json::Value;

fn result(place: &Place, words: &[&str]) -> Value {
    let said = place.run(&[&["match"], words, &["--json"]].concat()).expect(0, &[]);
    let mut json: Value = serde_json::from_str(&said.out).unwrap();
    // What the clock says is no part of the result.
    json.as_object_mut().unwrap().remove("ms_per_move");
    json
}

#[test]
fn the_result_has_its_keys_and_depends_on_the_seed_alone() {
    let place = Place::new();
    let words = ["greedy", "random", "--games", "20", "--max-plies", "120"];
    let json = result(&place, &words);
    let number = |key: &str| json[key].as_f64().unwrap_or_else(|| panic!("{key}: {json}"));
    assert_eq!(number("wins") + number("draws") + number("losses"), 20.0);
    let score = (number("wins") + 0.5 * number("draws")) / 20.0;
    assert!((number("score") - score).abs() < 1e-9, "{json}");
    for key in ["elo", "elo_low", "elo_high"] {
        assert!(json.as_object().unwrap().contains_key(key), "{json}");
    }
    let one = result(&place, &[&words[..], &["--threads", "1"]].concat());
    assert_eq!(one, json);
    let other = result(&place, &[&words[..], &["--seed", "2"]].concat());
    assert_ne!(other["mean_plies"], json["mean_plies"]);
    for game in ["jungle", "celestial", "shengxiao"] {
        let words = ["random", "uniform:4", "--games", "2", "--game", game, "--max-plies", "60"];
        assert_eq!(result(&place, &words)["game"], game);
    }
    let kept = ["random", "random", "--games", "3", "--games-to", "games.jsonl"];
    assert_eq!(result(&place, &kept)["games"], 4);
    let lines = std::fs::read_to_string(place.path("games.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 4);
    // Settings hold unless a flag says otherwise; one game is a pair.
    let set = ["random", "random", "--set", "arena.games=6", "--set", "arena.max_plies=10"];
    let json = result(&place, &set);
    assert_eq!((&json["games"], &json["mean_plies"]), (&6.into(), &10.0.into()));
    assert_eq!(result(&place, &[&set[..], &["--games", "1"]].concat())["games"], 2);
}

#[test]
fn players_and_numbers_that_are_none_are_misuse() {
    let place = Place::new();
    for (words, told) in [
        (&["random", "radnom"][..], "did you mean `random`?"),
        (&["random", "alphabeta"], "needs a depth"),
        (&["random", "alphabeta:0"], "from 1 to 12"),
        (&["random", "alphabeta:13"], "from 1 to 12"),
        (&["random", "rollout:0"], "not a number from 1"),
        (&["random", "random:3"], "takes no `:3`"),
        (&["random", ""], "nothing is written"),
        (&["random", "no/such/model"], "there is no model and no run `no/such/model`"),
        (&["random", "x:visits=0"], "visits `0`"),
        (&["random", "x:search=best"], "no search `best`"),
        (&["random", "random", "--games", "0"], "`games` is 0; allowed: 2 to"),
        (&["random", "random", "--games", "-1"], "-1"),
        (&["random", "random", "--threads", "0"], "`threads` is 0"),
        (&["random", "random", "--threads", "100000"], "`threads` is 100000"),
        (&["random", "random", "--max-plies", "0"], "`max_plies` is 0"),
    ] {
        place.run(&[&["match"], words].concat()).expect(2, &[told]);
    }
    std::fs::create_dir(place.path("folder")).unwrap();
    place.run(&["match", "random", "folder"]).expect(4, &["neither a model", "nor a run"]);
    place.run(&["match", "random", "random", "--game", "chess"]).expect(3, &["--game chess: "]);
    let unused = ["match", "random", "random", "--set", "train.hours=3"];
    place.run(&unused).expect(3, &["--set train.hours=3: means nothing to this command"]);
}
