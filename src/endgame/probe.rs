//! Asking tables: a position in, its value and distance out; and what of it holds in a game.

use super::index::Index;
use super::material::{Signature, one};
use super::rulebook::{Rulebook, RulebookError};
use super::store::{self, StoreError, Table};
use super::{Advice, Exact, MOST_ANIMALS, Oracle, Value};
use crate::disk::DiskError;
use crate::game::jungle::{Action, Jungle, Position, Repetition};
use crate::game::{Game, History, Side};
use crate::memory::{self, amount};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tables in memory, of one rule set.
#[derive(Clone, Debug)]
pub struct Tables {
    book: Arc<Rulebook>,
    /// By [`Signature::key`]; where colours may be exchanged, under both keys.
    found: FxHashMap<u64, Entry>,
    largest: u32,
    repetition: Option<u32>,
    no_capture_limit: Option<u32>,
    max_plies: Option<u32>,
}

#[derive(Clone, Debug)]
struct Entry {
    table: Arc<Table>,
    /// Are the colours exchanged in the table?
    turned: bool,
    /// Where each side's animals of a kind begin in the table's order.
    slots: [[u8; 8]; 2],
}

/// Why tables could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Rules(#[from] RulebookError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "there are no tables for these rules in {}; `solve --pieces {most}{flags}` makes them",
        dir.display()
    )]
    None { dir: PathBuf, most: usize, flags: String },
    #[error("only jungle has endgame tables; {game} has none")]
    OtherGame { game: &'static str },
    #[error(
        "there is no table {signature} in {}; `solve {signature}{flags}` makes it",
        dir.display()
    )]
    Missing { signature: String, dir: PathBuf, flags: String },
    #[error(
        "{missing} of the {all} tables of up to {most} animals of these rules are missing in {}, \
         {first} among them; `solve --pieces {most}{flags}` makes them",
        dir.display()
    )]
    Incomplete {
        missing: usize,
        all: usize,
        most: usize,
        first: String,
        dir: PathBuf,
        flags: String,
    },
    #[error(
        "the tables of up to {animals} animals take {} of memory, but this machine has {}: ask \
         those of fewer animals",
        amount(*bytes),
        amount(*available)
    )]
    Memory { animals: usize, bytes: u64, available: u64 },
}

impl OpenError {
    /// Is a file of tables at fault?
    pub fn is_data(&self) -> bool {
        matches!(self, OpenError::Store(error) if !matches!(error, StoreError::Disk(_)))
    }

    /// The failure of the disk, if it is one.
    pub fn disk(&self) -> Option<&DiskError> {
        match self {
            OpenError::Store(StoreError::Disk(error)) => Some(error),
            _ => None,
        }
    }
}

/// The folder of a rule set's tables under the folder of all data.
pub fn folder(data: &Path, book: &Rulebook) -> PathBuf {
    data.join("tables").join(book.hash())
}

impl Tables {
    /// No tables yet, for a game whose counts and repetition rule are minded by [`Tables::ask`].
    pub fn new(game: &Jungle) -> Result<Tables, RulebookError> {
        let rules = game.options();
        Ok(Tables {
            repetition: (rules.repetition != Repetition::None).then_some(rules.repetition_count),
            no_capture_limit: rules.no_capture_limit.0,
            max_plies: rules.max_plies.0,
            ..Tables::of_book(Rulebook::new(game)?)
        })
    }

    /// No tables yet, of a rule set without counts and repetition.
    pub fn of_book(book: Rulebook) -> Tables {
        Tables {
            book: Arc::new(book),
            found: FxHashMap::default(),
            largest: 0,
            repetition: None,
            no_capture_limit: None,
            max_plies: None,
        }
    }

    /// The finished tables of up to `most` animals under the folder of all data; an error if there
    /// are none.
    pub fn open(game: &Jungle, data: &Path, most: usize) -> Result<Tables, OpenError> {
        let mut tables = Tables::new(game)?;
        let dir = folder(data, &tables.book);
        for signature in store::present(&dir)? {
            if signature.count() <= most {
                tables.insert(Table::load(&tables.book, &dir, &signature)?);
            }
        }
        if tables.found.is_empty() {
            return Err(OpenError::None { dir, most, flags: game.options().table_flags() });
        }
        Ok(tables)
    }

    /// All tables of up to `most` animals under the folder of all data; an error if one is missing,
    /// or if they take more memory than there is.
    pub fn open_all(game: &Jungle, data: &Path, most: usize) -> Result<Tables, OpenError> {
        let mut tables = Tables::new(game)?;
        let dir = folder(data, &tables.book);
        let all: Vec<Signature> =
            (2..=most).flat_map(|count| tables.book.signatures(count)).collect();
        let missing: Vec<&Signature> =
            all.iter().filter(|signature| !store::path(&dir, signature).exists()).collect();
        if let Some(first) = missing.first() {
            let (first, missing, all) = (first.to_string(), missing.len(), all.len());
            let flags = game.options().table_flags();
            return Err(OpenError::Incomplete { missing, all, most, first, dir, flags });
        }
        fit(most, all.iter().map(|one| table_bytes(&tables.book, one)).sum(), memory::available())?;
        for signature in &all {
            tables.insert(Table::load(&tables.book, &dir, signature)?);
        }
        Ok(tables)
    }

    /// The table of one signature and those that captures lead to at once: what a position and its
    /// moves need.
    pub fn open_for(
        game: &Jungle,
        data: &Path,
        signature: &Signature,
    ) -> Result<Tables, OpenError> {
        let mut tables = Tables::new(game)?;
        let dir = folder(data, &tables.book);
        let signature = tables.book.canonical(signature).0;
        if !store::path(&dir, &signature).exists() {
            let (signature, flags) = (signature.to_string(), game.options().table_flags());
            return Err(OpenError::Missing { signature, dir, flags });
        }
        for needed in tables.book.below(&signature).into_iter().chain([signature]) {
            tables.insert(Table::load(&tables.book, &dir, &needed)?);
        }
        Ok(tables)
    }

    pub fn book(&self) -> &Arc<Rulebook> {
        &self.book
    }

    /// Takes a table of this rule set.
    pub fn insert(&mut self, table: Table) {
        let table = Arc::new(table);
        let mut slots = [[0; 8]; 2];
        for (slot, (side, kind)) in table.signature.animals().into_iter().enumerate().rev() {
            slots[side.index()][kind.index()] = slot as u8;
        }
        self.largest = self.largest.max(table.signature.count() as u32);
        if self.book.turned {
            let key = table.signature.turned().key();
            self.found.insert(key, Entry { table: table.clone(), turned: true, slots });
        }
        let key = table.signature.key();
        self.found.insert(key, Entry { table, turned: false, slots });
    }

    /// The tables held, smallest first.
    pub fn held(&self) -> Vec<Arc<Table>> {
        let entries = self.found.values();
        let mut held: Vec<_> = entries
            .filter(|entry| {
                !entry.turned || entry.table.signature == entry.table.signature.turned()
            })
            .map(|entry| entry.table.clone())
            .collect();
        held.sort_by_key(|table| (table.signature.count(), table.signature.clone()));
        held.dedup_by(|a, b| a.signature == b.signature);
        held
    }

    /// The table of a signature, and whether colours are exchanged in it.
    pub(super) fn table(&self, signature: &Signature) -> Option<(Arc<Table>, bool)> {
        let entry = self.found.get(&signature.key())?;
        Some((entry.table.clone(), entry.turned))
    }

    /// The value and distance of a position, counts and repetition left aside; `None` without a
    /// table. Finished positions are in no table: see [`Tables::value`].
    #[inline]
    pub fn probe(&self, position: &Position) -> Option<Exact> {
        let sides = Side::BOTH.map(|side| position.squares(side));
        if sides[0].count_ones() + sides[1].count_ones() > self.largest {
            return None;
        }
        let mut key = 0;
        for side in Side::BOTH {
            for (kind, _) in position.animals(side) {
                key += one(side, kind);
            }
        }
        let entry = self.found.get(&key)?;
        let board = self.book.game().board();
        let mut next = entry.slots;
        let mut squares = [0; MOST_ANIMALS];
        for side in Side::BOTH {
            let seen = if entry.turned { side.other() } else { side };
            for (kind, square) in position.animals(side) {
                let slot = &mut next[seen.index()][kind.index()];
                squares[usize::from(*slot)] =
                    if entry.turned { board.turned(square) } else { square };
                *slot += 1;
            }
        }
        let turn = position.turn();
        let turn = if entry.turned { turn.other() } else { turn };
        entry.table.read(turn, &squares)
    }

    /// As [`Tables::probe`], and the truth about finished positions and those in which one side
    /// has no animal.
    pub fn value(&self, position: &Position) -> Option<Exact> {
        self.probe(position).or_else(|| beyond(self.book.game(), position))
    }

    /// All moves of a position with their values as the mover sees them and the plies to the end,
    /// the best first; `None` where a table is missing.
    pub fn moves(&self, position: &Position) -> Vec<(Action, Option<Exact>)> {
        let game = self.book.game();
        let mut actions = Vec::new();
        game.actions(position, &mut actions);
        let mut moves: Vec<_> = actions
            .into_iter()
            .map(|action| {
                let mut next = position.clone();
                game.play(&mut next, action);
                (action, self.value(&next).map(Exact::before))
            })
            .collect();
        moves.sort_by_key(|(action, exact)| (std::cmp::Reverse(exact.map(Exact::rank)), *action));
        moves
    }

    /// Do `plies` more plies fit into both counts?
    fn fits(&self, position: &Position, plies: u32) -> bool {
        let fit = |limit: Option<u32>, spent: u32| {
            limit.is_none_or(|limit| spent.saturating_add(plies) <= limit)
        };
        fit(self.no_capture_limit, position.no_capture()) && fit(self.max_plies, position.ply())
    }

    /// Is no position that counts so near its last occurrence that a line which visits each
    /// position once could be drawn by repetition?
    fn is_fresh(&self, history: &History) -> bool {
        let Some(limit) = self.repetition else { return true };
        let counted = history.counted();
        // Half as many occurrences cannot hold any so often. The present one counts already.
        counted.len() < (limit - 1) as usize
            || counted.iter().all(|entry| history.count(entry.key) + 1 < limit)
    }
}

impl Oracle<Jungle> for Tables {
    /// A win or a loss is proven if it fits into both counts and no repetition can come between;
    /// a draw always is: counts and repetition only make more draws.
    fn ask(&self, position: &Position, history: &History) -> Option<Advice> {
        let exact = self.probe(position)?;
        let proven = exact.value == Value::Draw
            || self.fits(position, exact.plies) && self.is_fresh(history);
        Some(Advice { exact, proven })
    }
}

/// The tables of any game under the folder of all data, as an oracle; an error if the game has
/// none, or there are none for its rules.
pub fn oracle<G: Game>(game: &G, data: &Path) -> Result<Arc<dyn Oracle<G>>, OpenError> {
    as_oracle(game, |jungle| Tables::open(jungle, data, MOST_ANIMALS))
}

/// Would [`oracle`] find tables? Files are not opened.
pub fn are_there<G: Game>(game: &G, data: &Path) -> Result<(), OpenError> {
    let Some(jungle) = (game as &dyn Any).downcast_ref::<Jungle>() else {
        return Err(OpenError::OtherGame { game: game.name() });
    };
    let dir = folder(data, Tables::new(jungle)?.book());
    if store::present(&dir)?.is_empty() {
        let flags = jungle.options().table_flags();
        return Err(OpenError::None { dir, most: MOST_ANIMALS, flags });
    }
    Ok(())
}

/// As [`oracle`], with all tables of up to `most` animals; an error if one is missing.
pub fn whole_oracle<G: Game>(
    game: &G,
    data: &Path,
    most: usize,
) -> Result<Arc<dyn Oracle<G>>, OpenError> {
    as_oracle(game, |jungle| Tables::open_all(jungle, data, most))
}

fn as_oracle<G: Game>(
    game: &G,
    open: impl FnOnce(&Jungle) -> Result<Tables, OpenError>,
) -> Result<Arc<dyn Oracle<G>>, OpenError> {
    let other = || OpenError::OtherGame { game: game.name() };
    let jungle = (game as &dyn Any).downcast_ref::<Jungle>().ok_or_else(other)?;
    let tables: Arc<dyn Oracle<Jungle>> = Arc::new(open(jungle)?);
    // The same type under its two names.
    let any: Box<dyn Any> = Box::new(tables);
    any.downcast::<Arc<dyn Oracle<G>>>().map(|oracle| *oracle).map_err(|_| other())
}

/// Memory that the tables of [`oracle`] take, in bytes. No table is opened.
pub fn bytes<G: Game>(game: &G, data: &Path) -> Result<u64, OpenError> {
    let other = || OpenError::OtherGame { game: game.name() };
    let jungle = (game as &dyn Any).downcast_ref::<Jungle>().ok_or_else(other)?;
    let book = Rulebook::new(jungle)?;
    let present = store::present(&folder(data, &book))?;
    let held = present.iter().filter(|signature| signature.count() <= MOST_ANIMALS);
    Ok(held.map(|signature| table_bytes(&book, signature)).sum())
}

/// Memory of one table, in bytes: one for each entry and side to move.
fn table_bytes(book: &Rulebook, signature: &Signature) -> u64 {
    2 * Index::new(book, &signature.animals()).entries() as u64
}

/// Refuses tables that take more than the available memory, where that is known.
pub(super) fn fit(animals: usize, bytes: u64, available: Option<u64>) -> Result<(), OpenError> {
    match available {
        Some(available) if bytes > available => {
            Err(OpenError::Memory { animals, bytes, available })
        }
        _ => Ok(()),
    }
}

/// What needs no table: the game has ended, or ends with the next move because one side has no
/// animal.
pub(super) fn beyond(game: &Jungle, position: &Position) -> Option<Exact> {
    if let Some(ended) = ended(game, position) {
        return Some(ended);
    }
    if Side::BOTH.iter().all(|&side| position.squares(side) != 0) {
        return None;
    }
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let after = actions.into_iter().map(|action| {
        let mut next = position.clone();
        game.play(&mut next, action);
        ended(game, &next).map(Exact::before)
    });
    after.flatten().max_by_key(|exact| exact.rank())
}

fn ended(game: &Jungle, position: &Position) -> Option<Exact> {
    let outcome = game.outcome(position, &History::default())?;
    let value = match outcome.winner {
        None => Value::Draw,
        Some(winner) if winner == position.turn() => Value::Win,
        Some(_) => Value::Loss,
    };
    Some(Exact { value, plies: 0 })
}
