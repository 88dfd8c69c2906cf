//! What the figures were measured on.

use super::Plan;
use super::clock::repeat;
use super::spread::Spread;
use crate::nn::board_conv::{Instructions, multiply_adds};
use serde::Serialize;

/// Turns of the multiply-add loop between two looks at the clock: some milliseconds.
const TURNS: u64 = 200_000;

/// The machine and the kernels that run on it.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's name, where the system tells it.
    pub cpu: Option<String>,
    /// Cores that this process may use.
    pub cores: usize,
    /// `avx512`, `avx2` or `portable`.
    pub instructions: &'static str,
    /// Multiply-adds of one core on registers alone with these instructions, in billions of
    /// floating point operations per second of CPU time.
    pub peak_gflops: f64,
}

impl Machine {
    /// Looks at the machine and measures the peak of one core.
    pub fn look(plan: &Plan) -> Self {
        let rounds = (0..plan.rounds).map(|_| peak(plan.seconds / 4.0));
        Self {
            cpu: std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| name(&text)),
            cores: cores(),
            instructions: Instructions::chosen().name(),
            peak_gflops: Spread::of(rounds).median / 1e9,
        }
    }
}

/// Cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Floating point operations for each second of this thread's CPU time in the multiply-add loop.
pub fn peak(seconds: f64) -> f64 {
    repeat(seconds, || multiply_adds(Instructions::chosen(), TURNS)).cpu_rate()
}

/// The first model name of `/proc/cpuinfo`.
fn name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_read() {
        let text = "processor\t: 0\nmodel name\t: Some Core @ 2 GHz\nmodel name\t: x\n";
        assert_eq!(name(text).as_deref(), Some("Some Core @ 2 GHz"));
        assert_eq!(name("processor : 0\n"), None);
    }
}
