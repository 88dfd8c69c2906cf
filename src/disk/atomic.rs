//! Publication: a file or folder gets its final name only when its bytes are safe on the disk.
//!
//! Whatever is under way has a name of the form `.NAME.N.tmp` beside its destination, so that
//! leftovers of a killed process are recognised and cleaned. A folder that is being replaced
//! waits as `.NAME.old.tmp` and comes back if the process died before the new one arrived.

use super::{DiskError, entries};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const ENDING: &str = ".tmp";
const REPLACED: &str = ".old.tmp";

/// Writes a file so that a reader finds either the earlier content or all of the new one, even
/// after a crash or with a full disk.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let temporary = Temporary(temporary_path(path)?);
    let mut file = File::create(&temporary.0).map_err(DiskError::on("write", path))?;
    file.write_all(bytes).map_err(DiskError::on("write", path))?;
    file.sync_all().map_err(DiskError::on("write", path))?;
    drop(file);
    fs::rename(&temporary.0, path).map_err(DiskError::on("publish", path))?;
    sync_parent(path)
}

/// Creates a folder with its parents; it survives a power cut once this has returned.
pub fn create_dir_durable(dir: &Path) -> Result<(), DiskError> {
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        create_dir_durable(parent)?;
    }
    match fs::create_dir(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists || !dir.is_dir() => {
            Err(DiskError::on("create", dir)(error))
        }
        _ => sync_parent(dir),
    }
}

/// Publishes a folder whole: `fill` writes into a temporary folder, which then takes the name
/// `dir`. There must be no such folder yet, or an empty one; a race for the name has one winner
/// and an error for the others. If `fill` fails, nothing remains.
pub fn publish_dir<E: From<DiskError>>(
    dir: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let temporary = filled(dir, fill)?;
    // Some systems rename onto an empty folder, some do not; a full one is never removed here.
    let _ = fs::remove_dir(dir);
    fs::rename(&temporary.0, dir).map_err(DiskError::on("publish", dir))?;
    Ok(sync_parent(dir)?)
}

/// As [`publish_dir`], but an earlier folder of that name is replaced; until the new one is
/// complete it stays untouched.
pub fn replace_dir<E: From<DiskError>>(
    dir: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    if !dir.exists() {
        return publish_dir(dir, fill);
    }
    let temporary = filled(dir, fill)?;
    let replaced = beside(dir, REPLACED)?;
    remove(&replaced)?;
    fs::rename(dir, &replaced).map_err(DiskError::on("replace", dir))?;
    fs::rename(&temporary.0, dir).map_err(DiskError::on("publish", dir))?;
    sync_parent(dir)?;
    Ok(remove(&replaced)?)
}

fn filled<E: From<DiskError>>(
    dir: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<Temporary, E> {
    let temporary = Temporary(temporary_path(dir)?);
    fs::create_dir(&temporary.0).map_err(DiskError::on("create", dir))?;
    fill(&temporary.0)?;
    sync_tree(&temporary.0)?;
    Ok(temporary)
}

/// Removes a folder so that no reader ever finds half of it: it first loses its name.
pub fn remove_dir(dir: &Path) -> Result<(), DiskError> {
    let temporary = temporary_path(dir)?;
    fs::rename(dir, &temporary).map_err(DiskError::on("remove", dir))?;
    remove(&temporary)
}

/// Is this the name of something that was under way?
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(ENDING)
}

/// Removes what a killed process left under way in `dir` (not in its subfolders) and gives back
/// what it was about to replace. Only for the holder of the folder's lock. Returns the names.
pub fn clean_temporary(dir: &Path) -> Result<Vec<String>, DiskError> {
    let mut cleaned = Vec::new();
    for entry in entries(dir)?.into_iter().filter(|entry| is_temporary(&entry.name)) {
        let replaced = entry.name.strip_suffix(REPLACED).map(|name| dir.join(&name[1..]));
        match replaced {
            Some(original) if !original.exists() => {
                fs::rename(&entry.path, &original).map_err(DiskError::on("restore", &original))?;
                sync_parent(&original)?;
            }
            _ => remove(&entry.path)?,
        }
        cleaned.push(entry.name);
    }
    Ok(cleaned)
}

/// Removes what killed processes left under way for this one path. What a living process has
/// under way stays.
pub fn clean_temporary_of(path: &Path) -> Result<(), DiskError> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let start = format!(".{}.", name.to_string_lossy());
    for entry in entries(dir)? {
        let rest = entry.name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(ENDING));
        let numbers = rest.and_then(|rest| rest.split_once('-'));
        let process = numbers.and_then(|(process, number)| {
            number.parse::<u64>().ok()?;
            process.parse::<u32>().ok()
        });
        if process.is_some_and(has_ended) {
            remove(&entry.path)?;
        }
    }
    Ok(())
}

/// Is there no process of this number? Where the system does not tell, there may be one.
fn has_ended(process: u32) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

/// A path under way; whatever still lies there at the end of its life is removed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a failure only: cleaning up is best effort, the cause is already on its way.
        let _ = remove(&self.0);
    }
}

fn remove(path: &Path) -> Result<(), DiskError> {
    let gone = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match gone {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(DiskError::on("remove", path)(error))
        }
        _ => Ok(()),
    }
}

fn temporary_path(path: &Path) -> Result<PathBuf, DiskError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    beside(path, &format!(".{}-{number}{ENDING}", std::process::id()))
}

fn beside(path: &Path, ending: &str) -> Result<PathBuf, DiskError> {
    let name = path.file_name().ok_or_else(|| {
        let no_name = std::io::Error::other("the path does not end in a name");
        DiskError::on("write", path)(no_name)
    })?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(ending);
    Ok(path.with_file_name(hidden))
}

fn sync_tree(dir: &Path) -> Result<(), DiskError> {
    for entry in entries(dir)? {
        if entry.is_dir {
            sync_tree(&entry.path)?;
        } else {
            let file = File::open(&entry.path).map_err(DiskError::on("write", &entry.path))?;
            file.sync_all().map_err(DiskError::on("write", &entry.path))?;
        }
    }
    sync_dir(dir)
}

fn sync_parent(path: &Path) -> Result<(), DiskError> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_dir(parent),
        _ => sync_dir(Path::new(".")),
    }
}

#[cfg(unix)]
fn sync_dir(dir: &Path) -> Result<(), DiskError> {
    let sync = File::open(dir).and_then(|dir| dir.sync_all());
    sync.map_err(DiskError::on("write", dir))
}

/// Folders cannot be opened as files here; the file system orders renames itself.
#[cfg(not(unix))]
fn sync_dir(_dir: &Path) -> Result<(), DiskError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        entries(dir).unwrap().into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn a_write_replaces_whole_files_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("champion");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(dir.path()), ["champion"]);
    }

    #[test]
    fn a_failed_write_names_the_file_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        fs::create_dir_all(path.join("full")).unwrap();
        let error = write(&path, b"one").unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert_eq!(names(dir.path()), ["state"]);
        assert!(write(Path::new("/"), b"one").is_err());
    }

    #[test]
    fn a_folder_is_published_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("step-1");
        let failed: Result<(), DiskError> = replace_dir(&path, |inside| {
            write(&inside.join("weights"), b"half")?;
            Err(DiskError::on("write", inside)(std::io::Error::other("stopped")))
        });
        assert!(failed.is_err());
        assert_eq!(names(dir.path()), Vec::<String>::new());
        for content in [b"one", b"two"] {
            let published: Result<(), DiskError> =
                replace_dir(&path, |inside| write(&inside.join("weights"), content));
            published.unwrap();
            assert_eq!(fs::read(path.join("weights")).unwrap(), content);
        }
        assert_eq!(names(dir.path()), ["step-1"]);
        let second: Result<(), DiskError> =
            publish_dir(&path, |inside| write(&inside.join("weights"), b"three"));
        assert!(second.is_err());
        assert_eq!(fs::read(path.join("weights")).unwrap(), b"two");
        remove_dir(&path).unwrap();
        assert_eq!(names(dir.path()), Vec::<String>::new());
    }

    #[test]
    fn leftovers_are_cleaned_and_what_was_being_replaced_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at(".shard.77-3.tmp"), b"half").unwrap();
        fs::create_dir_all(at(".step-2.77-4.tmp").join("deep")).unwrap();
        fs::create_dir(at(".step-2.old.tmp")).unwrap();
        fs::write(at(".step-2.old.tmp").join("weights"), b"earlier").unwrap();
        fs::create_dir(at("step-3")).unwrap();
        fs::create_dir(at(".step-3.old.tmp")).unwrap();
        fs::write(at(".hidden"), b"of someone else").unwrap();
        assert_eq!(clean_temporary(dir.path()).unwrap().len(), 4);
        assert_eq!(names(dir.path()), [".hidden", "step-2", "step-3"]);
        assert_eq!(fs::read(at("step-2").join("weights")).unwrap(), b"earlier");
        // No process has so high a number.
        let (dead, living) = (u32::MAX, std::process::id());
        let under_way = format!(".run.{living}-1.tmp");
        for name in [&format!(".run.{dead}-1.tmp"), ".run.b.77-1.tmp", &under_way] {
            fs::create_dir(at(name)).unwrap();
        }
        clean_temporary_of(&at("run")).unwrap();
        let mut left = [".hidden", &under_way, ".run.b.77-1.tmp", "step-2", "step-3"];
        left.sort_unstable();
        assert_eq!(names(dir.path()), left);
    }

    #[test]
    fn folders_are_created_with_their_parents() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        create_dir_durable(&deep).unwrap();
        create_dir_durable(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(dir.path().join("file"), b"").unwrap();
        assert!(create_dir_durable(&dir.path().join("file")).is_err());
    }
}
