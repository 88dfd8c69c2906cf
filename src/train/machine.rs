//! How much memory there is. Knows nothing of runs.

/// The memory of this machine in bytes, or of the container if that is less; `None` where it is
/// not told.
pub fn memory_bytes() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(container).min()
}

/// The total of `/proc/meminfo`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read() {
        let text = "MemTotal:       24684032 kB\nMemFree:         1 kB\n";
        assert_eq!(total(text), Some(24_684_032 * 1024));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
