//! A run in one file, to go on with elsewhere: manifest, config, metrics, the newest state and the
//! games of its window.
//!
//! The frame's payload is one zstd stream of entries, each the length of a name (u16), the name,
//! the length of a content (u64) and the content. The first entry, `name`, holds the run's name;
//! the others are files by their path in the run folder. Numbers are little-endian.

use super::champion::Champion;
use super::layout::{Layout, ShardFile};
use super::manifest::{Manifest, ManifestError};
use super::state::{self, StateCard, StateError};
use super::{RunError, claim, publish};
use crate::disk::frame::{Frame, FrameError, Kind};
use crate::disk::{self, DiskError, atomic};
use crate::record::{Owner, ShardError, shard};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Version of the payload.
const VERSION: u16 = 1;
const LEVEL: i32 = 9;
/// The first entry.
const NAME: &str = "name";

/// Why a run could not be packed or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("{}: {source}", path.display())]
    Frame { path: PathBuf, source: FrameError },
    #[error("{}: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("the run in {} has no sound state yet: train it first", .0.display())]
    NoState(PathBuf),
}

impl PackError {
    /// Is data at fault, rather than the disk or the request?
    pub fn is_data(&self) -> bool {
        match self {
            PackError::Disk(_) | PackError::NoState(_) => false,
            PackError::Run(error) => error.is_data(),
            PackError::Manifest(error) => error.is_data(),
            PackError::State(error) => matches!(error, StateError::Damaged { .. }),
            PackError::Shard(error) => error.is_data(),
            PackError::Frame { .. } | PackError::Damaged { .. } => true,
        }
    }
}

/// What was packed or unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub name: String,
    pub files: usize,
    /// Bytes of the files, and of the packed one.
    pub bytes: u64,
    pub packed_bytes: u64,
}

/// Packs the run in `layout`, whose lock the caller holds, into the file `to`.
pub fn pack(layout: &Layout, name: &str, to: &Path) -> Result<Packed, PackError> {
    let files = needed(layout)?;
    let mut bytes = 0;
    let mut content = Vec::new();
    append(&mut content, NAME, name.as_bytes());
    for file in &files {
        let inside = disk::read(&layout.root().join(file))?;
        bytes += inside.len() as u64;
        append(&mut content, file, &inside);
    }
    let compressed =
        zstd::bulk::compress(&content, LEVEL).map_err(DiskError::on("compress", to))?;
    let framed = Frame::encode(Kind::Pack, VERSION, &compressed);
    atomic::write(to, &framed)?;
    let packed_bytes = framed.len() as u64;
    Ok(Packed { name: name.to_string(), files: files.len(), bytes, packed_bytes })
}

/// The files that going on needs, or that tell what was: paths in the run folder.
fn needed(layout: &Layout) -> Result<Vec<String>, PackError> {
    let newest = state::newest(layout)?;
    let Some((_, card)) = newest.state else {
        return Err(match newest.skipped.into_iter().next() {
            Some(damage) => damage.into(),
            None => PackError::NoState(layout.root().to_path_buf()),
        });
    };
    check_window(layout, &card)?;
    let mut files: Vec<String> = ["manifest.toml", "config.toml", "champion", "spent"]
        .into_iter()
        .filter(|file| layout.root().join(file).exists())
        .map(String::from)
        .collect();
    let mut steps = vec![card.step];
    // A file that says nothing is put right, as going on with the run would.
    let champion = match Champion::load(layout) {
        Err(ManifestError::Damaged { .. }) => {
            Champion::follow(layout, &card)?;
            None
        }
        champion => champion?.map(|champion| champion.step),
    };
    if let Some(step) = champion.filter(|&step| step != card.step) {
        state::verify(&layout.state(step))?;
        steps.push(step);
    }
    for step in steps {
        let folder = layout.state(step);
        let inside = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.extend(plain_files(&folder)?.map(|file| format!("state/{inside}/{file}")));
    }
    for shard in layout.list_shards()?.iter().filter(|shard| shard.last >= card.first_game) {
        let file = shard.path.file_name().unwrap_or_default().to_string_lossy();
        files.push(format!("shards/{file}"));
    }
    if layout.journal().exists() {
        files.push(String::from("shards/games.journal"));
    }
    files.extend(plain_files(&layout.metrics())?.map(|file| format!("metrics/{file}")));
    files.extend(plain_files(&layout.arena())?.map(|file| format!("arena/{file}")));
    Ok(files)
}

/// Refuses a run that could not go on from the state of this card: every shard of its window is
/// there, sound, and this run's.
fn check_window(layout: &Layout, card: &StateCard) -> Result<(), PackError> {
    let manifest = Manifest::load(&layout.manifest())?;
    let inherited = manifest.ancestry.first().map_or(0, |parent| parent.games);
    let owner = Owner { seed: manifest.seed, own_from: inherited };
    let damaged = |path: &Path, why: String| PackError::Damaged { path: path.to_path_buf(), why };
    let mut next = card.first_game;
    for ShardFile { path, first, last } in layout.list_shards()? {
        if last < card.first_game || first >= card.next_game {
            continue;
        }
        if first > next {
            break;
        }
        let shard = shard::read(&path)?;
        if let Some(damage) = &shard.damage {
            return Err(damaged(&path, damage.to_string()));
        }
        if let Some(dropped) = shard.dropped.first() {
            return Err(damaged(&path, dropped.why.clone()));
        }
        if shard.header.rules_hash != manifest.rules_hash || shard.header.game != manifest.game {
            return Err(damaged(&path, String::from("it holds games by other rules")));
        }
        shard.check_owner(&path, first..=last, owner)?;
        next = last + 1;
    }
    if next < card.next_game {
        let why = format!("the games {next} to {} are missing", card.next_game - 1);
        return Err(damaged(&layout.shards(), why));
    }
    Ok(())
}

fn plain_files(folder: &Path) -> Result<impl Iterator<Item = String> + use<>, DiskError> {
    let entries = disk::entries(folder)?.into_iter();
    Ok(entries.filter(|entry| !entry.is_dir && is_plain(&entry.name)).map(|entry| entry.name))
}

fn append(content: &mut Vec<u8>, name: &str, inside: &[u8]) {
    content.extend_from_slice(&(name.len() as u16).to_le_bytes());
    content.extend_from_slice(name.as_bytes());
    content.extend_from_slice(&(inside.len() as u64).to_le_bytes());
    content.extend_from_slice(inside);
}

/// Unpacks `from` as the run `name`, or the name it had, in `data`: whole or not at all.
pub fn unpack(from: &Path, data: &Path, name: Option<&str>) -> Result<Packed, PackError> {
    let damaged = |why: String| PackError::Damaged { path: from.to_path_buf(), why };
    let framed = disk::read(from)?;
    let payload = Frame::decode(Kind::Pack, VERSION, &framed)
        .map_err(|source| PackError::Frame { path: from.to_path_buf(), source })?;
    let mut stream = zstd::stream::read::Decoder::new(payload)
        .map_err(|error| damaged(format!("cannot be decompressed: {error}")))?;
    let (first, own_name) = next(&mut stream).map_err(damaged)?.unwrap_or_default();
    let own_name = String::from_utf8(own_name).unwrap_or_default();
    if first != NAME {
        return Err(damaged(String::from("it does not begin with a run's name")));
    }
    let name = name.unwrap_or(&own_name).to_string();
    let layout = claim(data, &name)?;
    let mut packed = Packed { name, files: 0, bytes: 0, packed_bytes: framed.len() as u64 };
    let name = packed.name.clone();
    publish(&layout, &name, |inside| -> Result<(), PackError> {
        let layout = Layout::at(inside);
        for folder in layout.folders() {
            atomic::create_dir_durable(&folder)?;
        }
        while let Some((file, content)) = next(&mut stream).map_err(damaged)? {
            if !belongs(&file) {
                return Err(damaged(format!("\"{file}\" is no file of a run")));
            }
            let path = inside.join(&file);
            if let Some(parent) = path.parent() {
                atomic::create_dir_durable(parent)?;
            }
            let mut out = std::fs::File::create(&path).map_err(DiskError::on("write", &path))?;
            out.write_all(&content).map_err(DiskError::on("write", &path))?;
            packed.files += 1;
            packed.bytes += content.len() as u64;
        }
        Manifest::load(&layout.manifest())?;
        match state::newest(&layout)?.state {
            Some(_) => Ok(()),
            None => Err(damaged(String::from("it holds no sound state"))),
        }
    })?;
    Ok(packed)
}

/// The next entry, or `None` at the end. A length that is merely claimed reserves nothing.
fn next(stream: &mut impl Read) -> Result<Option<(String, Vec<u8>)>, String> {
    let mut read = |length: u64| -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let done = stream.by_ref().take(length).read_to_end(&mut bytes);
        done.map_err(|error| format!("cannot be decompressed: {error}"))?;
        Ok(bytes)
    };
    let cut = || String::from("it ends within a file");
    let head = read(2)?;
    if head.is_empty() {
        return Ok(None);
    }
    let mut whole = |length: u64| {
        let bytes = read(length)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(cut()) }
    };
    let length = u16::from_le_bytes(head.try_into().map_err(|_| cut())?);
    let name = String::from_utf8(whole(u64::from(length))?)
        .map_err(|_| String::from("a file's name is not UTF-8"))?;
    let length = u64::from_le_bytes(whole(8)?.try_into().map_err(|_| cut())?);
    Ok(Some((name, whole(length)?)))
}

/// Is this the path of a file that a run folder may hold?
fn belongs(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    parts.iter().all(|part| is_plain(part))
        && match parts[..] {
            [file] => ["manifest.toml", "config.toml", "champion", "spent"].contains(&file),
            [folder, _] => ["shards", "metrics", "arena"].contains(&folder),
            [folder, state, _] => folder == "state" && state.starts_with("step-"),
            _ => false,
        }
}

fn is_plain(part: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ShardHeader;
    use crate::record::toy::{self, Heap};
    use crate::run::{Run, example_manifest};

    fn card(step: u64) -> StateCard {
        StateCard { step, generation: step / 10, first_game: step, next_game: step + 100 }
    }

    fn example(data: &Path) -> Run {
        let game = Heap::default();
        let manifest = Manifest::new(&game, None, 1, 7);
        let run = Run::create(data, "first", &manifest, "[game]\n").unwrap();
        for step in [100, 200] {
            let write = |folder: &Path| Ok(atomic::write(&folder.join("weights"), &[7; 5000])?);
            state::publish(&run.layout, &card(step), write).unwrap();
        }
        for first in (0..300).step_by(50) {
            let mut games: Vec<_> = (first..first + 50).map(toy::record).collect();
            games.iter_mut().for_each(|game| game.seed = 7);
            let path = run.layout.shard(first, first + 49);
            shard::write(&path, &ShardHeader::new(&game, 1, 0), &games).unwrap();
        }
        std::fs::write(run.layout.metrics().join("learn.jsonl"), "{}\n").unwrap();
        Champion { step: 200, generation: 20 }.save(&run.layout).unwrap();
        run
    }

    #[test]
    fn a_run_is_packed_with_what_it_needs_and_unpacked_whole() {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join("first.pack");
        let run = example(data.path());
        let packed = pack(&run.layout, "first", &file).unwrap();
        assert!(packed.packed_bytes < packed.bytes, "{packed:?}");
        let elsewhere = tempfile::tempdir().unwrap();
        let unpacked = unpack(&file, elsewhere.path(), None).unwrap();
        assert_eq!(unpacked, packed);
        let other = Run::open(elsewhere.path(), "first").unwrap().layout;
        assert_eq!(other.list_states().unwrap(), [200]);
        let firsts: Vec<u64> = other.list_shards().unwrap().iter().map(|s| s.first).collect();
        assert_eq!(firsts, [200, 250]);
        for path in ["config.toml", "manifest.toml", "champion", "metrics/learn.jsonl"] {
            let content = |layout: &Layout| disk::read(&layout.root().join(path)).unwrap();
            assert_eq!(content(&other), content(&run.layout), "{path}");
        }
        let error = unpack(&file, elsewhere.path(), None).unwrap_err().to_string();
        assert!(error.starts_with("there is a run first already"), "{error}");
        unpack(&file, elsewhere.path(), Some("second")).unwrap();
        assert!(elsewhere.path().join("second/champion").exists());
    }

    #[test]
    fn damage_leaves_nothing_behind() {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join("first.pack");
        pack(&example(data.path()).layout, "first", &file).unwrap();
        let sound = disk::read(&file).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        for place in (0..sound.len()).step_by(sound.len() / 200) {
            let mut bytes = sound.clone();
            bytes[place] ^= 4;
            std::fs::write(&file, bytes).unwrap();
            assert!(unpack(&file, elsewhere.path(), None).unwrap_err().is_data(), "{place}");
        }
        assert_eq!(disk::entries(elsewhere.path()).unwrap(), []);
    }

    #[test]
    fn no_path_leads_out_of_the_run() {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join("x.pack");
        for path in ["../x", "shards/../../x", "/etc/x", "lock", "state/step-1/a/b", ".x", ""] {
            let mut content = Vec::new();
            append(&mut content, NAME, b"x");
            append(&mut content, path, b"1");
            let compressed = zstd::bulk::compress(&content, 1).unwrap();
            std::fs::write(&file, Frame::encode(Kind::Pack, VERSION, &compressed)).unwrap();
            let error = unpack(&file, data.path(), None).unwrap_err().to_string();
            assert!(error.ends_with(&format!("\"{path}\" is no file of a run")), "{error}");
        }
    }

    #[test]
    fn an_entry_that_is_cut_off_anywhere_is_no_entry() {
        let mut content = Vec::new();
        append(&mut content, "café", b"12345");
        assert_eq!(next(&mut &content[..]), Ok(Some((String::from("café"), b"12345".to_vec()))));
        assert_eq!(next(&mut &content[..0]), Ok(None));
        // Within the é, too: it is the name that ends early, not a name in another encoding.
        for end in 1..content.len() {
            let cut = Err(String::from("it ends within a file"));
            assert_eq!(next(&mut &content[..end]), cut, "{end}");
        }
    }

    #[test]
    fn a_run_that_could_not_go_on_is_not_packed() {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join("first.pack");
        let run = example(data.path());
        let layout = &run.layout;
        let pack = || pack(layout, "first", &file);
        let refused = |words: &str| {
            let error = pack().unwrap_err();
            assert!(error.is_data() && error.to_string().contains(words), "{words}: {error}");
            assert!(!file.exists());
        };
        let path = layout.shard(200, 249);
        let sound = disk::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        refused("the games 200 to 299 are missing");
        let mut flipped = sound.clone();
        flipped[sound.len() / 2] ^= 1;
        std::fs::write(&path, flipped).unwrap();
        refused("games-0000000200-0000000249.shard: ");
        std::fs::copy(layout.shard(150, 199), &path).unwrap();
        refused("it holds the games 150 to 199, its name says 200 to 249");
        std::fs::write(&path, &sound).unwrap();
        // Shards that no window reaches may be as they are.
        std::fs::write(layout.shard(0, 49), b"").unwrap();
        // A champion of another state, which is damaged or is not there.
        Champion { step: 100, generation: 10 }.save(layout).unwrap();
        let weights = layout.state(100).join("weights");
        std::fs::write(&weights, b"torn").unwrap();
        refused("step-00000100/weights: expected 5000 bytes");
        Champion { step: 300, generation: 10 }.save(layout).unwrap();
        refused("step-00000300");
        // One that says nothing is put right.
        std::fs::write(layout.champion(), b"\xff").unwrap();
        pack().unwrap();
        assert_eq!(Champion::load(layout).unwrap().unwrap().step, 200);
    }

    #[test]
    fn a_run_without_a_state_is_not_packed() {
        let data = tempfile::tempdir().unwrap();
        let run = Run::create(data.path(), "x", &example_manifest(), "").unwrap();
        let error = pack(&run.layout, "x", &data.path().join("x.pack")).unwrap_err();
        assert!(matches!(error, PackError::NoState(_)));
    }
}
