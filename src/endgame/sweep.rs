//! All signatures of a size, smaller ones first; finished ones are left as they are, so that a
//! killed sweep goes on where it was.

use super::index::Index;
use super::material::Signature;
use super::probe::Tables;
use super::rulebook::Rulebook;
use super::solve::{self, SolveError, solve};
use super::store::{self, Counts, StoreError, Table};
use crate::disk::lock::{Lock, LockError};
use crate::disk::{DiskError, atomic};
use crate::memory::amount;
use crate::metrics::Progress;
use std::collections::BTreeSet;
use std::path::Path;

/// Why a sweep ended early. What it has finished stays.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(
        "solving {signature} takes {} of memory, and {} may be used: the tables of fewer animals \
         are made with a smaller `--pieces`",
        amount(*bytes),
        amount(*most)
    )]
    Memory { signature: String, bytes: u64, most: u64 },
}

/// What a sweep has done.
#[derive(Clone, Debug, Default)]
pub struct Swept {
    /// Every signature asked for, with its counts.
    pub tables: Vec<(Signature, Counts)>,
    /// How many were solved now; the others were there.
    pub solved: usize,
}

/// Solves, in the order in which captures lead down, those of `signatures` (canonical ones) that
/// have no sound file in `dir`, and what they need. It may be killed at any time.
pub fn sweep(
    book: &Rulebook,
    signatures: &[Signature],
    dir: &Path,
    threads: usize,
    memory: Option<u64>,
    progress: &dyn Progress,
) -> Result<Swept, SweepError> {
    atomic::create_dir_durable(dir)?;
    let _lock = Lock::acquire(&dir.join("lock"))?;
    atomic::clean_temporary(dir)?;
    let rules = dir.join("rules.json");
    if !rules.exists() {
        atomic::write(&rules, format!("{:#}\n", book.options()).as_bytes())?;
    }
    let asked = with_all_below(book, signatures);
    let entries = |signature: &Signature| Index::new(book, &signature.animals()).entries() as u64;
    let mut swept = Swept::default();
    let mut missing = Vec::new();
    for signature in asked {
        match store::counts(book, dir, &signature) {
            Ok(Some(counts)) => swept.tables.push((signature, counts)),
            Ok(None) => missing.push(signature),
            // A damaged table can be made again; one of other rules is somebody's.
            Err(damaged @ (StoreError::Frame { .. } | StoreError::Content { .. })) => {
                progress.say(&format!("{damaged}; it is made again"));
                missing.push(signature);
            }
            Err(error) => return Err(error.into()),
        }
    }
    let needs = missing.iter().map(|signature| (solve::memory(book, signature), signature));
    if let Some((bytes, signature)) = needs.max() {
        if let Some(most) = memory.filter(|&most| bytes > most) {
            return Err(SweepError::Memory { signature: signature.to_string(), bytes, most });
        }
        let (count, amount) = (missing.len(), amount(bytes));
        progress.say(&format!("{count} tables to solve; {signature} takes most: {amount}"));
    }
    let total: u64 = missing.iter().map(|signature| 2 * entries(signature)).sum();
    progress.begin("solving", "entries", Some(total));
    let mut done = 0;
    for signature in missing {
        let needed = amount(solve::memory(book, &signature));
        progress.note(&format!("{signature}, {needed} of memory"));
        let table = one(book, &signature, dir, threads, progress)?;
        swept.tables.push((signature.clone(), table.counts()));
        swept.solved += 1;
        done += 2 * entries(&signature);
        progress.set(done);
    }
    progress.end("");
    swept.tables.sort_by_key(|(signature, _)| (signature.count(), signature.clone()));
    Ok(swept)
}

/// Solves and publishes one signature; the tables below it are read from `dir`.
fn one(
    book: &Rulebook,
    signature: &Signature,
    dir: &Path,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Table, SweepError> {
    let mut below = Tables::of_book(book.clone());
    for smaller in book.below(signature) {
        below.insert(Table::load(book, dir, &smaller)?);
    }
    let table = solve(book, signature, &below, threads, progress)?;
    table.save(book, dir)?;
    Ok(table)
}

/// The signatures and all that captures lead to, smallest first.
fn with_all_below(book: &Rulebook, signatures: &[Signature]) -> Vec<Signature> {
    let mut found: BTreeSet<(usize, Signature)> = BTreeSet::new();
    let mut open: Vec<Signature> = signatures.to_vec();
    while let Some(signature) = open.pop() {
        if found.insert((signature.count(), signature.clone())) {
            open.extend(book.below(&signature));
        }
    }
    found.into_iter().map(|(_, signature)| signature).collect()
}
