//! How fast tables in memory answer. Owns the one clock of this room.

use super::probe::Tables;
use crate::game::Side;
use crate::rng;
use rand::RngExt;
use std::hint::black_box;
use std::time::Instant;

/// Different positions that are asked in turn: many times more entries than a cache holds.
const POSITIONS: usize = 1 << 15;

/// Probes on one core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    pub probes: u64,
    pub seconds: f64,
}

impl Speed {
    pub fn per_second(self) -> f64 {
        self.probes as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }
}

/// Asks at least `probes` times for positions drawn evenly from all tables held, on this thread.
/// Drawing them is not timed. `None` if no table is held.
pub fn measure(tables: &Tables, probes: u64, seed: u64) -> Option<Speed> {
    let held = tables.held();
    if held.is_empty() {
        return None;
    }
    let mut stream = rng::stream(seed, "probe speed", 0);
    let mut positions = Vec::with_capacity(POSITIONS);
    while positions.len() < POSITIONS {
        let table = &held[stream.random_range(0..held.len())];
        let side = Side::BOTH[stream.random_range(0..2)];
        let entry = stream.random_range(0..table.entries());
        positions.extend(table.position(tables.book().game(), side, entry));
    }
    let rounds = probes.div_ceil(POSITIONS as u64).max(1);
    let begun = Instant::now();
    for _ in 0..rounds {
        for position in &positions {
            black_box(tables.probe(black_box(position)));
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    Some(Speed { probes: rounds * POSITIONS as u64, seconds })
}
