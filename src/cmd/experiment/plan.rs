//! What an experiment's file says.

use crate::config::{Config, ConfigError, Loaded, Origin, Problem, Sources, load};
use crate::disk;
use crate::run::layout::check_name;
use std::path::{Path, PathBuf};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Config file of all variants, seen from the experiment's file; none: the defaults.
    base: Option<PathBuf>,
    /// CPU time of each run, for self-play and learning.
    cpu_minutes: f64,
    /// CPU time of a turn; a sixth of the whole if it is not said.
    slice_cpu_minutes: Option<f64>,
    seeds: Vec<u64>,
    /// Whether the variants of a seed share all random choices; yes if it is not said. Otherwise
    /// every run has choices of its own, as a test of two equal variants needs.
    #[serde(default = "yes")]
    shared_seeds: bool,
    variant: Vec<Variant>,
}

fn yes() -> bool {
    true
}

/// Between the seeds of variants that share none.
const SEED_STRIDE: u64 = 1_000_000;

/// A variant: its name, and what it sets over the base.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub name: String,
    #[serde(default)]
    pub set: Vec<String>,
}

/// An experiment, in order.
pub struct Plan {
    /// The file as it is.
    pub text: String,
    pub cpu_minutes: f64,
    slice_minutes: f64,
    pub variants: Vec<Variant>,
    /// The runs in the order of their turns: every variant of a seed, then the next seed.
    runs: Vec<RunPlan>,
}

/// One run of an experiment.
#[derive(Clone)]
pub struct RunPlan {
    /// `<variant>-<seed>`.
    pub name: String,
    pub variant: String,
    pub seed: u64,
    pub config: Loaded<Config>,
}

impl Plan {
    /// Reads an experiment and the config of each of its runs.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = disk::read_text(path)?;
        let problem = |key: &str, message: String| {
            let origin = Origin::Whole(path.to_path_buf());
            ConfigError::Problems(vec![Problem { origin, key: key.to_string(), message }])
        };
        let written: Written = toml::from_str(&text).map_err(|error| {
            let origin = Origin::at(path, &text, error.span().map_or(0, |span| span.start));
            let (key, message) = (String::new(), error.message().to_string());
            ConfigError::Problems(vec![Problem { origin, key, message }])
        })?;
        let Written { base, cpu_minutes, slice_cpu_minutes, seeds, shared_seeds, .. } = written;
        let variants = written.variant;
        let slice_minutes = slice_cpu_minutes.unwrap_or(cpu_minutes / 6.0);
        for (key, value) in [("cpu_minutes", cpu_minutes), ("slice_cpu_minutes", slice_minutes)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(problem(key, format!("is {value}; it must be above 0")));
            }
        }
        if seeds.is_empty() || variants.is_empty() {
            let message = String::from("needs at least one entry");
            return Err(problem(if seeds.is_empty() { "seeds" } else { "variant" }, message));
        }
        let base = base.map(|base| path.parent().unwrap_or(Path::new("")).join(base));
        let mut runs: Vec<RunPlan> = Vec::new();
        for &seed in &seeds {
            for (index, variant) in variants.iter().enumerate() {
                let name = format!("{}-{seed}", variant.name);
                check_name(&name).map_err(|error| problem("variant.name", error.to_string()))?;
                if runs.iter().any(|run| run.name == name) {
                    return Err(problem("variant", format!("makes two runs {name}")));
                }
                let mut sets = variant.set.clone();
                let stride = if shared_seeds { 0 } else { SEED_STRIDE.wrapping_mul(index as u64) };
                sets.push(format!("train.seed={}", seed.wrapping_add(stride)));
                sets.push(format!("train.cpu_minutes={}", crate::settings::literal(&cpu_minutes)));
                let sources = Sources { file: base.clone(), sets, ..Sources::default() };
                let (variant, config) = (variant.name.clone(), load(&sources)?);
                runs.push(RunPlan { name, variant, seed, config });
            }
        }
        Ok(Self { text, cpu_minutes, slice_minutes, variants, runs })
    }

    pub fn runs(&self) -> impl Iterator<Item = &RunPlan> {
        self.runs.iter()
    }

    /// CPU time of a turn.
    pub fn slice_minutes(&self) -> f64 {
        self.slice_minutes
    }

    /// How many turns each run gets.
    pub fn slices(&self) -> u64 {
        (self.cpu_minutes / self.slice_minutes).ceil().max(1.0) as u64
    }
}
