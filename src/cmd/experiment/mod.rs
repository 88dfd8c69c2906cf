//! `experiment`: variants of a config at equal CPU time, several seeds each, taking turns; a table
//! at the end, and at any time before.

mod exact;
mod plan;
mod table;

use super::exit::{Interrupted, Unusable, Usage};
use super::train::{open, program, settings, with_data};
use super::{game, interrupt, memory};
use crate::arena::rating::rounded;
use crate::config::{Config, Loaded, to_toml};
use crate::disk::{self, atomic};
use crate::metrics::Progress;
use crate::run::layout::check_name;
use crate::run::{Layout, Manifest};
use crate::train::{Finish, train_while};
use crate::ui::progress;
use crate::with_game;
use plan::{Plan, RunPlan};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use table::Table;

/// The experiment's own file in its folder.
const FILE: &str = "experiment.toml";

/// Compare variants of a config at equal CPU time: several seeds each, taking turns, resumable
///
/// The file names a base config, the variants with what they set, the seeds, and the CPU minutes
/// of each run:
///
/// base = "jungle-quick.toml"
/// cpu_minutes = 30
/// seeds = [1, 2, 3]
/// [[variant]]
/// name = "plain"
/// [[variant]]
/// name = "wide"
/// set = ["network.channels=64"]
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ExperimentArgs {
    /// The experiment's file.
    pub file: PathBuf,
    /// Only print the table of what has been done.
    #[arg(long)]
    pub table: bool,
    /// Print the table as JSON, with the curves.
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &ExperimentArgs, data: &Path) -> anyhow::Result<()> {
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    check_name(&stem)?;
    let plan = Plan::load(&args.file)?;
    let folder = data.join(&stem);
    if folder.join("manifest.toml").exists() {
        let text =
            format!("{stem} is a run in {}: give the experiment another name", data.display());
        return Err(Usage(text).into());
    }
    if !args.table {
        // All before any: an experiment should not stop hours later.
        for run in plan.runs() {
            let any = game::build(&run.config)?;
            with_game!(&any, game => memory::check(&run.config, game, 0, &folder))?;
        }
        begin(&folder, &plan)?;
        let stop = interrupt::flag()?;
        let progress = progress::to_stderr();
        let complete = carry_out(&plan, &folder, progress.as_ref(), &stop)?;
        drop(progress);
        if !complete {
            let (program, data) = (program(), with_data(data));
            let file = args.file.display();
            note!("stopped; nothing is lost. Go on with:\n  {program} experiment {file}{data}");
            return Err(Interrupted.into());
        }
    }
    let table = Table::gather(&plan, &folder, data)?;
    if args.json {
        tell!("{}", serde_json::to_string_pretty(&table)?);
    } else {
        tell!("{}", table.text().trim_end());
    }
    Ok(())
}

/// Makes the experiment's folder, or refuses to go on with another experiment of this name.
fn begin(folder: &Path, plan: &Plan) -> anyhow::Result<()> {
    let path = folder.join(FILE);
    if path.exists() {
        if disk::read_text(&path)? != plan.text {
            let path = path.display();
            return Err(Unusable(format!(
                "the file has changed since the experiment was begun ({path} is how it was): give \
                 the changed one another name"
            ))
            .into());
        }
        return Ok(());
    }
    atomic::create_dir_durable(folder)?;
    Ok(atomic::write(&path, plan.text.as_bytes())?)
}

/// Gives every run its turn, slice by slice, until all are complete; false if stopped before.
fn carry_out(
    plan: &Plan,
    folder: &Path,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> anyhow::Result<bool> {
    for slice in 1..=plan.slices() {
        let until = 60.0 * plan.slice_minutes() * slice as f64;
        for run in plan.runs() {
            let layout = Layout::new(folder, &run.name)?;
            let exists = layout.manifest().exists();
            if exists && Manifest::load(&layout.manifest())?.finished {
                continue;
            }
            let minutes = rounded(until / 60.0, 3);
            progress.say(&format!("{}: to {minutes} CPU minutes", run.name));
            // The last slice has no end of its own: the run's budget ends it.
            let until = if slice == plan.slices() { f64::INFINITY } else { until };
            if turn(run, folder, exists, until, progress, stop)? == Finish::Interrupted {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// One run's turn, until it has spent so many CPU seconds.
fn turn(
    run: &RunPlan,
    folder: &Path,
    exists: bool,
    until: f64,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> anyhow::Result<Finish> {
    let loaded: &Loaded<Config> = &run.config;
    let layout = Layout::new(folder, &run.name)?;
    let config = to_toml(&loaded.config)?;
    if exists && disk::read_text(&layout.config())? != config {
        let path = layout.config();
        return Err(Unusable(format!(
            "the config of {} has changed since it was begun ({} is how it was): give the \
             experiment another name",
            run.name,
            path.display()
        ))
        .into());
    }
    let any = game::build(loaded)?;
    with_game!(&any, game => {
        let mut opened = open(game, loaded, folder, &run.name, exists, progress)?;
        let finish = train_while(
            game,
            settings(&loaded.config),
            &opened.layout,
            progress,
            stop,
            &|state| state.spent.cpu_seconds < until,
        )?;
        opened.set_finished(finish == Finish::Complete)?;
        Ok(finish)
    })
}

#[cfg(test)]
mod tests;
