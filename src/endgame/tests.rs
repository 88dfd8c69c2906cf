//! The figures of the literature, and tables against the rules engine itself.

use super::*;
use crate::game::History;
use crate::game::jungle::{DenEntry, ElephantTakesRat, Equal, Jump, Jungle, NoMove};
use crate::game::jungle::{JumpBlockers, Position, Repetition, Rules, Traps};
use crate::game::{Game, Notation};
use crate::rng;
use rand::RngExt;
use std::sync::Arc;

fn preset(name: &str) -> Jungle {
    Jungle::new(Rules::preset(name).unwrap()).unwrap()
}

/// The tables of up to `most` animals.
fn solved(game: &Jungle, most: usize) -> Tables {
    let mut tables = Tables::new(game).unwrap();
    let book = tables.book().clone();
    for count in 2..=most {
        for signature in book.signatures(count) {
            tables.insert(solve::solve(&book, &signature, &tables, 2, &()).unwrap());
        }
    }
    tables
}

/// The table of a signature and all below it.
fn solved_for(game: &Jungle, name: &str) -> Tables {
    fn add(tables: &mut Tables, signature: &Signature) {
        if tables.table(signature).is_none() {
            let book = tables.book().clone();
            book.below(signature).iter().for_each(|below| add(tables, below));
            tables.insert(solve::solve(&book, signature, tables, 2, &()).unwrap());
        }
    }
    let mut tables = Tables::new(game).unwrap();
    let signature = tables.book().canonical(&Signature::parse(name).unwrap()).0;
    add(&mut tables, &signature);
    tables
}

fn total(tables: &Tables, count: usize) -> Counts {
    let held = tables.held().into_iter();
    let held = held.filter(|table| table.signature().count() == count);
    held.fold(Counts::default(), |sum, table| sum.and(table.counts()))
}

/// Derives a value from the moves, by the rules engine, and compares it with the table's.
fn check(tables: &Tables, position: &Position, table: Exact) {
    let game = tables.book().game();
    let moves = tables.moves(position);
    let best = moves.iter().map(|(_, exact)| exact.expect("a table")).max_by_key(|e| e.rank());
    let derived = best.unwrap_or_else(|| {
        let outcome = game.outcome(position, &History::default()).expect("an end");
        let value = if outcome.winner.is_none() { Value::Draw } else { Value::Loss };
        Exact { value, plies: 0 }
    });
    assert_eq!(table, derived, "{} {:?}", game.position_text(position), game.options());
}

/// Checks every entry.
fn check_all(tables: &Tables) -> u64 {
    let mut checked = 0;
    for table in tables.held() {
        for side in Side::BOTH {
            for entry in 0..table.entries() {
                if let Some(position) = table.position(tables.book().game(), side, entry) {
                    let exact = tables.probe(&position).unwrap();
                    assert_eq!(Some(exact), table.exact(side, entry));
                    check(tables, &position, exact);
                    checked += 1;
                }
            }
        }
    }
    checked
}

/// Checks `count` random entries of tables with `animals` animals.
fn check_some(tables: &Tables, animals: usize, count: u32) {
    let mut held: Vec<Arc<Table>> = tables.held();
    held.retain(|table| table.signature().count() == animals);
    let mut stream = rng::stream(11, "endgame test", 0);
    let mut left = count;
    while left > 0 {
        let table = &held[stream.random_range(0..held.len())];
        let side = Side::BOTH[stream.random_range(0..2)];
        let entry = stream.random_range(0..table.entries());
        if let Some(position) = table.position(tables.book().game(), side, entry) {
            check(tables, &position, tables.probe(&position).unwrap());
            left -= 1;
        }
    }
}

#[test]
fn two_animals_as_published_and_every_entry_consistent() {
    let tables = solved(&preset("wikipedia"), 2);
    let counts = total(&tables, 2);
    assert_eq!(counts.positions(), 160_068);
    assert_eq!((counts.won, counts.lost, counts.drawn), (82_717, 64_461, 12_890));
    assert_eq!((counts.longest_won, counts.longest_lost), (33, 34));
    assert!(check_all(&tables) > 90_000);
    let tables = solved(&preset("leiden"), 2);
    let counts = total(&tables, 2);
    assert_eq!((counts.won, counts.lost, counts.drawn), (82_852, 64_501, 12_715));
    check_some(&tables, 2, 100_000);
}

/// A small board with water, traps and dens, its own image both ways.
const SMALL: &str = ".tdt./.~.~./.~.~./.TDT.";

fn small(setup: &str, change: impl FnOnce(&mut Rules)) -> Jungle {
    let mut rules = Rules {
        board: SMALL.into(), setup: setup.into(), ..Rules::default()
    };
    change(&mut rules);
    Jungle::new(rules).unwrap()
}

#[test]
fn odd_rules_keep_every_entry_consistent() {
    let setup = "rc2l/5/5/LE1RR w 0 1";
    let games = [
        small(setup, |_| {}),
        small(setup, |rules| rules.equal = Equal::BothDie),
        small(setup, |rules| {
            rules.equal = Equal::BothDie;
            rules.capture_all_wins = false;
        }),
        small(setup, |rules| {
            rules.equal = Equal::BothDie;
            rules.capture_all_wins = false;
            rules.no_move = NoMove::Draw;
            rules.traps = Traps::All;
        }),
        small(setup, |rules| {
            rules.capture_all_wins = false;
            rules.no_move = NoMove::Draw;
            rules.repetition = Repetition::Draw;
            rules.elephant_takes_rat = ElephantTakesRat::Always;
            rules.den_entry = DenEntry::Rat;
        }),
        small(setup, |rules| {
            rules.swimmers = "RLC".into();
            rules.jump_blockers = JumpBlockers::EnemyRat;
            rules.leopard_jump = Jump::Both;
            rules.trapped_takes = true;
            rules.water_rat_takes_elephant = true;
            rules.water_rat_takes_land_rat = true;
        }),
        // No image of itself in either way.
        small(setup, |rules| rules.board = "..d../t.~../..~~./..DT.".into()),
        // The same board for both sides, but not left and right.
        small(setup, |rules| rules.board = "t.d../.~~../.~~../T.D..".into()),
        // An even number of files.
        small("r2l/4/4/L2R w 0 1", |rules| rules.board = ".dd./.~~./.~~./.DD.".into()),
    ];
    for game in games {
        let tables = solved(&game, 3);
        assert!(check_all(&tables) > 20_000);
        let name = if game.board().width == 5 { "LRRvlr" } else { "LRvlr" };
        let tables = solved_for(&game, name);
        let most = name.len() - 1;
        check_some(&tables, most, 10_000);
    }
}
