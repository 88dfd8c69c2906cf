//! A finished table, and its file: checksummed, compressed, and named by rules and signature.
//!
//! The payload of the frame: the length of the header (`u32`, little-endian), the header (JSON),
//! and, compressed by zstd, the entries with the first side to move and those with the second.

use super::code::{self, Code};
use super::index::Index;
use super::material::Signature;
use super::rulebook::Rulebook;
use super::{Exact, MOST_ANIMALS, Value};
use crate::disk::frame::{Frame, FrameError, Kind};
use crate::disk::{self, DiskError, atomic};
use crate::game::Side;
use crate::game::jungle::{Jungle, Position};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the payload.
const VERSION: u16 = 1;
/// zstd's level: entries of neighbours are alike, and higher levels gain little.
const LEVEL: i32 = 5;

/// What a table holds, counted plainly: each placement of the animals for each side to move, the
/// sides exchanged counting once where the board allows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Positions that the side to move wins.
    pub won: u64,
    pub lost: u64,
    /// Drawn positions in which the side to move has a move.
    pub drawn: u64,
    /// Drawn positions in which it has none.
    pub stuck: u64,
    /// The longest win and the longest loss, in plies.
    pub longest_won: u32,
    pub longest_lost: u32,
}

impl Counts {
    /// All positions.
    pub fn positions(&self) -> u64 {
        self.won + self.lost + self.drawn + self.stuck
    }

    /// The longest line to a win, in plies.
    pub fn longest(&self) -> u32 {
        self.longest_won.max(self.longest_lost)
    }

    /// Both together.
    pub fn and(self, other: Counts) -> Counts {
        Counts {
            won: self.won + other.won,
            lost: self.lost + other.lost,
            drawn: self.drawn + other.drawn,
            stuck: self.stuck + other.stuck,
            longest_won: self.longest_won.max(other.longest_won),
            longest_lost: self.longest_lost.max(other.longest_lost),
        }
    }
}

/// The table of one signature, ready to be asked.
#[derive(Debug)]
pub struct Table {
    pub(super) signature: Signature,
    pub(super) index: Index,
    pub(super) code: Code,
    /// Entries by side to move.
    pub(super) entries: [Vec<u8>; 2],
    counts: Counts,
}

/// Why a file is no table that can be used here.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("{}: {source}", path.display())]
    Frame { path: PathBuf, source: FrameError },
    #[error("{}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
    #[error(
        "{}: it is a table of other rules ({found}); these rules have the hash {expected}",
        path.display()
    )]
    OtherRules { path: PathBuf, expected: String, found: String },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    rules: String,
    signature: String,
    entries: u64,
    counts: Counts,
}

impl Table {
    /// Of finished entries.
    pub(super) fn new(
        book: &Rulebook,
        signature: Signature,
        index: Index,
        entries: [Vec<u8>; 2],
    ) -> Table {
        let code = book.code;
        let mut counts = Counts::default();
        for (slice, bytes) in entries.iter().enumerate() {
            // Positions with the colours exchanged are the other slice once more.
            if slice == 1 && book.turned && signature == signature.turned() {
                continue;
            }
            for (stripe, bytes) in bytes.chunks(index.stripe()).enumerate() {
                let lead = index.squares(stripe * index.stripe())[0];
                let weight = index.stands_for(lead, book.mirrored);
                let mut times = [0u64; 256];
                for &byte in bytes {
                    times[usize::from(byte)] += weight;
                }
                for (byte, &times) in times.iter().enumerate().filter(|entry| *entry.1 > 0) {
                    let byte = byte as u8;
                    match code.read(byte) {
                        Some(Exact { value: Value::Win, plies }) => {
                            counts.won += times;
                            counts.longest_won = counts.longest_won.max(plies);
                        }
                        Some(Exact { value: Value::Loss, plies }) => {
                            counts.lost += times;
                            counts.longest_lost = counts.longest_lost.max(plies);
                        }
                        Some(_) if byte == code::STUCK => counts.stuck += times,
                        Some(_) => counts.drawn += times,
                        None => {}
                    }
                }
            }
        }
        let repeats = signature.repeats();
        for count in [&mut counts.won, &mut counts.lost, &mut counts.drawn, &mut counts.stuck] {
            *count /= repeats;
        }
        Table { signature, index, code, entries, counts }
    }

    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.entries[0].len() + self.entries[1].len()
    }

    /// Entries for each side to move.
    pub fn entries(&self) -> usize {
        self.index.entries()
    }

    /// The position of an entry, its counts at zero; `None` if it is a hole or beyond the last.
    pub fn position(&self, game: &Jungle, to_move: Side, entry: usize) -> Option<Position> {
        let byte = *self.entries[to_move.index()].get(entry)?;
        self.code.read(byte)?;
        let animals = self.signature.animals().into_iter();
        let placed = animals.zip(self.index.squares(entry));
        let placed = placed.map(|((side, kind), square)| (side, kind, square));
        Some(game.assemble(placed, 0, to_move.index() as u32))
    }

    /// What an entry says; `None` as for [`Table::position`].
    pub fn exact(&self, to_move: Side, entry: usize) -> Option<Exact> {
        self.code.read(*self.entries[to_move.index()].get(entry)?)
    }

    /// What the table says of a placement, squares in the order of [`Signature::animals`];
    /// `None` where no game can stand.
    #[inline]
    pub(super) fn read(&self, to_move: Side, squares: &[u8]) -> Option<Exact> {
        let index = self.index.of(squares)?;
        self.code.read(self.entries[to_move.index()][index])
    }

    /// Publishes the table; a reader finds all of it or nothing.
    pub fn save(&self, book: &Rulebook, dir: &Path) -> Result<(), StoreError> {
        let path = path(dir, &self.signature);
        let header = Header {
            rules: book.hash().into(),
            signature: self.signature.to_string(),
            entries: self.index.entries() as u64,
            counts: self.counts,
        };
        let wrong = |problem: String| StoreError::Content { path: path.clone(), problem };
        let header = serde_json::to_vec(&header).map_err(|error| wrong(error.to_string()))?;
        let mut payload = (header.len() as u32).to_le_bytes().to_vec();
        payload.extend(header);
        for entries in &self.entries {
            let packed = zstd::bulk::compress(entries, LEVEL)
                .map_err(|error| wrong(format!("its entries cannot be compressed: {error}")))?;
            payload.extend((packed.len() as u64).to_le_bytes());
            payload.extend(packed);
        }
        Ok(atomic::write(&path, &Frame::encode(Kind::Table, VERSION, &payload))?)
    }

    /// Reads the table of a canonical signature.
    pub fn load(book: &Rulebook, dir: &Path, signature: &Signature) -> Result<Table, StoreError> {
        let path = path(dir, signature);
        let bytes = disk::read(&path)?;
        let (header, rest) = open(&path, &bytes)?;
        check(book, signature, &path, &header)?;
        let index = Index::new(book, &signature.animals());
        let wrong = |problem: String| StoreError::Content { path: path.clone(), problem };
        if header.entries != index.entries() as u64 {
            let expected = index.entries();
            return Err(wrong(format!("it has {} entries, not {expected}", header.entries)));
        }
        let mut rest = rest;
        let mut entries = [Vec::new(), Vec::new()];
        for slice in &mut entries {
            let (length, behind) = split_number::<8>(rest).ok_or_else(|| wrong(SHORT.into()))?;
            let (packed, behind) =
                behind.split_at_checked(length).ok_or_else(|| wrong(SHORT.into()))?;
            *slice = zstd::bulk::decompress(packed, index.entries())
                .map_err(|error| wrong(format!("its entries cannot be unpacked: {error}")))?;
            if slice.len() != index.entries() {
                return Err(wrong(SHORT.into()));
            }
            rest = behind;
        }
        Ok(Table {
            signature: signature.clone(),
            index,
            code: book.code,
            entries,
            counts: header.counts,
        })
    }
}

const SHORT: &str = "its content ends too early";

/// The file of a signature.
pub fn path(dir: &Path, signature: &Signature) -> PathBuf {
    dir.join(format!("{signature}.table"))
}

/// The counts of a finished table, without unpacking it; `None` if there is no file. Its checksum
/// is tested all the same.
pub fn counts(
    book: &Rulebook,
    dir: &Path,
    signature: &Signature,
) -> Result<Option<Counts>, StoreError> {
    let path = path(dir, signature);
    let bytes = match disk::read(&path) {
        Err(error) if error.is_missing() => return Ok(None),
        bytes => bytes?,
    };
    let (header, _) = open(&path, &bytes)?;
    check(book, signature, &path, &header)?;
    Ok(Some(header.counts))
}

/// The signatures that have a file in `dir`, smallest first. Files are not opened.
pub fn present(dir: &Path) -> Result<Vec<Signature>, StoreError> {
    let mut found = Vec::new();
    for entry in disk::entries(dir)? {
        let signature = entry.name.strip_suffix(".table").map(Signature::parse);
        found.extend(signature.and_then(Result::ok));
    }
    found.sort_by_key(|signature| (signature.count(), signature.to_string()));
    Ok(found)
}

fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<(Header, &'a [u8]), StoreError> {
    let payload = Frame::decode(Kind::Table, VERSION, bytes)
        .map_err(|source| StoreError::Frame { path: path.into(), source })?;
    let wrong = |problem: String| StoreError::Content { path: path.into(), problem };
    let (length, rest) = split_number::<4>(payload).ok_or_else(|| wrong(SHORT.into()))?;
    let (header, rest) = rest.split_at_checked(length).ok_or_else(|| wrong(SHORT.into()))?;
    let header = serde_json::from_slice(header)
        .map_err(|error| wrong(format!("its header is not understood: {error}")))?;
    Ok((header, rest))
}

fn check(
    book: &Rulebook,
    signature: &Signature,
    path: &Path,
    header: &Header,
) -> Result<(), StoreError> {
    if header.rules != book.hash() {
        return Err(StoreError::OtherRules {
            path: path.into(),
            expected: book.hash().into(),
            found: header.rules.clone(),
        });
    }
    if header.signature != signature.to_string() {
        let problem = format!("it is the table of {}, not of {signature}", header.signature);
        return Err(StoreError::Content { path: path.into(), problem });
    }
    if signature.count() > MOST_ANIMALS {
        let problem = format!("more than {MOST_ANIMALS} animals");
        return Err(StoreError::Content { path: path.into(), problem });
    }
    Ok(())
}

/// A little-endian number of `N` bytes at the start, and what follows.
fn split_number<const N: usize>(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_at_checked(N)?;
    let number = number.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    Some((usize::try_from(number).ok()?, rest))
}
