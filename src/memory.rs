//! How much memory there is, and amounts of it in words. Knows nothing of who needs it.

/// The memory of this machine in bytes, or of the container, or what this process may have, if
/// that is less; `None` where it is not told.
pub fn available() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let limits = std::fs::read_to_string("/proc/self/limits").ok();
    let allowed = limits.and_then(|text| address_space(&text));
    machine.into_iter().chain(container).chain(allowed).min()
}

/// An amount of memory in words: `31 MiB`, `1.4 GiB`.
pub fn amount(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    if mebibytes < 1000.0 {
        format!("{mebibytes:.0} MiB")
    } else {
        format!("{:.1} GiB", mebibytes / 1024.0)
    }
}

/// The address space that `/proc/self/limits` allows (`ulimit -v`), if it is limited.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
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
    fn amounts_are_told_in_the_unit_that_suits_them() {
        assert_eq!(amount(31 << 20), "31 MiB");
        assert_eq!(amount(1400 << 20), "1.4 GiB");
    }

    #[test]
    fn a_limit_of_the_process_is_read() {
        let limits = |soft: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max processes             1024                 1024                 processes \n\
                 Max address space         {soft}           unlimited            bytes     \n"
            )
        };
        assert_eq!(address_space(&limits("2147483648")), Some(2 << 30));
        assert_eq!(address_space(&limits("unlimited")), None);
    }

    #[test]
    fn the_total_is_read() {
        let text = "MemTotal:       24684032 kB\nMemFree:         1 kB\n";
        assert_eq!(total(text), Some(24_684_032 * 1024));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
