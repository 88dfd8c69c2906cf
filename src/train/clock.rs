//! Time of work. Clocks are read here and nowhere else in this room; what they say decides only
//! when a run under a limit of time ends and decays, and is written to the state for that.

use crate::disk::{self, DiskError, atomic};
use crate::learn::Spent;
use crate::run::Layout;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// CPU time of this process so far, of all its threads, in seconds.
pub fn cpu_seconds() -> f64 {
    #[cfg(unix)]
    return told(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID);
    #[cfg(not(unix))]
    wall_seconds()
}

/// CPU time of this thread so far, in seconds.
pub fn thread_seconds() -> f64 {
    #[cfg(unix)]
    return told(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID);
    #[cfg(not(unix))]
    wall_seconds()
}

#[cfg(unix)]
fn told(clock: nix::time::ClockId) -> f64 {
    let time = nix::time::clock_gettime(clock);
    time.map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9)
}

/// Where the system does not tell: time of the wall since the first call, as if one core worked.
#[cfg(not(unix))]
fn wall_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// What has been spent since it was last read.
#[derive(Debug)]
pub struct Meter {
    wall: Instant,
    cpu: f64,
    /// Of earlier processes, or kept back.
    carried: Spent,
}

impl Meter {
    pub fn start(carried: Spent) -> Self {
        Self { wall: Instant::now(), cpu: cpu_seconds(), carried }
    }

    /// What has been spent so far.
    pub fn read(&self) -> Spent {
        let seconds = self.wall.elapsed().as_secs_f64();
        self.carried + Spent { seconds, cpu_seconds: cpu_seconds() - self.cpu }
    }

    /// What has been spent, and begins anew.
    pub fn take(&mut self) -> Spent {
        let spent = self.read();
        *self = Self::start(Spent::default());
        spent
    }

    /// Leaves `work` out of what is read, and gives what it spent.
    pub fn leave_out<T>(&mut self, work: impl FnOnce() -> T) -> (T, Spent) {
        let before = self.read();
        let result = work();
        let spent = self.read() - before;
        self.carried = self.carried - spent;
        (result, spent)
    }
}

/// What has been spent since a state and stands in none yet, for the process that goes on from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unsettled {
    /// On playing and learning.
    #[serde(flatten)]
    pub spent: Spent,
    /// Seconds of measuring. They count as time of the run, not as that of a generation.
    #[serde(default)]
    pub measuring: f64,
}

/// The file: what was spent, and the state since which. A warm-up learns without a generation, so
/// the generation alone does not name a state.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    generation: u64,
    step: u64,
    #[serde(flatten)]
    unsettled: Unsettled,
}

/// Keeps what has been spent so far since the state of `generation` and `step`.
pub fn keep(
    layout: &Layout,
    (generation, step): (u64, u64),
    unsettled: Unsettled,
) -> Result<(), DiskError> {
    let Unsettled { spent: Spent { seconds, cpu_seconds }, measuring } = unsettled;
    let text = format!(
        "generation = {generation}\nstep = {step}\nseconds = {seconds:.3}\n\
         cpu_seconds = {cpu_seconds:.3}\nmeasuring = {measuring:.3}\n"
    );
    atomic::write(&layout.spent(), text.as_bytes())
}

/// What was kept since this state; nothing if there is no sound note of it.
pub fn carried(layout: &Layout, (generation, step): (u64, u64)) -> Unsettled {
    let text = disk::read_text(&layout.spent()).unwrap_or_default();
    match toml::from_str::<Note>(&text) {
        Ok(note) if (note.generation, note.step) == (generation, step) => note.unsettled,
        _ => Unsettled::default(),
    }
}

/// Deletes the note: what it says stands in a state.
pub fn forget(layout: &Layout) -> Result<(), DiskError> {
    let path = layout.spent();
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(DiskError::on("remove", &path)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_and_what_is_left_out_is_not() {
        let busy = || (0..3_000_000u64).fold(1u64, |sum, x| sum.wrapping_mul(x | 1) ^ x);
        let mut meter = Meter::start(Spent { seconds: 100.0, cpu_seconds: 200.0 });
        assert_ne!(std::hint::black_box(busy()), 7);
        let spent = meter.take();
        assert!(spent.seconds > 100.0 && spent.cpu_seconds > 200.0);
        let before = meter.read();
        let (result, left_out) = meter.leave_out(busy);
        assert_ne!(std::hint::black_box(result), 7);
        assert!(left_out.seconds > 0.0 && left_out.cpu_seconds > 0.0);
        let all = meter.read() - before + left_out;
        assert!(all.seconds >= left_out.seconds);
    }

    #[test]
    fn what_was_kept_counts_for_its_state_alone() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::at(dir.path());
        assert_eq!(carried(&layout, (3, 70)), Unsettled::default());
        forget(&layout).unwrap();
        let spent = Spent { seconds: 1.5, cpu_seconds: 2.25 };
        let unsettled = Unsettled { spent, measuring: 0.75 };
        keep(&layout, (3, 70), unsettled).unwrap();
        assert_eq!(carried(&layout, (3, 70)), unsettled);
        assert_eq!(carried(&layout, (4, 70)), Unsettled::default());
        assert_eq!(carried(&layout, (3, 71)), Unsettled::default());
        forget(&layout).unwrap();
        assert_eq!(carried(&layout, (3, 70)), Unsettled::default());
    }
}
