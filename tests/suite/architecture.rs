//! The walls of the house: a room imports only rooms above it in `src/lib.rs`, and some crates
//! are known to one room alone.

use std::path::{Path, PathBuf};

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// Every source file under a room, with the room's name and the file's text.
fn rooms() -> Vec<(String, PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let with_room = files.into_iter().filter_map(|path| {
        let inside = path.strip_prefix(&src).unwrap().to_path_buf();
        let room = inside.components().next()?.as_os_str().to_str()?.trim_end_matches(".rs");
        let text = std::fs::read_to_string(&path).unwrap();
        Some((room.to_string(), inside, text))
    });
    with_room.filter(|(room, ..)| room != "main" && room != "lib").collect()
}

/// The rooms in the order of `src/lib.rs`.
fn order() -> Vec<String> {
    let lib = include_str!("../../src/lib.rs");
    let names = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.map(String::from).collect()
}

/// The rooms named after `crate::` in a line of code.
fn imported(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or("");
    let name = |rest: &str| {
        rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>()
    };
    code.match_indices("crate::").map(|(at, word)| name(&code[at + word.len()..])).collect()
}

#[test]
fn no_room_imports_one_below_it() {
    let order = order();
    assert!(order.len() > 10, "the rooms were read from lib.rs");
    let rank = |room: &str| order.iter().position(|name| name == room);
    let mut seen = 0;
    for (room, file, text) in rooms() {
        let mine = rank(&room).unwrap_or_else(|| panic!("{room} is not in lib.rs"));
        // Tests may look anywhere.
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            for theirs in imported(line).iter().filter_map(|name| rank(name)) {
                seen += 1;
                assert!(
                    theirs <= mine,
                    "{}:{}: {room} imports {}, which is below it",
                    file.display(),
                    number + 1,
                    order[theirs]
                );
            }
        }
    }
    assert!(seen > 50, "only {seen} imports were read");
}

#[test]
fn some_crates_are_known_to_one_room_alone() {
    let owners: [(&str, &[&str]); 5] = [
        ("burn::", &["nn/", "learn/"]),
        ("bincode::", &["record/wire.rs"]),
        ("axum::", &["ui/"]),
        ("ratatui::", &["ui/"]),
        ("indicatif::", &["ui/"]),
    ];
    let mut found = 0;
    for (_, file, text) in rooms() {
        let file = file.to_str().unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for (name, allowed) in owners {
                let uses = code.match_indices(name).any(|(at, _)| {
                    !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                });
                if uses {
                    found += 1;
                    assert!(
                        allowed.iter().any(|room| file.starts_with(room)),
                        "{file}:{}: `{name}` belongs in {allowed:?}",
                        number + 1
                    );
                }
            }
        }
    }
    assert!(found > 3, "only {found} uses were read");
}
