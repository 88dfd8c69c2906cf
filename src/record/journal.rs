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

/// Why a game could not be written down.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("game {index} cannot be written down: {source}")]
    Wire { index: u64, source: wire::WireError },
}

impl Journal {
    /// Opens the journal at `path`, new or begun, and gives the games it holds. A torn entry at
    /// its end is cut off.
    pub fn open(path: &Path) -> Result<(Self, Vec<GameRecord>), DiskError> {
        let bytes = match disk::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => Vec::new(),
            Err(error) => return Err(error),
        };
        let (games, end) = whole_entries(&bytes);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(DiskError::on("open", path))?;
        let mut journal = Self { path: path.to_path_buf(), file, end };
        journal.cut()?;
        Ok((journal, games))
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
        assert!(none.is_empty());
        for index in 0..3 {
            journal.append(&toy::record(index)).unwrap();
            ends.push(journal.end as usize);
        }
        journal.sync().unwrap();
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let (mut journal, games) = Journal::open(&path).unwrap();
            let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
            assert_eq!(games.len(), whole, "cut at {cut}");
            journal.append(&toy::record(9)).unwrap();
            drop(journal);
            let (_, games) = Journal::open(&path).unwrap();
            assert_eq!(games.len(), whole + 1);
            assert_eq!(games[whole], toy::record(9));
        }
    }
}
