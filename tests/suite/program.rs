//! The real binary as the other files of the suite drive it: in a folder of its own, with a config
//! that takes a second.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The smoke config made smaller still.
pub const TINY: &[&str] = &[
    "train.generations=2",
    "train.final_games=2",
    "train.measure_visits=2",
    "selfplay.games=6",
    "selfplay.visits=2",
    "selfplay.final_visits=2",
    "selfplay.max_plies=24",
    "selfplay.opening_plies=8",
    "learn.batch=16",
    "replay.reuse=1.0",
    "arena.max_plies=20",
];

/// A folder that goes away at the end, to run the program in.
pub struct Place {
    folder: tempfile::TempDir,
}

/// What a command did.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Fails unless the command ended with this code and its messages hold all these words.
    #[track_caller]
    pub fn expect(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        for word in words {
            assert!(
                self.err.contains(word) || self.out.contains(word),
                "no `{word}` in\n{}\n{}",
                self.out,
                self.err
            );
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }
}

pub fn smoke_config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/smoke.toml")
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file; its path as text.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    /// The program with these arguments, in this folder, its runs below `data`.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_menagerie"));
        command.args(words).current_dir(self.folder.path());
        command.env_remove(menagerie::train::fault::VARIABLE);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, words: &[&str]) -> Said {
        Said::of(self.command(words).output().unwrap())
    }

    /// As [`Place::run`], with text on the standard input.
    pub fn run_with(&self, words: &[&str], input: &str) -> Said {
        let mut child = self.command(words).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that ends early closes the pipe: what it said tells why.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Said::of(child.wait_with_output().unwrap())
    }

    /// The command that trains `run` from the tiny config with more settings over it; run again,
    /// it resumes.
    pub fn train_command(&self, run: &str, sets: &[&str]) -> Command {
        let mut command = self.command(&["train", "--run", run]);
        command.arg(smoke_config());
        // A later setting of the same key replaces the tiny one.
        let key = |set: &str| set.split('=').next().unwrap_or_default().to_string();
        let tiny = TINY.iter().filter(|set| !sets.iter().any(|over| key(over) == key(set)));
        for set in tiny.chain(sets) {
            command.args(["--set", set]);
        }
        command
    }

    pub fn train(&self, run: &str, sets: &[&str]) -> Said {
        Said::of(self.train_command(run, sets).output().unwrap())
    }

    /// A run's files of one folder with their bytes.
    pub fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut open = vec![self.path(folder)];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    files.insert(path.display().to_string(), bytes);
                }
            }
        }
        files
    }
}

/// Waits for a line of standard error that holds `word`.
pub fn wait_for(child: &mut Child, word: &str) {
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut seen = Vec::new();
    let mut lines = lines.map_while(Result::ok);
    for line in lines.by_ref() {
        let found = line.contains(word);
        seen.push(line);
        if found {
            // Goes on reading, so that the program never waits for a full pipe.
            std::thread::spawn(move || lines.count());
            return;
        }
    }
    panic!("no `{word}` in\n{}", seen.join("\n"));
}

/// Sends a signal by its name.
pub fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}
