//! Metrics as JSON lines, one object a line: the truth that every table and chart is made from.

use crate::disk::{self, DiskError};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Appends one object as a line of JSON. A line that was torn by a kill is ended first, so that
/// it spoils no other.
pub fn append<T: Serialize>(path: &Path, entry: &T) -> Result<(), DiskError> {
    let line = serde_json::to_string(entry)
        .map_err(|error| DiskError::on("write", path)(std::io::Error::other(error)))?;
    let torn = std::fs::read(path).is_ok_and(|bytes| bytes.last().is_some_and(|&b| b != b'\n'));
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(DiskError::on("open", path))?;
    let text = format!("{}{line}\n", if torn { "\n" } else { "" });
    file.write_all(text.as_bytes()).map_err(DiskError::on("write", path))
}

/// The readable lines of a file of metrics; none if it does not exist. Metrics are for looking at:
/// whatever a file holds, it is never an error.
pub fn read(path: &Path) -> Result<Vec<serde_json::Value>, DiskError> {
    Ok(look(path)?.0)
}

/// As [`read`], and how many lines hold no object and were passed over.
pub fn look(path: &Path) -> Result<(Vec<serde_json::Value>, usize), DiskError> {
    let bytes = match disk::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.is_missing() => Vec::new(),
        Err(error) => return Err(error),
    };
    let (mut entries, mut passed_over) = (Vec::new(), 0);
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match serde_json::from_slice::<serde_json::Value>(line) {
            Ok(entry) if entry.is_object() => entries.push(entry),
            _ => passed_over += 1,
        }
    }
    Ok((entries, passed_over))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learn.jsonl");
        assert!(read(&path).unwrap().is_empty());
        append(&path, &serde_json::json!({"generation": 0})).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend(b"{\"gener");
        std::fs::write(&path, bytes).unwrap();
        append(&path, &serde_json::json!({"generation": 1})).unwrap();
        let lines = read(&path).unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1]["generation"], 1);
    }

    #[test]
    fn lines_that_are_none_are_passed_over_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.jsonl");
        std::fs::write(&path, b"\xff\xfe\n{\"a\": 1}\n3\n\n[]\n{\"a\": \"\xff\"}\n{}").unwrap();
        let (entries, passed_over) = look(&path).unwrap();
        assert_eq!(entries, [serde_json::json!({"a": 1}), serde_json::json!({})]);
        assert_eq!(passed_over, 4);
        assert_eq!(read(&path).unwrap(), entries);
    }
}
