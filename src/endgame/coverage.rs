//! Which tables are held and which are missing, by number of animals. Reads nothing from disk.

use super::Tables;

/// The tables of one number of animals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    pub animals: usize,
    pub held: usize,
    /// How many there are for these rules.
    pub all: usize,
}

impl Tables {
    /// What is held of each number of animals from two to `most`.
    pub fn coverage(&self, most: usize) -> Vec<Coverage> {
        let held = self.held();
        let of = |animals: usize| Coverage {
            animals,
            held: held.iter().filter(|table| table.signature().count() == animals).count(),
            all: self.book().signatures(animals).len(),
        };
        (2..=most).map(of).filter(|coverage| coverage.all > 0).collect()
    }
}

/// `36 of 36 tables of 2 animals, 0 of 224 of 3`.
pub fn in_words(coverage: &[Coverage]) -> String {
    let parts = coverage.iter().enumerate().map(|(index, Coverage { animals, held, all })| {
        let [tables, unit] = if index == 0 { [" tables", " animals"] } else { ["", ""] };
        format!("{held} of {all}{tables} of {animals}{unit}")
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Is every table there?
pub fn is_complete(coverage: &[Coverage]) -> bool {
    coverage.iter().all(|coverage| coverage.held == coverage.all)
}
