//! Would a run fit into this machine? What the settings ask for is estimated beforehand, so that
//! too much is refused with its amount, rather than ending in an abort hours later.

use crate::codec::Shape;
use crate::config::{Config, ConfigError, Loaded};
use crate::nn::check_size;

/// Memory of a tree for each visit: a node and the edges of a position with many actions.
const BYTES_PER_VISIT: u64 = 1024;
/// Copies of a tower's layer that learning keeps for each position of a batch: values, their
/// gradients, and what the operations between hold back.
const COPIES: u64 = 6;

/// What one setting asks for, with those it multiplies with at the values they have.
struct Demand {
    key: &'static str,
    bytes: u64,
}

/// Refuses a network that cannot be built for this shape, and settings that need more memory than
/// the machine has.
pub fn check(loaded: &Loaded<Config>, shape: Shape) -> Result<(), ConfigError> {
    if let Err(error) = check_size(&shape, &loaded.config.network) {
        return Err(loaded.error("network.channels", format!("does not fit: {error}")));
    }
    let refusal = machine_bytes().and_then(|most| refusal(&demands(&loaded.config, &shape), most));
    match refusal {
        Some((key, message)) => Err(loaded.error(key, message)),
        None => Ok(()),
    }
}

/// The largest demand and what to say of it, if all together are more than `most` bytes.
fn refusal(demands: &[Demand], most: u64) -> Option<(&'static str, String)> {
    let all = demands.iter().fold(0u64, |sum, demand| sum.saturating_add(demand.bytes));
    let largest = demands.iter().max_by_key(|demand| demand.bytes)?;
    let message = || {
        format!(
            "asks for about {} of memory (all settings together {}), but this machine has {}: \
             choose less of it",
            gibibytes(largest.bytes),
            gibibytes(all),
            gibibytes(most)
        )
    };
    (all > most).then(|| (largest.key, message()))
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

fn demands(config: &Config, shape: &Shape) -> [Demand; 4] {
    let Config { train, network, selfplay, learn, .. } = config;
    let product = |factors: &[u64]| factors.iter().fold(1u64, |all, &one| all.saturating_mul(one));
    let threads = train.threads as u64;
    let (blocks, channels) = (network.blocks as u64, network.channels as u64);
    let squares = shape.squares() as u64;
    // Two convolutions of 3 × 3 for each block; the first layer and the heads are smaller.
    let weights = product(&[2 * blocks, 9, channels, channels])
        + product(&[9, shape.planes as u64, channels])
        + product(&[squares, network.value_channels as u64, network.value_hidden as u64]);
    let games = u64::from(selfplay.in_flight.min(selfplay.games));
    let visits = u64::from(selfplay.visits.max(selfplay.final_visits));
    [
        Demand {
            key: "selfplay.cache_mib",
            bytes: product(&[threads, u64::from(selfplay.cache_mib), 1 << 20]),
        },
        Demand {
            key: "selfplay.in_flight",
            bytes: product(&[threads, games, visits, BYTES_PER_VISIT]),
        },
        Demand {
            // A state is four numbers for each weight; in the learner, kept, and twice as bytes
            // while it is saved. Each thread learns and plays with a copy of its own.
            key: "network.channels",
            bytes: product(&[weights, 64 + 8 * threads]),
        },
        Demand {
            key: "learn.batch",
            bytes: product(&[
                u64::from(learn.batch),
                squares,
                channels,
                2 * blocks + 2,
                COPIES * size_of::<f32>() as u64,
            ]),
        },
    ]
}

/// The memory of this machine, or of the container if that is less; `None` where it is not told.
pub fn machine_bytes() -> Option<u64> {
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

    const GIB: u64 = 1 << 30;

    fn jungle() -> Shape {
        use crate::codec::Encode;
        crate::game::jungle::Jungle::new(Default::default()).unwrap().shape()
    }

    #[test]
    fn the_default_fits_into_a_small_machine() {
        assert!(refusal(&demands(&Config::default(), &jungle()), 2 * GIB).is_none());
    }

    #[test]
    fn each_absurd_setting_is_refused_by_its_name() {
        let refused = |change: &dyn Fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            refusal(&demands(&config, &jungle()), 8 * GIB).unwrap()
        };
        let (key, message) = refused(&|config| config.selfplay.cache_mib = 65_536);
        assert_eq!(key, "selfplay.cache_mib");
        assert!(message.starts_with("asks for about 128.0 GiB of memory"), "{message}");
        assert!(message.contains("this machine has 8.0 GiB"), "{message}");
        let (key, _) = refused(&|config| {
            config.selfplay.in_flight = 4096;
            config.selfplay.visits = 100_000;
        });
        assert_eq!(key, "selfplay.in_flight");
        let (key, _) = refused(&|config| {
            config.network.blocks = 40;
            config.network.channels = 512;
            config.learn.batch = 64;
        });
        assert_eq!(key, "network.channels");
        let (key, _) = refused(&|config| config.learn.batch = 65_536);
        assert_eq!(key, "learn.batch");
    }

    #[test]
    fn the_total_is_read() {
        let text = "MemTotal:       24684032 kB\nMemFree:         1 kB\n";
        assert_eq!(total(text), Some(24_684_032 * 1024));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
