use super::*;
use crate::game::jungle::{Limit, Rules};
use crate::game::{Game, Line, Notation};
use crate::rng;
use rand::RngExt;
use serde_json::{Value, json};

fn game(options: Value) -> Jungle {
    let mut record = serde_json::to_value(Rules::default()).unwrap();
    for (key, value) in options.as_object().unwrap() {
        record[key] = value.clone();
    }
    Jungle::new(serde_json::from_value(record).unwrap()).unwrap()
}

fn encoded(game: &Jungle, position: &Position, repetitions: u32) -> (Vec<f32>, Vec<f32>) {
    let shape = game.shape();
    let (mut planes, mut globals) = (vec![0.0; shape.plane_values()], vec![0.0; shape.globals]);
    game.encode(position, repetitions, &mut planes, &mut globals);
    (planes, globals)
}

/// Positions of random games.
fn positions(game: &Jungle, games: u64) -> Vec<Position> {
    let mut out = Vec::new();
    for index in 0..games {
        let mut stream = rng::stream(7, "codec test", index);
        let mut line = Line::start(game);
        for _ in 0..120 {
            let legal = line.legal();
            if legal.is_empty() {
                break;
            }
            out.push(line.position().clone());
            line.play(legal[stream.random_range(0..legal.len())]);
        }
    }
    out
}

const OTHER_BOARD: &str = "..d../.t.t./.~.~./.~.~./.~.~./.T.T./..D..";
const OTHER_SETUP: &str = "l3t/5/r3e/5/E3R/5/T3L w 0 1";

#[test]
fn standard_shape() {
    let shape = game(json!({})).shape();
    assert_eq!((shape.width, shape.height, shape.planes), (7, 9, 32));
    assert_eq!(shape.codes(), 252);
}

#[test]
fn codes_of_a_position_differ_and_are_in_range() {
    for options in [
        json!({}),
        json!({"swimmers": "RLT", "leopard_jump": "both"}),
        json!({"board": OTHER_BOARD, "setup": OTHER_SETUP}),
    ] {
        let game = game(options);
        let mut actions = Vec::new();
        for position in positions(&game, 10) {
            game.actions(&position, &mut actions);
            let mut codes: Vec<usize> =
                actions.iter().map(|&action| game.code(&position, action)).collect();
            assert!(codes.iter().all(|&code| code < game.shape().codes()));
            codes.sort_unstable();
            codes.dedup();
            assert_eq!(codes.len(), actions.len(), "{}", game.position_text(&position));
        }
    }
}

#[test]
fn a_swimming_jumper_steps_and_jumps_the_same_way() {
    let game = game(json!({"swimmers": "RL"}));
    let position = game.parse_position("7/7/7/7/7/7/1L4r/7/7 w 0 1").unwrap();
    let code = |text| game.code(&position, game.parse_action(&position, text).unwrap());
    assert_eq!(game.shape().policy_planes, 8);
    assert_eq!((code("b3b4"), code("b3b7")), (15 * 8, 15 * 8 + 4));
}

#[test]
fn the_second_side_sees_the_board_turned() {
    let game = game(json!({}));
    let first = game.parse_position("7/7/r6/7/7/7/2L4/7/7 w 0 1").unwrap();
    let second = game.parse_position("7/7/2l4/7/7/7/R6/7/7 b 0 1").unwrap();
    assert_eq!(encoded(&game, &first, 0).0, encoded(&game, &second, 0).0);
    let mut actions = Vec::new();
    game.actions(&first, &mut actions);
    for action in actions {
        let turned =
            Action { from: game.board().turned(action.from), to: game.board().turned(action.to) };
        assert_eq!(game.code(&first, action), game.code(&second, turned));
    }
}

#[test]
fn planes_hold_what_they_say() {
    let game = game(json!({}));
    // The cat on d8 is weakened, the dog could take it; the lion on b3 can jump to b7.
    let position = game.parse_position("7/3Cd2/7/7/7/7/1L5/7/7 w 0 1").unwrap();
    let (planes, _) = encoded(&game, &position, 0);
    let at = |name: &str, plane: usize| {
        planes[usize::from(game.board().square(name).unwrap()) * 32 + plane]
    };
    assert_eq!((at("d8", 1), at("d8", 22), at("d8", 24)), (1.0, 1.0, 1.0));
    assert_eq!((at("e8", 10), at("e8", 23), at("e8", 25)), (1.0, 0.0, 0.0));
    assert_eq!((at("b7", 26), at("b7", 30), at("b7", 31)), (1.0, 1.0, 0.0));
    assert_eq!((at("d9", 18), at("d1", 17), at("d8", 20), at("d2", 19)), (1.0, 1.0, 1.0, 1.0));
    assert_eq!((at("d9", 28), at("d8", 28), at("d1", 29)), (1.0, 0.5, 1.0));
    assert_eq!((at("b4", 16), at("a4", 16), at("a4", 21)), (1.0, 0.0, 1.0));
}

#[test]
fn the_mirror_is_a_symmetry() {
    for options in [
        json!({}),
        json!({"swimmers": "DR", "equal": "both_die", "leopard_jump": "along"}),
        json!({"board": OTHER_BOARD, "setup": OTHER_SETUP}),
    ] {
        let game = game(options);
        assert_eq!(game.symmetries(), 2);
        for position in positions(&game, 5) {
            let mirrored = game.transform(&position, 1);
            assert_eq!(game.transform(&mirrored, 1), position);
            let (mut legal, mut there) = (Vec::new(), Vec::new());
            game.actions(&position, &mut legal);
            game.actions(&mirrored, &mut there);
            let mut moved: Vec<Action> =
                legal.iter().map(|&action| game.transform_action(action, 1)).collect();
            moved.sort();
            assert_eq!(moved, there);
            for &action in &legal {
                assert_eq!(game.transform_action(game.transform_action(action, 1), 1), action);
                let (mut next, mut next_there) = (position.clone(), mirrored.clone());
                game.play(&mut next, action);
                game.play(&mut next_there, game.transform_action(action, 1));
                assert_eq!(game.transform(&next, 1), next_there);
            }
        }
    }
    let lopsided = game(json!({"board": "..d./..../..../.D..", "setup": "r3/4/4/3R w 0 1"}));
    assert_eq!(lopsided.symmetries(), 1);
}

#[test]
fn every_option_that_matters_shows() {
    let changes = [
        json!({"board": "..tdt../...t.../......./.~~~~~./.~~~~~./.~~~~~./......./...T.../..TDT.."}),
        json!({"board": "..tdt../......./......./.~~.~~./.~~.~~./.~~.~~./......./...T.../..TDT.."}),
        json!({"board": "..tdt../...t.../......./.~~.~~./.~~.~~./.~~.~~./......./...T.../..T.T.."}),
        json!({"ranks": "R<C<W<D<P<T<L<E"}),
        json!({"ranks": "R<C<D<W<P<T=L<E"}),
        json!({"ranks": "R<C<D<W<P<L<T<E"}),
        json!({"ranks": "R=C<D<W<P<T<L<E"}),
        json!({"ranks": "R<C<D<W<P<T<L=E"}),
        json!({"swimmers": ""}),
        json!({"swimmers": "DR"}),
        json!({"swimmers": "RT"}),
        json!({"elephant_takes_rat": "never"}),
        json!({"elephant_takes_rat": "always"}),
        json!({"water_rat_takes_elephant": true}),
        json!({"water_rat_takes_land_rat": true}),
        json!({"land_rat_takes_water_rat": true}),
        json!({"lion_jump": "along"}),
        json!({"lion_jump": "across"}),
        json!({"lion_jump": "none"}),
        json!({"tiger_jump": "along"}),
        json!({"tiger_jump": "across"}),
        json!({"tiger_jump": "none"}),
        json!({"leopard_jump": "along"}),
        json!({"leopard_jump": "across"}),
        json!({"leopard_jump": "both"}),
        json!({"jump_blockers": "enemy_rat"}),
        json!({"jump_blockers": "none"}),
        json!({"traps": "all"}),
        json!({"trapped_takes": true}),
        json!({"equal": "both_die"}),
        json!({"den_entry": "rat"}),
        json!({"capture_all_wins": false}),
        json!({"no_move": "draw"}),
        json!({"no_capture_limit": null}),
        json!({"no_capture_limit": 99}),
        json!({"no_capture_limit": 99_999}),
        json!({"no_capture_limit": 100_000}),
        json!({"max_plies": 99_999}),
        json!({"max_plies": 100_000}),
        json!({"max_plies": 150}),
        json!({"repetition": "draw"}),
        json!({"repetition": "loss"}),
        json!({"repetition": "forbidden"}),
        json!({"repetition": "draw", "repetition_count": 2}),
        json!({"repetition": "draw", "repetition_count": 999}),
        json!({"repetition": "draw", "repetition_count": 1000}),
    ];
    // Terrain shows in the planes, every other option in the globals alone.
    let shown = |change: &Value| {
        let game = game(change.clone());
        let position = game.parse_position("7/7/r6/7/7/7/7/7/6R w 0 1").unwrap();
        let (planes, globals) = encoded(&game, &position, 0);
        if change.get("board").is_some() { planes } else { globals }
    };
    let default = encoded(&game(json!({})), &game(json!({})).start(), 0).1;
    let mut seen = vec![default, shown(&json!({"board": Rules::default().board}))];
    for change in changes {
        let shown = shown(&change);
        assert!(!seen.contains(&shown), "{change} shows nowhere");
        seen.push(shown);
    }
}

#[test]
fn counts_and_repetitions_show_where_they_matter() {
    let text = |tail: &str| format!("7/7/r6/7/7/7/7/7/6R w {tail}");
    let globals = |game: &Jungle, tail: &str, repetitions| {
        encoded(game, &game.parse_position(&text(tail)).unwrap(), repetitions).1
    };
    let plain = game(json!({"no_capture_limit": null}));
    assert_eq!(globals(&plain, "0 1", 0), globals(&plain, "30 70", 0));
    let limited = game(json!({"max_plies": 200}));
    let all = [("0 1", 0), ("1 1", 0), ("0 2", 0), ("99 1", 0), ("0 1", 1), ("0 1", 2)];
    for (index, (tail, repetitions)) in all.into_iter().enumerate() {
        for (other, other_repetitions) in &all[index + 1..] {
            assert_ne!(
                globals(&limited, tail, repetitions),
                globals(&limited, other, *other_repetitions)
            );
        }
    }
    assert_eq!(limited.options().max_plies, Limit(Some(200)));
}
