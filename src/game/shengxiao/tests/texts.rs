//! What is refused, and in which words; what is drawn.

use super::*;

fn refusal(position: &str, action: &str) -> String {
    game().parse_action(&at(position), action).unwrap_err().to_string()
}

#[test]
fn refusals_say_why() {
    let board = "6/6/6/r5/2k3/2d3/2X1R1/1N4/6/6 s";
    assert_eq!(
        refusal(board, "pushn0"),
        "`pushn0`: the ox cannot push the dog: it is joined with its rooster, and the ox is not \
         motivated"
    );
    assert_eq!(refusal(board, "swape"), "`swape`: the dragon cannot swap: nobody stands on c3");
    assert_eq!(refusal(board, "biten"), "`biten`: the dog cannot bite: it was taken off the board");
    assert_eq!(refusal(board, "c5c4"), "`c5c4`: the dog on c5 is an enemy of the side to act");
    assert_eq!(refusal(board, "a1a2"), "`a1a2`: nobody stands on a1");
    assert_eq!(refusal(board, "g1a2"), "`g1a2`: g1 is not on the board, which goes from a1 to f10");
    assert_eq!(
        refusal(board, "c4b5"),
        "`c4b5`: the ox cannot walk to b5: it walks one step up, down, left or right"
    );
    assert_eq!(
        refusal(board, "c4c5"),
        "`c4c5`: the ox cannot walk to c5: the dog stands there, and walking never captures"
    );
    assert_eq!(refusal(board, "end"), "`end`: a turn cannot end before something was done");
    assert!(refusal(board, "hop").contains("`hop` is no action"));
    assert_eq!(refusal(board, "shifte2"), "`shifte2` is written `shifte+2`");
    assert!(refusal(board, "shiftw-128").contains("files go from -5 to +5"));
    assert!(refusal(board, "pushä1").contains("is no action"));
    let held = "6/6/6/r5/2k3/2d3/2X1R1/1N4/6/6 s 4 held:X,bitten:N";
    assert_eq!(
        refusal(held, "c4b4"),
        "`c4b4`: the ox cannot walk: it was pulled by the enemy hare in the last turn"
    );
    assert_eq!(
        refusal(held, "swapn"),
        "`swapn`: the dragon cannot swap: it was bitten in the last turn"
    );
    let pig = "6/6/6/r5/6/1X4/1PG1R1/2H3/6/6 s";
    assert_eq!(
        refusal(pig, "shifte+0x"),
        "`shifte+0x`: the pig cannot shift: the two cannot change places, because another animal \
         stands beside them both before and after the slide"
    );
    assert_eq!(
        refusal(pig, "shifte+0"),
        "`shifte+0`: the pig cannot shift: a slide by 0 files without a change of places does \
         nothing"
    );
    assert!(refusal(pig, "pulln").contains("it pulls right after it was displaced"));
}

#[test]
fn wrong_positions_are_refused() {
    let cases = [
        ("6/6/6/r5/6/6/4R1/6/6/6", "has 1 words"),
        ("6/6/6/r5/6/6/4R1/6/6 s", "has 9 rows; there must be 10"),
        ("6/6/6/r5/6/6/4R1/6/6/5 s", "row `5` has 5 squares; there must be 6"),
        ("6/6/6/r5/6/6/4R2/6/6/6 s", "row `4R2` has 7 squares"),
        ("6/6/6/r5/6/6/4R1/6/6/Q5 s", "`Q` in row `Q5` is no animal"),
        ("6/6/6/r5/6/6/4R1/6/4R1/6 s", "`R` in row `4R1` stands there twice"),
        ("6/6/6/r5/6/6/6/6/6/6 s", "the rat `R` is missing"),
        ("6/6/6/r5/6/6/4R1/6/6/6 w", "`w` is no side"),
        ("6/6/4R1/r5/6/6/6/6/6/6 s", "the rat `R` on e8 stands on or past its goal rank"),
        ("6/4R1/6/r5/6/6/6/6/6/6 s", "the rat `R` on e9 stands on or past its goal rank"),
        ("6/6/6/6/6/6/4R1/6/r5/6 s", "the rat `r` on a2 stands on or past its goal rank"),
        ("6/6/6/r5/6/6/4R1/6/o5/Xg4 s", "the group of `X` on a1 has no empty square beside it"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s 101", "`101` turns since the last encirclement"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s -1", "`-1` turns since the last encirclement"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s 0 frozen:R", "`frozen:R` is no mark"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s 0 held:X", "`X` does not stand on the board"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s 0 held:r", "only the acting side is held or bitten"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s 0 held:RR", "`R` is given twice"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s 0 held:", "names no animal"),
        ("6/6/6/r5/6/6/4R1/6/6/6 s 0 pulls", "needs the acting side's hare among the moved"),
        ("6/6/6/r5/6/6/4RH/6/6/6 s 0 pulls,moved:H", "the hare can pull nobody"),
        ("6/6/6/r5/6/6/4RK/6/6/6 s 0 chain", "needs the acting side's rooster among the moved"),
        ("6/6/6/r5/6/6/3R1K/6/6/6 s 0 chain,moved:K", "nobody beside the rooster can act"),
        ("6/6/6/r5/6/6/4RK/6/6/6 s 0 chain,pulls", "only one of `pulls`, `chain` and `over`"),
        ("6/6/6/r5/6/6/4RK/6/6/6 s 0 over:s-goal", "the board shows no such win"),
        ("6/6/6/r5/6/6/4RK/6/6/6 s 0 over:s", "it must be `over:`, `s` or `n`"),
        ("6/6/6/r5/6/6/4RK/6/6/6 s 0 nobite:x", "`x` must be `s` or `n`"),
        ("6/6/6/r5/6/6/4RK/6/6/6 s 0 noswap,noswap", "`noswap` is given twice"),
    ];
    for (text, why) in cases {
        match game().parse_position(text) {
            Err(error) => assert!(error.to_string().contains(why), "{text}: {error}"),
            Ok(position) => panic!("{text} was read: {position:?}"),
        }
    }
}

#[test]
fn rules_are_checked() {
    let with = |change: fn(&mut Rules)| {
        let mut rules = Rules::default();
        change(&mut rules);
        Shengxiao::new(rules).map(|_| ()).unwrap_err().to_string()
    };
    assert!(with(|rules| rules.width = 7).contains("7 × 10 has 70 squares"));
    assert!(with(|rules| rules.width = 5).contains("`setup`: row `pkgshx` has 6 squares"));
    assert!(with(|rules| rules.border = 10).contains("`border` is 10"));
    assert!(with(|rules| rules.goal_south = 5).contains("`goal_south` is 5"));
    assert!(with(|rules| rules.goal_north = 6).contains("`goal_north` is 6"));
    assert!(with(|rules| rules.repetitions = 1).contains("`repetitions` is 1; allowed: 2 to 100"));
    assert!(with(|rules| rules.setup = String::from("x s 3")).contains("`x s 3` must be rows"));
    let unknown = serde_json::from_str::<Rules>(r#"{"rivers": 2}"#).unwrap_err();
    assert!(unknown.to_string().contains("unknown field `rivers`"));
    let read: Rules = serde_json::from_value(game().rules()).unwrap();
    assert_eq!(read, Rules::default());
}

#[test]
fn sketches_show_board_and_marks() {
    let game = game();
    let sketch = game.sketch(&at("6/6/6/r5/2k3/2d3/2X1R1/1N4/6/6 s 4 held:X,bitten:N,nobite:n"));
    assert_eq!((sketch.width, sketch.height, sketch.cells.len()), (6, 10, 60));
    assert_eq!(sketch.cells[18].piece.map(|piece| piece.letter), Some('r'));
    assert_eq!(sketch.cells[2 * 6].ground, crate::game::Ground::Den(Side::First));
    assert_eq!(
        sketch.notes,
        [
            "South: pulled, cannot act: ox",
            "South: bitten, can neither act nor be moved: dragon",
            "North: motivated by the rooster: dog",
            "North: the dog bit in the last turn and may not bite",
            "turns without encirclement: 4 of 100",
        ]
    );
}
