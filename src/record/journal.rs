//! The games of a generation that is still being played, one after the other as they end. A
//! journal that was cut off anywhere gives back every game that was written whole.
//!
//! An entry is its length (u32), the CRC-32C of its bytes (u32), and the bytes of one record.

use super::game::GameRecord;
use super::wire;
use crate::disk::{self, DiskError};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

const HEAD: usize = 8;

/// A journal open for writing.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Where the next entry begins: the end of the last whole one.
    end: u64,
}

/// What a journal held when it was opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub games: Vec<GameRecord>,
    /// Bytes after the last whole game: an entry that a kill tore, or a damaged one and all that
    /// followed it.
    pub torn: u64,
}

/// Why a game could not be written down.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("game {index} cannot be written down: {source}")]
    Wire { index: u64, source: wire::WireError },
}

impl Journal {
    /// Opens the journal at `path`, new or begun, and gives what it holds. What follows the last
    /// whole game is cut off.
    pub fn open(path: &Path) -> Result<(Self, Found), DiskError> {
        let (found, end) = found(path)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(DiskError::on("open", path))?;
        let mut journal = Self { path: path.to_path_buf(), file, end };
        journal.cut()?;
        Ok((journal, found))
    }

    /// What the journal at `path` holds, without a change to it; nothing if there is none.
    pub fn look(path: &Path) -> Result<Found, DiskError> {
        Ok(found(path)?.0)
    }

    /// Appends a game and hands it to the disk. After an error the journal holds what it held
    /// before.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), JournalError> {
        let payload = wire::encode(game)
            .map_err(|source| JournalError::Wire { index: game.index, source })?;
        let mut entry = Vec::with_capacity(HEAD + payload.len());
        entry.extend((payload.len() as u32).to_le_bytes());
        entry.extend(crc32c::crc32c(&payload).to_le_bytes());
        entry.extend(payload);
        if let Err(error) = self.file.write_all(&entry) {
            // What was written of the entry is cut off, or ignored when the journal is read.
            let _ = self.cut();
            return Err(DiskError::on("write", &self.path)(error).into());
        }
        self.end += entry.len() as u64;
        Ok(())
    }

    /// Makes everything appended so far durable.
    pub fn sync(&self) -> Result<(), DiskError> {
        self.file.sync_data().map_err(DiskError::on("write", &self.path))
    }

    fn cut(&mut self) -> Result<(), DiskError> {
        use std::io::{Seek, SeekFrom};
        let done = self
            .file
            .set_len(self.end)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.end)).map(drop));
        done.map_err(DiskError::on("write", &self.path))
    }
}

/// What the journal at `path` holds, and where its last whole entry ends.
fn found(path: &Path) -> Result<(Found, u64), DiskError> {
    let bytes = match disk::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.is_missing() => Vec::new(),
        Err(error) => return Err(error),
    };
    let (games, end) = whole_entries(&bytes);
    Ok((Found { games, torn: bytes.len() as u64 - end }, end))
}

/// The records of the whole entries, and where they end.
fn whole_entries(bytes: &[u8]) -> (Vec<GameRecord>, u64) {
    let mut games = Vec::new();
    let mut at = 0;
    while let Some(entry) = entry_at(&bytes[at..]) {
        let Ok(game) = wire::decode(entry) else { break };
        games.push(game);
        at += HEAD + entry.len();
    }
    (games, at as u64)
}

fn entry_at(bytes: &[u8]) -> Option<&[u8]> {
    let word = |from: usize| {
        let bytes = bytes.get(from..from + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let (length, sum) = (word(0)? as usize, word(4)?);
    let entry = bytes.get(HEAD..HEAD.checked_add(length)?)?;
    (crc32c::crc32c(entry) == sum).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::toy;

    #[test]
    fn every_whole_game_is_given_back_wherever_the_journal_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut ends = vec![0];
        let (mut journal, none) = Journal::open(&path).unwrap();
        assert_eq!(none, Found::default());
        for index in 0..3 {
            journal.append(&toy::record(index)).unwrap();
            ends.push(journal.end as usize);
        }
        journal.sync().unwrap();
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let seen = Journal::look(&path).unwrap();
            let (mut journal, found) = Journal::open(&path).unwrap();
            let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
            assert_eq!(found.games.len(), whole, "cut at {cut}");
            assert_eq!((found.torn, &found), ((cut - ends[whole]) as u64, &seen));
            journal.append(&toy::record(9)).unwrap();
            drop(journal);
            let games = Journal::open(&path).unwrap().1.games;
            assert_eq!(games.len(), whole + 1);
            assert_eq!(games[whole], toy::record(9));
        }
    }

    #[test]
    fn what_follows_a_damaged_entry_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap().0;
        journal.append(&toy::record(0)).unwrap();
        let first = journal.end;
        journal.append(&toy::record(1)).unwrap();
        journal.append(&toy::record(2)).unwrap();
        drop(journal);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[first as usize + HEAD] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let found = Journal::look(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "a look changes nothing");
        assert_eq!(found, Found { games: vec![toy::record(0)], torn: bytes.len() as u64 - first });
        assert_eq!(Journal::open(&path).unwrap().1, found);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), first);
    }
}
