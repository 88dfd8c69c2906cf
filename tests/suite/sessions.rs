//! `play` driven through a pipe, for each game.

use crate::program::Place;

/// The first legal action that `moves` shows.
fn first_action(place: &Place, words: &[&str]) -> String {
    let out = place.run_with(words, "moves\nquit\n").expect(0, &[]).out;
    let actions = out.lines().rev().find(|line| !line.trim().is_empty()).unwrap();
    actions.split_whitespace().next().unwrap().to_string()
}

#[test]
fn a_scripted_game_of_each_game_against_each_kind_of_player() {
    let place = Place::new();
    for game in ["jungle", "celestial", "shengxiao"] {
        for opponent in ["random", "greedy", "uniform:8"] {
            let words = ["play", opponent, "--game", game];
            let action = first_action(&place, &words);
            let script = format!(
                "help\nposition\n{action}\nundo\nposition\nzz9\nhint\neval\nmoves\n\n\u{1F42D}\n\
                 level x\nside nobody\n{action}\nresign\n{action}\nundo\nnew\nboard\nquit\nafter\n"
            );
            let said = place.run_with(&words, &script).expect(0, &[]);
            assert!(said.err.is_empty(), "{}", said.err);
            for told in [
                "an action    plays it",
                "`zz9`",
                "(`moves` lists the legal actions",
                " plays ",
                "level `x` is not a number of visits",
                "no side `nobody`",
                "resigned",
                "The game is over",
                &format!("last {action}"),
            ] {
                let found = said.out.to_lowercase().contains(&told.to_lowercase());
                // How the last action is marked is the board's own matter.
                assert!(found || told.starts_with("last "), "{game}: no `{told}`\n{}", said.out);
            }
            assert!(!said.out.contains(['\r', '\x1b']), "escapes in a pipe");
            if opponent == "uniform:8" {
                assert!(said.out.contains("visits"), "{}", said.out);
            } else {
                assert!(said.out.contains("has no level to set") || !said.out.contains("level 5"));
            }
            // The position before an action and after taking it back is the same.
            let positions: Vec<&str> = said
                .out
                .lines()
                .filter(|line| line.matches('/').count() >= 5 && !line.contains('|'))
                .collect();
            assert!(positions.len() >= 2 && positions[0] == positions[1], "{}", said.out);
        }
    }
}

#[test]
fn the_end_of_the_input_ends_the_session_and_both_sides_can_be_watched() {
    let place = Place::new();
    place.run(&["play", "random"]).expect(0, &[]);
    place.run_with(&["play", "greedy"], "moves").expect(0, &[]);
    let said = place.run(&["play", "random", "--side", "none", "--seed", "3"]).expect(0, &[]);
    let over = said.out.contains(" wins") || said.out.contains("a draw because");
    assert!(over || said.out.contains("actions played"), "{}", said.out);
    let again = place.run(&["play", "random", "--side", "none", "--seed", "3"]).out;
    assert_eq!(said.out, again);
    let noise: Vec<u8> =
        (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let noise = String::from_utf8_lossy(&noise);
    place.run_with(&["play", "random", "--side", "both"], &noise).expect(0, &[]);
}

#[test]
fn misuse_is_told() {
    let place = Place::new();
    place.run(&["play", "random", "--visits", "5"]).expect(2, &["random has no visits to set"]);
    place.run(&["play", "random", "--visits", "0"]).expect(2, &["0 is not in 1..="]);
    place.run(&["play", "random", "--side", "third"]).expect(2, &["no side `third`"]);
    place.run(&["play", "random", "--position", "xx"]).expect(2, &["position `xx`"]);
    place.run(&["play", "nobody"]).expect(2, &["there is no model and no run `nobody`"]);
}
