//! Work under the clock: time of the wall for rates, CPU time of a thread for shares.

use crate::train::thread_seconds;
use std::time::Instant;

/// What a thread spent on some work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Seconds of the wall.
    pub wall: f64,
    /// Seconds of CPU time.
    pub cpu: f64,
    /// What `work` counted.
    pub count: u64,
}

impl Spent {
    /// Counted per second of the wall.
    pub fn rate(&self) -> f64 {
        self.count as f64 / self.wall.max(1e-9)
    }

    /// Counted per second of CPU time.
    pub fn cpu_rate(&self) -> f64 {
        self.count as f64 / self.cpu.max(1e-9)
    }
}

/// Does `work` again and again, at least once, until `seconds` have passed on the wall; `work`
/// says how much it did.
pub fn repeat(seconds: f64, mut work: impl FnMut() -> u64) -> Spent {
    let (begun, cpu) = (Instant::now(), thread_seconds());
    let mut count = 0;
    loop {
        count += work();
        let wall = begun.elapsed().as_secs_f64();
        if wall >= seconds {
            return Spent { wall, cpu: thread_seconds() - cpu, count };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_at_least_once_and_counted() {
        let mut calls = 0;
        let spent = repeat(0.0, || {
            calls += 1;
            7
        });
        assert_eq!((calls, spent.count), (1, 7));
        let rate = Spent { wall: 2.0, cpu: 1.0, count: 6 };
        assert_eq!((rate.rate(), rate.cpu_rate()), (3.0, 6.0));
    }
}
