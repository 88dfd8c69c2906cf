//! What a game is on disk: its record, shards of records, and their bytes.
//!
//! A record is replayed through the rules when it is read; one that does not replay is named,
//! dropped and counted. This room knows no run folder and no network.

pub mod game;
pub mod journal;
pub mod replay;
pub mod rules;
pub mod shard;
pub mod text;
#[cfg(test)]
pub(crate) mod toy;
pub mod wire;

pub use game::{Counters, End, FORMAT, GameRecord, Searched, WHOLE};
pub use journal::{Found, Journal, JournalError};
pub use replay::{ReplayError, Replayed};
pub use rules::RulesHash;
pub use shard::{Dropped, Games, Owner, Shard, ShardError, ShardHeader, read, read_games, write};
