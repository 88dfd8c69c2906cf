//! Who may write in a folder: one process, shown by a locked file that says who holds it.
//!
//! The operating system releases the lock when its holder dies, however it dies, so a stale file
//! never locks anyone out. Reading needs no lock.

use super::{DiskError, stamp};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Looking who holds a lock ([`holder`]) takes a shared lock for an instant; a writer that
/// arrives in that instant tries again.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Why the lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error(
        "{} is held by {holder}: only one process may write here; wait for it, stop it, or work \
         in another folder",
        path.display()
    )]
    Held { path: PathBuf, holder: String },
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// The right to write in a folder, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    // Closing the file releases the lock.
    _file: File,
}

impl Lock {
    /// Takes the lock and writes who holds it into the file, which is created if need be.
    pub fn acquire(path: &Path) -> Result<Lock, LockError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(DiskError::on("open", path))?;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    let holder = read_holder(&mut file);
                    return Err(LockError::Held { path: path.to_path_buf(), holder });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(DiskError::on("lock", path)(error).into());
                }
            }
        }
        let holder =
            format!("process {} since {}\n", std::process::id(), stamp::utc(SystemTime::now()));
        let write = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(holder.as_bytes()));
        write.map_err(DiskError::on("write", path))?;
        Ok(Lock { _file: file })
    }
}

/// Who holds the lock at this moment: `process 4711 since 2026-01-31T12:00:00Z`; `None` if
/// nobody does.
pub fn holder(path: &Path) -> Result<Option<String>, DiskError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(DiskError::on("open", path)(error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(read_holder(&mut file))),
        Err(TryLockError::Error(error)) => Err(DiskError::on("inspect", path)(error)),
    }
}

fn read_holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(200).read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => text.trim().to_string(),
        _ => String::from("another process"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_and_the_others_learn_who() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        assert_eq!(holder(&path).unwrap(), None);
        let lock = Lock::acquire(&path).unwrap();
        let error = Lock::acquire(&path).unwrap_err().to_string();
        let me = format!("is held by process {} since 20", std::process::id());
        assert!(error.contains(&me), "{error}");
        assert!(holder(&path).unwrap().is_some());
        drop(lock);
        assert_eq!(holder(&path).unwrap(), None);
        drop(Lock::acquire(&path).unwrap());
    }

    #[test]
    fn a_stale_lock_file_locks_nobody_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        std::fs::write(&path, "process 1 since 1970-01-01T00:00:00Z, and a long tail".repeat(9))
            .unwrap();
        let _lock = Lock::acquire(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("process {} since ", std::process::id())), "{text}");
        assert!(!text.contains("tail"), "{text}");
    }
}
