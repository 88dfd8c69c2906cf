//! Named places where a run can be made to fail, for tests of what a failure leaves behind.
//!
//! The environment variable `MENAGERIE_FAULT` names one: `after-shard` kills the process the first
//! time it is reached, `after-shard:3` the third time; `nan:40` and `spike:40` spoil the batch
//! that begins with or holds sample 40. Without the variable nothing happens anywhere.

use crate::replay::Batch;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable's name.
pub const VARIABLE: &str = "MENAGERIE_FAULT";

/// The arrows of the flow, in its order, at which a process can be killed.
pub const POINTS: [&str; 9] = [
    "after-journal",
    "before-shard",
    "after-shard",
    "in-lesson",
    "before-state",
    "after-state",
    "after-champion",
    "while-measuring",
    "after-measuring",
];

#[derive(Debug)]
struct Fault {
    name: String,
    count: u64,
    reached: AtomicU64,
}

fn fault() -> Option<&'static Fault> {
    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    FAULT.get_or_init(|| std::env::var(VARIABLE).ok().map(|text| parse(&text))).as_ref()
}

fn parse(text: &str) -> Fault {
    let (name, count) = text.split_once(':').unwrap_or((text, ""));
    let count = count.parse().unwrap_or(1);
    Fault { name: name.to_string(), count, reached: AtomicU64::new(0) }
}

/// Dies here, as by a power cut, if this is the place and the time.
pub fn reach(point: &str) {
    debug_assert!(POINTS.contains(&point));
    if let Some(fault) = fault()
        && fault.name == point
        && fault.reached.fetch_add(1, Ordering::SeqCst) + 1 == fault.count
    {
        std::process::abort();
    }
}

/// Spoils the batch whose first sample is number `from`, if it holds the sample that was named.
pub fn spoil(batch: &mut Batch, from: u64) {
    let Some(fault) = fault() else { return };
    spoil_by(fault, batch, from);
}

fn spoil_by(fault: &Fault, batch: &mut Batch, from: u64) {
    if !(from..from + batch.len() as u64).contains(&fault.count) {
        return;
    }
    match fault.name.as_str() {
        "nan" => batch.planes.fill(f32::NAN),
        "spike" => batch.policy *= 1e4,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_batch_is_spoilt_and_no_other() {
        use ndarray::{Array1, Array2};
        let sound = Batch {
            planes: Array2::ones((4, 2)),
            globals: Array2::ones((4, 1)),
            policy: Array2::ones((4, 1)),
            mask: Array2::zeros((4, 1)),
            wdl: Array2::ones((4, 3)),
            plies: Array1::ones(4),
            plies_known: Array1::ones(4),
            margin: Array1::ones(4),
            margin_known: Array1::ones(4),
        };
        let spoilt = |text: &str, from: u64| {
            let mut batch = sound.clone();
            spoil_by(&parse(text), &mut batch, from);
            batch
        };
        assert!(spoilt("nan:6", 4).planes.iter().all(|value| value.is_nan()));
        assert_eq!(spoilt("nan:8", 4), sound);
        assert_eq!(spoilt("spike:4", 4).policy[[0, 0]], 1e4);
        assert_eq!(spoilt("after-shard:4", 4), sound);
    }
}
