//! Named seeded streams: the only source of randomness in the house.
//!
//! A stream is named by the run's seed, a room and an index (the number of a game, say), so what
//! it yields depends on nothing else: not on threads, not on time, not on other streams.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The generator behind every stream. Named, so that seeds keep their meaning across versions.
pub type Stream = ChaCha8Rng;

/// The stream of `room` with number `index` under the run's `seed`.
pub fn stream(seed: u64, room: &str, index: u64) -> Stream {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(room.as_bytes());
    let mut stream = Stream::from_seed(*hasher.finalize().as_bytes());
    stream.set_stream(index);
    stream
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn a_stream_is_named_by_seed_room_and_index() {
        let first = |seed, room, index| stream(seed, room, index).next_u64();
        assert_eq!(first(1, "selfplay", 7), first(1, "selfplay", 7));
        assert_ne!(first(1, "selfplay", 7), first(2, "selfplay", 7));
        assert_ne!(first(1, "selfplay", 7), first(1, "arena", 7));
        assert_ne!(first(1, "selfplay", 7), first(1, "selfplay", 8));
    }
}
