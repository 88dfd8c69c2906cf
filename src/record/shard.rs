//! A shard: an immutable file of game records, published whole.
//!
//! The frame's payload is a list of blocks, a header block and one block for each game:
//! ```text
//! offset  0  marker            "GAME"; "HEAD" in the header block
//!         4  length            u32, of the body
//!         8  crc32c            u32, of marker, length and body
//!        12  body              zstd-compressed record
//! ```
//! When the frame is damaged, the reader goes from marker to marker and keeps every block whose
//! own checksum holds: one damaged game costs one game.

use super::game::GameRecord;
use super::replay::Replayed;
use super::rules::{self, RulesHash};
use super::wire;
use crate::disk::frame::{Frame, FrameError, HEADER, Kind};
use crate::disk::{self, DiskError, atomic};
use crate::game::Notation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Version of the shard's payload, the record within included.
pub const VERSION: u16 = 1;

const BLOCK: usize = 12;
const LEVEL: i32 = 3;

/// What all games of a shard share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardHeader {
    /// The game's name.
    pub game: String,
    /// The full rule record, as JSON text.
    pub rules: String,
    pub rules_hash: RulesHash,
    /// Version of the codec of the network that played.
    pub codec_version: u32,
    /// Generation of the weights that played the first game.
    pub generation: u64,
    /// Numbers of the games that were written, so that a lost one has a name.
    pub indices: Vec<u64>,
}

impl ShardHeader {
    /// The header of a shard of games played by weights of `generation`; [`write`] fills in the
    /// games' numbers.
    pub fn new<G: Notation>(game: &G, codec_version: u32, generation: u64) -> Self {
        Self {
            game: game.name().to_string(),
            rules: rules::canonical(&game.rules()),
            rules_hash: RulesHash::of(game),
            codec_version,
            generation,
            indices: Vec::new(),
        }
    }
}

/// A shard as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    pub header: ShardHeader,
    pub games: Vec<GameRecord>,
    /// Games that could not be read.
    pub dropped: Vec<Dropped>,
    /// What is wrong with the file as a whole, if something is.
    pub damage: Option<FrameError>,
}

/// The games of a shard that replay through the rules.
#[derive(Clone, Debug)]
pub struct Games<G: Notation> {
    pub header: ShardHeader,
    pub games: Vec<Replayed<G>>,
    /// Games that could not be read or that the rules refused.
    pub dropped: Vec<Dropped>,
    pub damage: Option<FrameError>,
}

/// A game of a shard that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The game's number.
    pub index: u64,
    /// Which file, which game, where and why.
    pub why: String,
}

/// Why a shard cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("{}: {source}", path.display())]
    Frame { path: PathBuf, source: FrameError },
    #[error("{}: the header of the shard is damaged{}", path.display(), because(damage))]
    Header { path: PathBuf, damage: Option<FrameError> },
    #[error("{}: {what}", path.display())]
    Foreign { path: PathBuf, what: String },
    #[error("game {index} cannot be written to {}: {why}", path.display())]
    Unwritable { path: PathBuf, index: u64, why: String },
}

impl ShardError {
    /// Is the data itself at fault (damaged, or of another game or version), not the disk?
    pub fn is_data(&self) -> bool {
        !matches!(self, ShardError::Disk(_))
    }
}

fn because(damage: &Option<FrameError>) -> String {
    damage.as_ref().map_or_else(String::new, |damage| format!(": {damage}"))
}

/// Writes and publishes a shard; returns its size in bytes.
pub fn write(path: &Path, header: &ShardHeader, games: &[GameRecord]) -> Result<u64, ShardError> {
    let bytes = encode(header, games).map_err(|(index, why)| ShardError::Unwritable {
        path: path.to_path_buf(),
        index,
        why,
    })?;
    atomic::write(path, &bytes)?;
    Ok(bytes.len() as u64)
}

/// Reads a shard; what is sound of a damaged one is kept.
pub fn read(path: &Path) -> Result<Shard, ShardError> {
    decode(path, &disk::read(path)?)
}

/// Reads a shard and replays its games through the rules of `game`, which must be the shard's.
pub fn read_games<G: Notation>(path: &Path, game: &G) -> Result<Games<G>, ShardError> {
    let shard = read(path)?;
    check_header(path, &shard.header, game)?;
    Ok(replayed(path, shard, game))
}

/// As [`read_games`], of a shard that must hold the games `numbers` of a run.
pub fn read_games_of<G: Notation>(
    path: &Path,
    game: &G,
    numbers: RangeInclusive<u64>,
    owner: Owner,
) -> Result<Games<G>, ShardError> {
    let shard = read(path)?;
    check_header(path, &shard.header, game)?;
    shard.check_owner(path, numbers, owner)?;
    Ok(replayed(path, shard, game))
}

/// Whose games the shards of a run hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The run's seed.
    pub seed: u64,
    /// The run's first own game; those before came from the run that it was forked from, and have
    /// that one's seed.
    pub own_from: u64,
}

impl Shard {
    /// Refuses a shard that does not hold just the games `numbers`, or holds games of another
    /// seed than its owner's. `path` is for the message.
    pub fn check_owner(
        &self,
        path: &Path,
        numbers: RangeInclusive<u64>,
        owner: Owner,
    ) -> Result<(), ShardError> {
        let foreign = |what| Err(ShardError::Foreign { path: path.to_path_buf(), what });
        let (first, last) = (*numbers.start(), *numbers.end());
        let indices = &self.header.indices;
        if indices.first() != Some(&first)
            || indices.last() != Some(&last)
            || indices.windows(2).any(|pair| pair[1] != pair[0] + 1)
        {
            let holds = match (indices.first(), indices.last()) {
                (Some(first), Some(last)) => format!("the games {first} to {last}"),
                _ => String::from("no games"),
            };
            return foreign(format!("it holds {holds}, its name says {first} to {last}"));
        }
        // One more block than the header promises would be a game twice.
        if self.games.windows(2).any(|pair| pair[1].index <= pair[0].index)
            || self.games.iter().any(|game| !numbers.contains(&game.index))
        {
            return foreign(String::from("it holds other games than its header lists"));
        }
        let other = |game: &&GameRecord| game.index >= owner.own_from && game.seed != owner.seed;
        match self.games.iter().find(other) {
            Some(game) => foreign(format!(
                "game {} was played with the seed {}, the run has the seed {}: it is another run's",
                game.index, game.seed, owner.seed
            )),
            None => Ok(()),
        }
    }
}

/// The games that the rules agree with.
fn replayed<G: Notation>(path: &Path, shard: Shard, game: &G) -> Games<G> {
    let Shard { header, games, mut dropped, damage } = shard;
    let mut replayed = Vec::with_capacity(games.len());
    for record in &games {
        match record.replay(game) {
            Ok(game) => replayed.push(game),
            Err(error) => dropped
                .push(Dropped { index: record.index, why: format!("{}: {error}", path.display()) }),
        }
    }
    Games { header, games: replayed, dropped, damage }
}

fn check_header<G: Notation>(
    path: &Path,
    header: &ShardHeader,
    game: &G,
) -> Result<(), ShardError> {
    let what = if header.game != game.name() {
        format!("a shard of {}, expected one of {}", header.game, game.name())
    } else if header.rules_hash != RulesHash::of(game) {
        format!("a shard of the rules {}, expected the rules {}", header.rules, game.rules())
    } else {
        return Ok(());
    };
    Err(ShardError::Foreign { path: path.to_path_buf(), what })
}

/// The file's bytes, or the number of a game and why it cannot be encoded.
fn encode(header: &ShardHeader, games: &[GameRecord]) -> Result<Vec<u8>, (u64, String)> {
    let first = games.first().map_or(0, |game| game.index);
    let indices = games.iter().map(|game| game.index).collect();
    let header = ShardHeader { indices, ..header.clone() };
    let mut payload = Vec::new();
    append(&mut payload, b"HEAD", &header).map_err(|why| (first, why))?;
    for game in games {
        append(&mut payload, b"GAME", game).map_err(|why| (game.index, why))?;
    }
    Ok(Frame::encode(Kind::Shard, VERSION, &payload))
}

fn append<T: Serialize>(out: &mut Vec<u8>, marker: &[u8; 4], record: &T) -> Result<(), String> {
    let bytes = wire::encode(record).map_err(|error| error.to_string())?;
    let body = zstd::bulk::compress(&bytes, LEVEL).map_err(|error| error.to_string())?;
    let length = u32::try_from(body.len()).map_err(|error| error.to_string())?;
    let length = length.to_le_bytes();
    out.extend_from_slice(marker);
    out.extend_from_slice(&length);
    out.extend_from_slice(&checksum(marker, &length, &body).to_le_bytes());
    out.extend_from_slice(&body);
    Ok(())
}

fn checksum(marker: &[u8], length: &[u8], body: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c_append(crc32c::crc32c(marker), length), body)
}

fn decode(path: &Path, bytes: &[u8]) -> Result<Shard, ShardError> {
    let owned = || path.to_path_buf();
    let frame = Frame::salvage(Kind::Shard, VERSION, bytes)
        .map_err(|source| ShardError::Frame { path: owned(), source })?;
    let payload = frame.payload;
    let headless = |damage| ShardError::Header { path: owned(), damage };
    let (header, mut at) = match block(payload, 0, b"HEAD") {
        Some((body, end)) => match unpack::<ShardHeader>(body) {
            Ok(header) => (header, end),
            Err(_) => return Err(headless(frame.damage)),
        },
        None => return Err(headless(frame.damage)),
    };
    let (mut games, mut damaged): (Vec<GameRecord>, Vec<String>) = (Vec::new(), Vec::new());
    while at < payload.len() {
        let place = at + HEADER;
        match block(payload, at, b"GAME") {
            Some((body, end)) => {
                match unpack::<GameRecord>(body) {
                    Ok(game) => games.push(game),
                    Err(why) => damaged.push(format!("byte {place}: {why}")),
                }
                at = end;
            }
            None => {
                at = next_block(payload, at + 1);
                damaged.push(format!("bytes {place} to {} are damaged", at + HEADER));
            }
        }
    }
    damaged.extend(frame.damage.as_ref().map(ToString::to_string));
    let dropped = lost(path, &header, &games, &damaged);
    Ok(Shard { header, games, dropped, damage: frame.damage })
}

/// The games that the header promises and the file does not hold any more.
fn lost(
    path: &Path,
    header: &ShardHeader,
    games: &[GameRecord],
    damaged: &[String],
) -> Vec<Dropped> {
    let found: BTreeSet<u64> = games.iter().map(|game| game.index).collect();
    let missing = header.indices.iter().filter(|index| !found.contains(index));
    let why = |index| format!("{}: game {index} is lost: {}", path.display(), damaged.join("; "));
    missing.map(|&index| Dropped { index, why: why(index) }).collect()
}

/// The body of the sound block at `at`, and where it ends.
fn block<'a>(payload: &'a [u8], at: usize, marker: &[u8; 4]) -> Option<(&'a [u8], usize)> {
    let head = payload.get(at..at.checked_add(BLOCK)?)?;
    let (length, sum) = (word(&head[4..8]), word(&head[8..12]));
    let end = (at + BLOCK).checked_add(length as usize)?;
    let body = payload.get(at + BLOCK..end)?;
    let sound = &head[..4] == marker && sum == checksum(marker, &head[4..8], body);
    sound.then_some((body, end))
}

/// Where the next sound game begins, at `from` or later; else the end.
fn next_block(payload: &[u8], from: usize) -> usize {
    let found = (from..payload.len())
        .find(|&at| payload[at..].starts_with(b"GAME") && block(payload, at, b"GAME").is_some());
    found.unwrap_or(payload.len())
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

fn unpack<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    let bytes = zstd::bulk::decompress(body, wire::LIMIT)
        .map_err(|error| format!("cannot be decompressed: {error}"))?;
    wire::decode(&bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::toy::{self, Heap};
    use proptest::prelude::*;

    fn shard(games: u64) -> (ShardHeader, Vec<GameRecord>, Vec<u8>) {
        let games: Vec<GameRecord> = (0..games).map(toy::record).collect();
        let mut header = ShardHeader::new(&Heap::default(), 7, 0);
        header.indices = (0..games.len() as u64).collect();
        let bytes = encode(&header, &games).unwrap();
        (header, games, bytes)
    }

    fn decoded(bytes: &[u8]) -> Result<Shard, ShardError> {
        decode(Path::new("x.shard"), bytes)
    }

    #[test]
    fn a_shard_is_published_and_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.shard");
        let (header, games, bytes) = shard(5);
        assert_eq!(write(&path, &header, &games).unwrap(), bytes.len() as u64);
        let read = read(&path).unwrap();
        assert_eq!(read, Shard { header: header.clone(), games, dropped: vec![], damage: None });
        let replayed = read_games(&path, &Heap::default()).unwrap();
        assert_eq!((replayed.header, replayed.games.len()), (header, 5));
        assert_eq!(replayed.games[4].index, 4);
    }

    #[test]
    fn a_shard_of_other_rules_is_refused_with_both() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.shard");
        let (header, games, _) = shard(1);
        write(&path, &header, &games).unwrap();
        let other = Heap { stones: 9, ..Heap::default() };
        let error = read_games(&path, &other).unwrap_err();
        assert!(error.is_data());
        let text = error.to_string();
        assert!(text.contains(r#"{"limit":null,"may_pass":false,"stones":12}"#), "{text}");
        assert!(text.contains(r#""stones":9"#), "{text}");
    }

    #[test]
    fn a_game_that_the_rules_refuse_is_named_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.shard");
        let (header, mut games, _) = shard(3);
        games[1].actions[0] = String::from("7");
        write(&path, &header, &games).unwrap();
        let read = read_games(&path, &Heap::default()).unwrap();
        assert_eq!((read.games.len(), read.dropped.len()), (2, 1));
        assert_eq!(read.dropped[0].index, 1);
        assert!(read.dropped[0].why.contains("x.shard: game 1: ply 0: \"7\""));
    }

    #[test]
    fn a_shard_of_another_run_or_under_another_name_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.shard");
        let (header, games, _) = shard(4);
        let seed = games[2].seed;
        let games: Vec<GameRecord> =
            games.into_iter().map(|game| GameRecord { seed, ..game }).collect();
        write(&path, &header, &games).unwrap();
        let read = |numbers, seed, own_from| {
            let owner = Owner { seed, own_from };
            let read = read_games_of(&path, &Heap::default(), numbers, owner);
            read.map(|games| games.games.len()).map_err(|error| error.to_string())
        };
        assert_eq!(read(0..=3, seed, 0), Ok(4));
        // Games that came from another run have its seed.
        assert_eq!(read(0..=3, seed + 1, 4), Ok(4));
        for own_from in [0, 3] {
            let error = read(0..=3, seed + 1, own_from).unwrap_err();
            let told = format!("x.shard: game {own_from} was played with the seed {seed}");
            assert!(error.contains(&told), "{error}");
        }
        for numbers in [0..=7, 4..=7, 1..=3, 0..=2] {
            let error = read(numbers, seed, 0).unwrap_err();
            assert!(error.contains("it holds the games 0 to 3, its name says "), "{error}");
        }
        let twice: Vec<GameRecord> = [&games[..], &games[3..]].concat();
        let header = ShardHeader { indices: (0..4).collect(), ..header };
        let mut shard = Shard { header, games: twice, dropped: vec![], damage: None };
        let owner = Owner { seed, own_from: 0 };
        assert!(shard.check_owner(&path, 0..=3, owner).is_err());
        shard.games.pop();
        assert!(shard.check_owner(&path, 0..=3, owner).is_ok());
    }

    #[test]
    fn every_truncation_is_told_and_keeps_the_games_before_it() {
        let (_, games, bytes) = shard(3);
        let mut kept = [0; 3];
        for end in 0..bytes.len() {
            match decoded(&bytes[..end]) {
                Err(error) => assert!(error.is_data()),
                Ok(shard) => {
                    assert!(matches!(shard.damage, Some(FrameError::Truncated { .. })));
                    assert_eq!(shard.games[..], games[..shard.games.len()]);
                    assert_eq!(shard.games.len() + shard.dropped.len(), 3);
                    kept[shard.games.len()] += 1;
                }
            }
        }
        assert!(kept.iter().all(|&count| count > 0), "{kept:?}");
    }

    #[test]
    fn every_flipped_bit_costs_at_most_one_game() {
        let (header, games, bytes) = shard(3);
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                let Ok(shard) = decoded(&damaged) else { continue };
                assert!(shard.damage.is_some(), "byte {place} bit {bit}");
                assert_eq!(shard.header, header);
                assert_eq!((shard.games.len(), shard.dropped.len()), (2, 1));
                assert!(shard.games.iter().all(|game| games.contains(game)));
                let lost = &shard.dropped[0];
                assert!(shard.games.iter().all(|game| game.index != lost.index));
                let told = format!("x.shard: game {} is lost: bytes ", lost.index);
                assert!(lost.why.starts_with(&told), "{}", lost.why);
            }
        }
    }

    #[test]
    fn a_small_body_cannot_unpack_into_a_huge_one() {
        let bomb = zstd::bulk::compress(&vec![0; wire::LIMIT + 1], 3).unwrap();
        assert!(bomb.len() < 10_000);
        assert!(unpack::<GameRecord>(&bomb).unwrap_err().contains("cannot be decompressed"));
    }

    proptest! {
        #[test]
        fn any_payload_is_refused_without_a_panic(body: Vec<u8>, headed: bool) {
            let (header, ..) = shard(0);
            let mut payload = Vec::new();
            if headed {
                append(&mut payload, b"HEAD", &header).unwrap();
            }
            payload.extend_from_slice(&body);
            let bytes = Frame::encode(Kind::Shard, VERSION, &payload);
            match decoded(&bytes) {
                Ok(shard) => {
                    prop_assert!(headed);
                    prop_assert_eq!((shard.games.len(), shard.dropped.len()), (0, 0));
                }
                Err(error) => prop_assert!(error.is_data()),
            }
        }
    }
}
