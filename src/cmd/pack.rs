//! `pack` and `unpack`: a run in one file, to go on with elsewhere.

use super::exit::Usage;
use super::status::{located, parted};
use super::train::{program, with_data};
use crate::run::{self, Run};
use std::path::{Path, PathBuf};

/// Pack a run into one file: what it needs to go on, to the bit, and what it measured
#[derive(Clone, Debug, clap::Args)]
pub struct PackArgs {
    /// The run, by folder or name; it must not be running.
    pub run: String,
    /// The file to write.
    pub file: PathBuf,
    /// Replace a file that is there.
    #[arg(long)]
    pub replace: bool,
}

/// Unpack a run that `pack` has packed
#[derive(Clone, Debug, clap::Args)]
pub struct UnpackArgs {
    /// The packed run.
    pub file: PathBuf,
    /// Name of the run here; the one it had if absent.
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
}

pub fn pack(args: &PackArgs, data: &Path) -> anyhow::Result<()> {
    let layout = located(data, &args.run)?;
    if args.file.exists() && !args.replace {
        let file = args.file.display();
        return Err(Usage(format!(
            "`{file}` exists already: choose another name, or replace it with `--replace`"
        ))
        .into());
    }
    let (data, name) = parted(&layout);
    let run = Run::open(data, &name)?;
    let packed = run::pack(&run.layout, &name, &args.file)?;
    tell!(
        "{}: {} files, {:.1} MB packed into {:.1} MB",
        args.file.display(),
        packed.files,
        packed.bytes as f64 / 1e6,
        packed.packed_bytes as f64 / 1e6
    );
    Ok(())
}

pub fn unpack(args: &UnpackArgs, data: &Path) -> anyhow::Result<()> {
    let packed = run::unpack(&args.file, data, args.run.as_deref())?;
    let name = &packed.name;
    tell!("{name}: {} files, {:.1} MB", packed.files, packed.bytes as f64 / 1e6);
    tell!("Go on with:\n  {} train --run {name}{}", program(), with_data(data));
    Ok(())
}
