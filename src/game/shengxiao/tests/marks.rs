//! Marks, bans, pulls and the chain, followed through whole turns.

use super::*;

/// Plays the actions and returns the position text after each.
fn play(start: &str, actions: &[&str]) -> Vec<String> {
    let game = game();
    let mut line = Line::from_position(&game, at(start));
    let after = |action: &&str| {
        line.play(game.parse_action(line.position(), action).unwrap());
        game.position_text(line.position())
    };
    actions.iter().map(after).collect()
}

fn legal(text: &str) -> Vec<String> {
    let game = game();
    texts(&game, &Line::from_position(&game, at(text)))
}

fn refused(text: &str, action: &str) -> String {
    game().parse_action(&at(text), action).unwrap_err().to_string()
}

#[test]
fn a_bite_marks_the_enemy_for_a_turn_and_bans_the_next_bite() {
    let texts = play("r5/6/6/6/6/6/2s3/1xD3/6/5R s", &["biten", "a10a9", "f1f2", "a9a10"]);
    assert_eq!(
        texts,
        [
            "r5/6/6/6/6/6/6/1xs3/2D3/5R n 1 bitten:s,nobite:s",
            "6/r5/6/6/6/6/6/1xs3/2D3/5R s 2 nobite:s",
            "6/r5/6/6/6/6/6/1xs3/2D2R/6 n 3 -",
            "r5/6/6/6/6/6/6/1xs3/2D2R/6 s 4 -",
        ]
    );
    assert_eq!(legal(&texts[0]), ["a10a9", "a10b10", "b3a3", "b3b2", "b3b4"]);
    assert_eq!(
        refused(&texts[0], "pushe0"),
        "`pushe0`: the ox cannot push the snake: it was bitten and cannot be moved"
    );
    assert_eq!(
        refused(&texts[1], "biten"),
        "`biten`: the dog cannot bite: a side may not bite in two of its turns running"
    );
    assert!(refused(&texts[3], "biten").contains("it is joined with its ox"));
}

#[test]
fn an_own_animal_bitten_gets_no_mark() {
    let texts = play("r5/6/6/6/6/6/2P3/2D3/6/5R s", &["biten"]);
    assert_eq!(texts, ["r5/6/6/6/6/6/6/2P3/2D3/5R n 1 nobite:s"]);
}

#[test]
fn a_pulled_enemy_may_not_act_but_be_moved() {
    // Its join with the rooster does not protect the ox.
    let texts = play("r5/6/6/6/6/2k3/2x3/3n2/6/1H3R s", &["b1c2", "pulln", "swapw"]);
    assert_eq!(
        texts,
        [
            "r5/6/6/6/6/2k3/2x3/3n2/2H3/5R s 0 pulls,moved:H",
            "r5/6/6/6/6/2k3/6/2xn2/2H3/5R n 1 held:x",
            "r5/6/6/6/6/2k3/6/2nx2/2H3/5R s 2 -",
        ]
    );
    assert!(refused(&texts[1], "c3b3").contains("it was pulled by the enemy hare"));
    assert_eq!(
        refused(&texts[0], "c2b1"),
        "`c2b1`: the hare may pull: only pulls and `end` are \
                                            possible now"
    );
}

#[test]
fn a_held_hare_that_is_displaced_may_pull() {
    let start = "r5/6/6/2x3/2h3/6/6/2P3/6/5R n 3 held:h";
    let texts = play(start, &["pushs0", "pulls"]);
    assert_eq!(legal(&texts[0]), ["end", "pulls"]);
    assert_eq!(texts[1], "r5/6/6/6/2x3/2h3/2P3/6/6/5R s 4 held:P");
}

#[test]
fn a_pulled_rooster_calls_the_chain() {
    let texts = play("r5/6/6/6/6/6/2K3/3D2/6/1H3R s", &["b1c2", "pulln", "bitew"]);
    assert_eq!(texts[1], "r5/6/6/6/6/6/6/2KD2/2H3/5R s 0 chain,moved:HK");
    assert_eq!(legal(&texts[1]), ["bitew", "d3d2", "d3d4", "d3e3", "end"]);
    // Beside the rooster there is nobody left who was not displaced.
    assert_eq!(texts[2], "r5/6/6/6/6/6/6/3KD1/2H3/5R n 1 nobite:s");
}

#[test]
fn pulls_that_were_given_up_come_back_only_with_the_hare() {
    let start = "r5/6/6/6/3S2/3P2/2H3/1X4/2K3/5R s";
    let texts = play(start, &["c2c3", "c4b5", "end", "pushn1", "end"]);
    assert!(texts[1].ends_with("s 0 pulls,moved:HK"), "{}", texts[1]);
    assert_eq!(legal(&texts[1]), ["end", "pulle", "pulls"]);
    // The pig and the ox could be pulled still, but the hare gave them up.
    assert!(texts[2].ends_with("s 0 chain,moved:HK"), "{}", texts[2]);
    assert_eq!(legal(&texts[2]), ["b3a3", "b3b2", "b3b4", "end", "pushe0", "pushn1"]);
    // The ox pushes the hare to b6, and from there the snake can be pulled.
    assert!(texts[3].ends_with("s 0 pulls,moved:XHK"), "{}", texts[3]);
    assert_eq!(legal(&texts[3]), ["end", "pulle"]);
    assert!(texts[4].ends_with("n 1 -"), "{}", texts[4]);
}

#[test]
fn an_encirclement_resets_the_count_at_the_end_of_the_turn() {
    let texts = play("r5/6/6/6/6/6/6/G5/6/xT3R s 7 -", &["a3a2"]);
    assert_eq!(texts, ["r5/6/6/6/6/6/6/6/G5/1T3R n 0 -"]);
}

#[test]
fn a_win_in_mid_turn_stays_with_the_side_that_acted() {
    let won = play("6/6/6/4R1/6/6/5r/6/6/6 s 7 -", &["e7e8"]);
    assert_eq!(won, ["6/6/4R1/6/6/6/5r/6/6/6 s 7 over:s-goal,moved:R"]);
    assert_eq!(refused(&won[0], "e8e9"), "`e8e9`: the game is over");
}
