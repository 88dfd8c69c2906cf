//! The fixed opponents stay fixed: their choices in some positions of each game, pinned. A change
//! here makes all earlier measurements incomparable and needs a new evaluation version.

use menagerie::arena::Player;
use menagerie::arena::StaticEvaluation;
use menagerie::arena::spec::make_baseline;
use menagerie::game::{Line, Notation, registry};
use menagerie::rng;
use menagerie::with_game;
use rand::RngExt;
use serde_json::Map;

/// Positions after 0, 6, 12 … random plies of one seeded game.
fn positions<G: Notation>(game: &G, count: u64) -> Vec<Line<G>> {
    let line_after = |plies: u64| {
        let mut stream = rng::stream(7, "yardstick", plies);
        let mut line = Line::start(game);
        while u64::from(line.ply()) < plies && line.outcome().is_none() {
            let legal = line.legal();
            line.play(legal[stream.random_range(0..legal.len())]);
        }
        line
    };
    (0..count).map(|k| line_after(6 * k)).filter(|line| line.outcome().is_none()).collect()
}

fn choices<G: StaticEvaluation + Notation>(game: &G, opponent: &str) -> String {
    let spec = opponent.parse().unwrap();
    let mut player: Box<dyn Player<G>> = make_baseline(&spec).unwrap();
    let texts = positions(game, 8).into_iter().map(|line| {
        player.begin(1);
        game.action_text(line.position(), player.choose(&line).unwrap().action)
    });
    texts.collect::<Vec<_>>().join(" ")
}

fn pinned(name: &str, opponent: &str) -> String {
    let game = registry::build(name, None, &Map::new()).unwrap();
    with_game!(&game, game => choices(game, opponent))
}

fn version(name: &str) -> u32 {
    fn of<G: StaticEvaluation>(_: &G) -> u32 {
        G::EVALUATION_VERSION
    }
    let game = registry::build(name, None, &Map::new()).unwrap();
    with_game!(&game, game => of(game))
}

#[test]
fn the_fixed_opponents_choose_as_ever() {
    let golden = include_str!("yardstick.txt");
    let mut found = String::new();
    for name in registry::names() {
        for opponent in ["greedy", "alphabeta:2", "alphabeta:3"] {
            let choices = pinned(name, opponent);
            found += &format!("{name} version {} {opponent}: {choices}\n", version(name));
        }
    }
    assert_eq!(found, golden);
}
