//! Alpha-beta against a plain search written as simply as can be.

use super::*;
use crate::arena::toy::Toy;
use crate::game::Notation;
use rand::RngExt;

/// Plain negamax of the same depth with the same quiescence: no window, no table, no order.
fn plain(line: &Line<Toy>, depth: i32, ply: i32) -> i32 {
    let actor = line.turn();
    if let Some(outcome) = line.outcome() {
        return terminal_score(&outcome, actor, ply);
    }
    let mut best = if depth <= 0 { line.game().evaluate(line.position()) } else { -WIN - 1 };
    if depth <= -QUIESCENCE_PLIES {
        return best;
    }
    for action in line.legal() {
        if depth <= 0 && !line.game().is_forcing(line.position(), action) {
            continue;
        }
        let mut next = line.clone();
        next.play(action);
        let score = plain(&next, depth - 1, ply + 1);
        best = best.max(if next.turn() == actor { score } else { -score });
    }
    best
}

fn random_line(game: &Toy, seed: u64, plies: usize) -> Line<Toy> {
    let mut stream = rng::stream(seed, "test", 0);
    let mut line = Line::start(game);
    for _ in 0..plies {
        let legal = line.legal();
        let mut next = line.clone();
        next.play(legal[stream.random_range(0..legal.len())]);
        if next.outcome().is_some() {
            break;
        }
        line = next;
    }
    line
}

#[test]
fn the_score_is_that_of_a_plain_search() {
    for acts in [1, 2, 3] {
        let game = Toy { acts, ..Toy::default() };
        for seed in 0..30 {
            let line = random_line(&game, seed, seed as usize % 9);
            for depth in 1..=4 {
                let mut player = AlphaBeta::new(depth);
                player.begin(seed);
                let (score, expected) = player.search(&line).unwrap();
                let text = game.position_text(line.position());
                assert_eq!(score, plain(&line, depth as i32, 0), "depth {depth} of {text}");
                let mut next = line.clone();
                next.play(expected[0]);
                let after = plain(&next, depth as i32 - 1, 1);
                let after = if next.turn() == line.turn() { after } else { -after };
                assert_eq!(after, score, "the action chosen at depth {depth} of {text}");
            }
        }
    }
}

#[test]
fn repetition_is_seen() {
    // Both sides have shuffled twice; First is behind and can make the third occurrence.
    let game = Toy { retreat: true, ..Toy::default() };
    let start = game.parse_position("b..b/..../..../W.../.... f 1").unwrap();
    let mut line = Line::from_position(&game, start);
    for text in ["a2a1", "d5d4", "a1a2", "d4d5", "a2a1", "d5d4", "a1a2"] {
        let action = game.parse_action(line.position(), text).unwrap();
        line.play(action);
    }
    assert_eq!(line.outcome(), None);
    let action = game.parse_action(line.position(), "d4d5").unwrap();
    let mut drawn = line.clone();
    drawn.play(action);
    assert_eq!(drawn.outcome().map(|outcome| outcome.winner), Some(None));
    // Second stands better and does not repeat.
    let mut player = AlphaBeta::new(2);
    player.begin(1);
    let choice = player.choose(&line).unwrap();
    assert_ne!(choice.action, action);
    assert!(choice.score.unwrap() > 0);
    // With the rule that forbids it the same action is not even legal.
    let strict = Toy { forbidden: Some(3), ..game };
    let mut line = Line::from_position(&strict, drawn.position().clone());
    for text in ["a2a1", "d5d4", "a1a2", "d4d5", "a2a1", "d5d4", "a1a2"] {
        line.play(strict.parse_action(line.position(), text).unwrap());
    }
    assert!(!line.legal().contains(&action));
    for seed in 0..8 {
        let mut player = AlphaBeta::new(3);
        player.begin(seed);
        assert_ne!(player.choose(&line).unwrap().action, action);
    }
}

#[test]
fn the_nearest_win_comes_first() {
    let game = Toy::default();
    let line =
        Line::from_position(&game, game.parse_position("..../W.../..../b..W/.... f 1").unwrap());
    let mut player = AlphaBeta::new(4);
    let choice = player.choose(&line).unwrap();
    assert_eq!(choice.score, Some(WIN - 1));
    assert!(["a4a5", "a4b5"].contains(&game.action_text(line.position(), choice.action).as_str()));
    // Two own steps from the goal, with the enemy too far: three plies.
    let line =
        Line::from_position(&game, game.parse_position("...b/..../W.../..../.... f 1").unwrap());
    assert_eq!(player.choose(&line).unwrap().score, Some(WIN - 3));
}

#[test]
fn the_seed_decides_among_equals_and_nothing_else() {
    let game = Toy::default();
    let line = Line::start(&game);
    let choose = |seed| {
        let mut player = AlphaBeta::<Toy>::new(2);
        player.begin(seed);
        player.choose(&line).unwrap()
    };
    assert_eq!(choose(3), choose(3));
    let mut player = AlphaBeta::<Toy>::new(2);
    player.begin(9);
    player.choose(&random_line(&game, 4, 4)).unwrap();
    player.begin(3);
    assert_eq!(player.choose(&line).unwrap(), choose(3), "earlier searches leave no trace");
    let different: std::collections::BTreeSet<_> =
        (0..32).map(|seed| choose(seed).action).collect();
    assert!(different.len() > 1);
}
