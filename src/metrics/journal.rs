//! Metrics as JSON lines, one object a line: the truth that every table and chart is made from.

use crate::disk::DiskError;
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

/// The readable lines of a file of metrics; none if it does not exist.
pub fn read(path: &Path) -> Result<Vec<serde_json::Value>, DiskError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(DiskError::on("read", path)(error)),
    }
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
}
