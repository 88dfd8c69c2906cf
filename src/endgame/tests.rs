//! The figures of the literature, and tables against the rules themselves.

use super::*;
use crate::game::jungle::{Jungle, Rules};
use std::sync::atomic::AtomicBool;

pub fn preset(name: &str) -> Jungle {
    Jungle::new(Rules::preset(name).unwrap()).unwrap()
}

/// The tables of up to `most` animals.
pub fn solved(game: &Jungle, most: usize) -> Tables {
    let mut tables = Tables::new(game).unwrap();
    let book = tables.book().clone();
    for count in 2..=most {
        for signature in book.signatures(count) {
            tables.insert(solve::solve(&book, &signature, &tables, 2, &()).unwrap());
        }
    }
    tables
}

pub fn total(tables: &Tables, count: usize) -> Counts {
    let held = tables.held().into_iter();
    let held = held.filter(|table| table.signature().count() == count);
    held.fold(Counts::default(), |sum, table| sum.and(table.counts()))
}

#[test]
fn two_animals_as_published() {
    let counts = total(&solved(&preset("wikipedia"), 2), 2);
    assert_eq!(counts.positions(), 160_068);
    assert_eq!((counts.won, counts.lost, counts.drawn), (82_717, 64_461, 12_890));
    assert_eq!((counts.longest_won, counts.longest_lost), (33, 34));
    let counts = total(&solved(&preset("leiden"), 2), 2);
    assert_eq!((counts.won, counts.lost, counts.drawn), (82_852, 64_501, 12_715));
}
