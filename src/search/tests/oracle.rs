//! Searches that ask tables: they never play what the tables prove worse, and nothing unproven
//! becomes certain.

use super::{KINDS, plan, settings};
use crate::endgame::{Oracle, Rulebook, Signature, Tables, Value, solve};
use crate::game::jungle::{Jungle, Limit, Rules};
use crate::game::{Line, Notation};
use crate::rng;
use crate::search::evaluator::Uniform;
use crate::search::{ActionReport, Proven, Report, WdlPov, make_with, search_once};
use rand::RngExt;
use std::sync::Arc;

fn tables(game: &Jungle) -> Arc<Tables> {
    let mut tables = Tables::new(game).unwrap();
    let book = Rulebook::new(game).unwrap();
    for name in ["Lvr", "Tvr", "LTvr"] {
        let signature = book.canonical(&Signature::parse(name).unwrap()).0;
        tables.insert(solve::solve(&book, &signature, &tables, 1, &()).unwrap());
    }
    Arc::new(tables)
}

fn game(limit: u32) -> Jungle {
    Jungle::new(Rules { no_capture_limit: Limit(Some(limit)), ..Rules::default() }).unwrap()
}

#[test]
fn a_search_with_tables_never_plays_what_they_prove_worse() {
    let game = game(100);
    let tables = tables(&game);
    let table = tables.held().pop().unwrap();
    let mut stream = rng::stream(3, "search test", 0);
    let mut seen = [0; 3];
    for index in 0..600 {
        let side = crate::game::Side::BOTH[index % 2];
        let entry = stream.random_range(0..table.entries());
        let Some(position) = table.position(&game, side, entry) else { continue };
        let line = Line::from_position(&game, position);
        if line.outcome().is_some() {
            continue;
        }
        let exact = tables.probe(line.position()).unwrap();
        let kind = KINDS[index / 2 % 2];
        let mut search = make_with(&settings(kind), Some(tables.clone() as Arc<dyn Oracle<_>>));
        let visits = [0, 1, 8][index % 3];
        let report = search_once(&mut search, &line, &plan(visits), &mut Uniform).unwrap();
        let best = report.actions[report.best].action;
        let moves = tables.moves(line.position());
        let played = moves.iter().find(|(action, _)| *action == best).unwrap().1.unwrap();
        // The best value, and the quickest win or the slowest loss.
        assert_eq!(played, exact, "{}", game.position_text(line.position()));
        let proven = match exact.value {
            Value::Win => Proven::Win,
            Value::Draw => Proven::Draw,
            Value::Loss => Proven::Loss,
        };
        assert_eq!(report.proven, Some(proven));
        seen[exact.value as usize] += 1;
    }
    assert!(seen[0] > 50 && seen[2] > 50, "{seen:?}");
}

#[test]
fn a_win_that_the_counts_may_prevent_is_a_hint_only() {
    let game = game(12);
    let tables = tables(&game);
    let report = |count: u32, asks: bool| -> Report<Jungle> {
        let text = format!("7/7/7/3L3/7/7/7/r6/7 w {count} 60");
        let line = Line::from_position(&game, game.parse_position(&text).unwrap());
        let oracle = asks.then(|| tables.clone() as Arc<dyn Oracle<_>>);
        let mut search = make_with(&settings(KINDS[1]), oracle);
        search_once(&mut search, &line, &plan(12), &mut Uniform).unwrap()
    };
    let exact = tables.probe(&game.parse_position("7/7/7/3L3/7/7/7/r6/7 w 0 60").unwrap()).unwrap();
    assert_eq!(exact.value, Value::Win);
    let last = 12 - exact.plies;
    assert_eq!(report(last, true).proven, Some(Proven::Win));
    let (hinted, plain) = (report(last + 1, true), report(last + 1, false));
    assert_eq!(hinted.proven, None);
    let best = hinted.actions[hinted.best];
    let same = plain.actions[hinted.best];
    let value = |action: &ActionReport<_>| action.value.map_or(0.0, WdlPov::value);
    assert!(value(&best) > value(&same) + 0.1, "{hinted:?}");
    let line = game.parse_position("7/7/7/3L3/7/7/7/r6/7 w 0 60").unwrap();
    assert_eq!(best.action, tables.moves(&line)[0].0);
}
