//! The bytes that all files share: atomic publication, checksummed frames, locks.
//!
//! Truth is on disk, and a process may be killed at any instant: whatever has its final name is
//! whole. This room knows no games and no runs.

pub mod atomic;
pub mod frame;
pub mod lock;
pub mod stamp;

use std::io;
use std::path::{Path, PathBuf};

/// A file operation that failed: what was tried, on which file, and what is still safe.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
pub struct DiskError {
    /// What was tried, as a verb: `write`.
    pub action: &'static str,
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl DiskError {
    /// For `map_err`: the operation and the file it concerned.
    pub fn on(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DiskError {
        let path = path.to_path_buf();
        move |source| DiskError { action, path, source }
    }

    /// Is the disk (or the user's share of it) full?
    pub fn is_full(&self) -> bool {
        is_full(&self.source)
    }

    /// Is the file simply not there?
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn advice(error: &io::Error) -> &'static str {
    if is_full(error) {
        "; the disk is full: nothing already saved was lost or changed, free some space and run \
         the same command again"
    } else {
        ""
    }
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>, DiskError> {
    std::fs::read(path).map_err(DiskError::on("read", path))
}

/// Reads a whole text file; the error of a file that is not UTF-8 names the first bad byte.
pub fn read_text(path: &Path) -> Result<String, DiskError> {
    String::from_utf8(read(path)?).map_err(|error| DiskError {
        action: "read",
        path: path.to_path_buf(),
        source: io::Error::new(
            io::ErrorKind::InvalidData,
            format!("not UTF-8 text at byte {}", error.utf8_error().valid_up_to()),
        ),
    })
}

/// Name, path and folder-or-not of everything in a folder, sorted by name; empty if the folder
/// does not exist.
pub fn entries(dir: &Path) -> Result<Vec<Entry>, DiskError> {
    let listing = match std::fs::read_dir(dir) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(DiskError::on("list", dir)(error)),
    };
    let mut found = Vec::new();
    for entry in listing {
        let entry = entry.map_err(DiskError::on("list", dir))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(DiskError::on("inspect", &path))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push(Entry { name, path, is_dir: kind.is_dir() });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub path: PathBuf,
    pub is_dir: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_with_its_file_and_what_is_safe() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = DiskError::on("write", Path::new("data/a/shards/x"))(full);
        assert!(error.is_full());
        let text = error.to_string();
        assert!(text.contains("data/a/shards/x"), "{text}");
        assert!(text.contains("nothing already saved was lost"), "{text}");
        let missing = read(Path::new("no/such/file")).unwrap_err();
        assert!(missing.is_missing() && !missing.is_full());
        assert!(missing.to_string().starts_with("cannot read no/such/file: "));
    }

    #[test]
    fn text_that_is_not_utf8_is_told_with_its_offset() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.toml");
        std::fs::write(&path, b"ab\xffc").unwrap();
        assert!(read_text(&path).unwrap_err().to_string().contains("not UTF-8 text at byte 2"));
        assert_eq!(entries(&dir.path().join("none")).unwrap(), Vec::new());
    }
}
