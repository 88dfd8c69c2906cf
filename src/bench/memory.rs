//! Memory of this process, where the system tells it.

use serde::Serialize;

/// Resident memory in MiB.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Memory {
    /// Now.
    pub resident_mib: f64,
    /// The most so far.
    pub peak_mib: f64,
}

impl Memory {
    /// What `/proc/self/status` says; `None` where there is none.
    pub fn now() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/self/status").ok()?;
        Self::read(&text)
    }

    fn read(status: &str) -> Option<Self> {
        let mebibytes = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
            Some(kibibytes / 1024.0)
        };
        Some(Self { resident_mib: mebibytes("VmRSS:")?, peak_mib: mebibytes("VmHWM:")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kibibytes_are_read() {
        let status = "Name:\tx\nVmHWM:\t  4096 kB\nVmRSS:\t  1536 kB\n";
        let memory = Memory { resident_mib: 1.5, peak_mib: 4.0 };
        assert_eq!(Memory::read(status), Some(memory));
        assert_eq!(Memory::read("VmRSS:\t1 kB\n"), None);
    }
}
