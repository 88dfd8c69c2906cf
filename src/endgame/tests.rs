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
    let mut rules = Rules { board: SMALL.into(), setup: setup.into(), ..Rules::default() };
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
        let checked = check_all(&tables);
        assert!(checked > 1_500, "{checked} entries of {:?}", game.options());
        let name = if game.board().width == 5 { "LRRvlr" } else { "LRvlr" };
        let tables = solved_for(&game, name);
        let most = name.len() - 1;
        check_some(&tables, most, 10_000);
    }
}

/// What a depth-first search to `depth` plies, which knows no table, proves of a position.
fn plain(game: &Jungle, position: &Position, depth: u32) -> Option<Exact> {
    if let Some(outcome) = game.outcome(position, &History::default()) {
        let value = match outcome.winner {
            None => Value::Draw,
            Some(winner) if winner == position.turn() => Value::Win,
            Some(_) => Value::Loss,
        };
        return Some(Exact { value, plies: 0 });
    }
    if depth == 0 {
        return None;
    }
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let mut best: Option<Exact> = None;
    let mut open = false;
    for action in actions {
        let mut next = position.clone();
        game.play(&mut next, action);
        match plain(game, &next, depth - 1).map(Exact::before) {
            None => open = true,
            Some(exact) if best.is_none_or(|best| exact.rank() > best.rank()) => {
                best = Some(exact);
            }
            Some(_) => {}
        }
    }
    best.filter(|best| !open || best.value == Value::Win)
}

/// Random probes of a signature against the plain search: `each` positions that end within its
/// depth and as many that do not; and `entries` random entries against their successors' entries.
fn check_signature(game: &Jungle, name: &str, each: u32, entries: u32) {
    const DEPTH: u32 = 4;
    let tables = solved_for(game, name);
    let (table, _) = tables.table(&Signature::parse(name).unwrap()).unwrap();
    let bare = tables.book().game();
    let mut stream = rng::stream(5, "endgame test", 1);
    let mut agreed = [0; 2];
    while agreed.iter().any(|&count| count < each) {
        let side = Side::BOTH[stream.random_range(0..2)];
        let entry = stream.random_range(0..table.entries());
        let Some(position) = table.position(bare, side, entry) else { continue };
        let exact = tables.probe(&position).unwrap();
        let near = exact.value != Value::Draw && exact.plies <= DEPTH;
        if agreed[usize::from(near)] < each {
            let found = plain(bare, &position, DEPTH);
            assert_eq!(found, near.then_some(exact), "{}", bare.position_text(&position));
            agreed[usize::from(near)] += 1;
        }
    }
    check_some(&tables, table.signature().count(), entries);
}

/// With and without rat and elephant, with jumpers and without, two against two and three against
/// one. Near ends are proven by the plain search; from there on each entry rests on others.
#[test]
fn four_animals_agree_with_a_plain_search_and_with_themselves() {
    for preset_name in ["leiden", "standard"] {
        let game = preset(preset_name);
        for name in ["TRver", "ERvlt", "LTvlt", "WDvpc", "ETRvl", "LDCvw"] {
            check_signature(&game, name, 60, 2000);
        }
    }
}

#[test]
fn images_of_a_position_have_its_value() {
    let game = preset("standard");
    let tables = solved_for(&game, "Evr");
    let board = game.board();
    let value = |text: &str| tables.probe(&game.parse_position(text).unwrap());
    let known = value("7/7/3r3/7/7/7/7/E6/7 w 0 1").unwrap();
    for text in
        ["7/7/3r3/7/7/7/7/6E/7 w 0 1", "7/e6/7/7/7/7/3R3/7/7 b 0 1", "7/6e/7/7/7/7/3R3/7/7 b 7 30"]
    {
        assert_eq!(value(text), Some(known), "{text}");
    }
    assert_eq!(board.mirrored(0), 6);
    assert_eq!(value("7/7/3r3/7/7/7/7/EL5/7 w 0 1"), None);
    // An end needs no table; a position without one is not known.
    let ended = game.parse_position("3E3/7/3r3/7/7/7/7/7/7 b 0 1").unwrap();
    assert_eq!(tables.probe(&ended), None);
    assert_eq!(tables.value(&ended), Some(Exact { value: Value::Loss, plies: 0 }));
}

#[test]
fn files_are_read_back_and_others_refused_by_name() {
    let game = small("r3l/5/5/L3R w 0 1", |_| {});
    let tables = solved(&game, 2);
    let book = tables.book();
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let swept = sweep::sweep(book, &book.signatures(2), dir, 1, None, &()).unwrap();
    assert_eq!((swept.solved, swept.tables.len()), (3, 3));
    for table in tables.held() {
        let loaded = Table::load(book, dir, table.signature()).unwrap();
        assert_eq!(loaded.entries, table.entries);
        assert_eq!(loaded.counts(), table.counts());
        assert_eq!(store::counts(book, dir, table.signature()).unwrap(), Some(table.counts()));
    }
    // A killed sweep goes on with what is missing, and needs no other file.
    let lost = Signature::parse("Lvr").unwrap();
    let path = store::path(dir, &lost);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(dir.join(".Lvr.table.1-1.tmp"), b"half").unwrap();
    let again = sweep::sweep(book, &book.signatures(3), dir, 2, None, &()).unwrap();
    assert_eq!((again.solved, again.tables.len()), (1 + 2, 3 + 2));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(store::present(dir).unwrap().len(), 5);
    // Damage anywhere is found.
    let refusal = |bytes: &[u8], book: &Rulebook| {
        std::fs::write(&path, bytes).unwrap();
        let error = Table::load(book, dir, &lost).unwrap_err().to_string();
        assert!(error.contains("Lvr.table"), "{error}");
        assert!(store::counts(book, dir, &lost).is_err());
        error
    };
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        refusal(&damaged, book);
        refusal(&bytes[..at], book);
    }
    // A sweep makes a damaged table again.
    for damaged in [&bytes[..0], &bytes[..bytes.len() / 2]] {
        std::fs::write(&path, damaged).unwrap();
        let again = sweep::sweep(book, std::slice::from_ref(&lost), dir, 2, None, &()).unwrap();
        assert_eq!(again.solved, 1);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    let other = Rulebook::new(&small("r3l/5/5/L3R w 0 1", |rules| rules.traps = Traps::All));
    let error = refusal(&bytes, &other.unwrap());
    assert!(error.contains(book.hash()), "{error}");
    let foreign = std::fs::read(store::path(dir, &Signature::parse("Lvl").unwrap())).unwrap();
    assert!(refusal(&foreign, book).contains("the table of Lvl, not of Lvr"));
}

#[test]
fn the_memory_of_a_solution_is_known_beforehand() {
    let book = Rulebook::new(&preset("standard")).unwrap();
    let memory = |name: &str| solve::memory(&book, &Signature::parse(name).unwrap());
    // 28 × 49 × 61 × 61 entries of six bytes, four tables below, four animals' sets of moves.
    let below = [28 * 49 * 61, 28 * 49 * 61, 28 * 61 * 61, 28 * 61 * 61];
    let sets = 2 * 16 * 64 * 64 * 8;
    let entries = 28 * 49 * 61 * 61;
    assert_eq!(memory("ERvlr"), 6 * entries + 2 * below.iter().sum::<u64>() + sets);
    let most = |count| {
        let signatures = book.signatures(count).into_iter();
        signatures.map(|signature| solve::memory(&book, &signature)).max().unwrap()
    };
    assert!(most(4) < 256 << 20 && most(5) < 6 << 30, "{} {}", most(4), most(5));
}

#[test]
fn speed_is_measured_on_what_is_held() {
    let game = small("r3l/5/5/L3R w 0 1", |_| {});
    assert_eq!(speed::measure(&Tables::new(&game).unwrap(), 10, 1), None);
    let measured = speed::measure(&solved(&game, 2), 100_000, 1).unwrap();
    assert!(measured.probes >= 100_000 && measured.seconds > 0.0);
    let expected = measured.probes as f64 / measured.seconds;
    assert_eq!(measured.per_second(), expected);
}

#[test]
fn what_is_proven_fits_into_the_counts() {
    let game = Jungle::new(Rules {
        no_capture_limit: crate::game::jungle::Limit(Some(40)),
        repetition: Repetition::Draw,
        ..Rules::default()
    });
    let game = game.unwrap();
    let tables = solved_for(&game, "Evr");
    let ask = |text: &str| {
        let position = game.parse_position(text).unwrap();
        let line = crate::game::Line::from_position(&game, position);
        tables.ask(line.position(), line.history()).unwrap()
    };
    let advice = ask("7/7/7/3E3/7/7/7/r6/7 w 0 1");
    assert_eq!(advice.exact.value, Value::Win);
    assert!(advice.proven);
    let last = 40 - advice.exact.plies;
    assert!(ask(&format!("7/7/7/3E3/7/7/7/r6/7 w {last} 60")).proven);
    assert!(!ask(&format!("7/7/7/3E3/7/7/7/r6/7 w {} 60", last + 1)).proven);
    // Two occurrences of three: the line to the win could meet the third.
    let position = game.parse_position("7/7/7/3E3/7/7/7/r6/7 w 0 1").unwrap();
    let mut line = crate::game::Line::from_position(&game, position);
    for text in ["d6d7", "a2a1", "d7d6", "a1a2"] {
        assert!(tables.ask(line.position(), line.history()).unwrap().proven);
        line.play(game.parse_action(line.position(), text).unwrap());
    }
    let advice = tables.ask(line.position(), line.history()).unwrap();
    assert!(!advice.proven && line.repetitions() == 1);
}

#[test]
fn tables_that_do_not_fit_are_refused_with_their_sum() {
    assert!(super::probe::fit(4, 5 << 30, None).is_ok());
    assert!(super::probe::fit(4, 5 << 30, Some(8 << 30)).is_ok());
    let told = super::probe::fit(4, 5 << 30, Some(2 << 30)).unwrap_err().to_string();
    assert!(told.contains("up to 4 animals take 5.0 GiB of memory"), "{told}");
    assert!(told.contains("this machine has 2.0 GiB"), "{told}");
}
