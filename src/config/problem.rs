//! What can be wrong with a config, and where.

use crate::disk::DiskError;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A place in a file; line and column count from 1, the column in characters.
    File { path: PathBuf, line: usize, column: usize },
    /// A file as a whole.
    Whole(PathBuf),
    /// An option of the command line, as it was written: `--set learn.batch=0`.
    Option(String),
    /// Nobody set it.
    Default,
}

impl Origin {
    /// The place of a byte of a file's text.
    pub fn at(path: &Path, text: &str, byte: usize) -> Origin {
        let mut end = byte.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Origin::File { path: path.to_path_buf(), line, column }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Origin::File { path, line, column } => {
                write!(out, "{}:{line}:{column}", path.display())
            }
            Origin::Whole(path) => write!(out, "{}", path.display()),
            Origin::Option(option) => out.write_str(option),
            Origin::Default => out.write_str("by default"),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub origin: Origin,
    /// The key with its section, as far as it is known: `learn.batch`.
    pub key: String,
    /// What is wrong (the value quoted) and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match (&self.origin, self.key.as_str()) {
            (Origin::Default, "") => {}
            (Origin::Default, key) => write!(out, "`{key}`, at its default, ")?,
            (origin, "") => write!(out, "{origin}: ")?,
            (origin, key) => write!(out, "{origin}: `{key}` ")?,
        }
        out.write_str(&self.message)
    }
}

/// Why there is no config: exit code 3.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Everything that is wrong, in the order of the file, then of the command line.
    #[error("{}", listed(.0))]
    Problems(Vec<Problem>),
}

impl ConfigError {
    /// The problems, none if a file could not be read.
    pub fn problems(&self) -> &[Problem] {
        match self {
            ConfigError::Disk(_) => &[],
            ConfigError::Problems(problems) => problems,
        }
    }
}

fn listed(problems: &[Problem]) -> String {
    match problems {
        [problem] => problem.to_string(),
        _ => {
            let mut text = format!("{} problems in the configuration:", problems.len());
            for problem in problems {
                text += &format!("\n  {problem}");
            }
            text
        }
    }
}

/// The candidate that `text` was probably meant to be, if one is near enough: at most a third of
/// the letters differ, or two, or one word begins the other.
pub(super) fn nearest<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let allowed = (text.chars().count() / 3).max(2);
    let begins = |one: &str, other: &str| one.len() >= 3 && other.starts_with(one);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(text, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance <= allowed || begins(text, candidate) || begins(candidate, text)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let text = "a = 1\nä = \"ö\"\n";
        let place = |byte| Origin::at(Path::new("x.toml"), text, byte).to_string();
        assert_eq!(place(0), "x.toml:1:1");
        assert_eq!(place(6), "x.toml:2:1");
        assert_eq!(place(8), "x.toml:2:2");
        assert_eq!(place(7), "x.toml:2:1");
        assert_eq!(place(999), "x.toml:3:1");
    }

    #[test]
    fn the_nearest_word_is_found_or_none() {
        let words = ["batch", "rate", "plays"];
        assert_eq!(nearest("bacth", words), Some("batch"));
        assert_eq!(nearest("batches", words), Some("batch"));
        assert_eq!(nearest("batch_of_samples", words), Some("batch"));
        assert_eq!(nearest("temperature", words), None);
        assert_eq!(nearest("x", []), None);
    }

    #[test]
    fn problems_are_listed() {
        let problem = |key: &str| Problem {
            origin: Origin::Option(format!("--set {key}=0")),
            key: key.to_string(),
            message: String::from("= 0 is out of range"),
        };
        let one = ConfigError::Problems(vec![problem("a.b")]).to_string();
        assert_eq!(one, "--set a.b=0: `a.b` = 0 is out of range");
        let unset = Problem { origin: Origin::Default, ..problem("a.b") };
        assert_eq!(unset.to_string(), "`a.b`, at its default, = 0 is out of range");
        let two = ConfigError::Problems(vec![problem("a.b"), problem("c.d")]).to_string();
        assert_eq!(two.lines().count(), 3);
        assert!(two.starts_with("2 problems in the configuration:\n  --set a.b=0: "), "{two}");
    }
}
