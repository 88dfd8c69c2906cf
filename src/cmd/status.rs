//! `status`: how a run is doing, in plain words.

use super::train::{program, with_data};
use crate::config::{Config, Loaded, Sources, load};
use crate::disk::DiskError;
use crate::run::{Layout, Manifest, RunError, RunState, list};
use crate::train::Status;
use crate::ui::status::status_text;
use std::path::Path;

/// Say how a run is doing: how far it is, what its figures mean, how strong it is, what to do next
#[derive(Clone, Debug, clap::Args)]
pub struct StatusArgs {
    /// The run, by folder or name.
    pub run: String,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &StatusArgs, data: &Path) -> anyhow::Result<()> {
    tell!("{}", told(args, data)?.trim_end());
    Ok(())
}

fn told(args: &StatusArgs, data: &Path) -> anyhow::Result<String> {
    let layout = located(data, &args.run)?;
    let (data, name) = parted(&layout);
    let manifest = Manifest::load(&layout.manifest())?;
    let loaded: Loaded<Config> =
        load(&Sources { file: Some(layout.config()), ..Sources::default() })?;
    let config = loaded.config;
    let games = u64::from(config.selfplay.games);
    let status = Status::gather(&layout, &config.train, games)?;
    let state = list(data)?.into_iter().find(|run| run.name == name).map(|run| run.state);
    if args.json {
        let mut json = serde_json::to_value(&status)?;
        json["run"] = name.into();
        json["game"] = manifest.game.into();
        json["state"] = serde_json::to_value(&state)?;
        json["ancestry"] = serde_json::to_value(&manifest.ancestry)?;
        return Ok(serde_json::to_string_pretty(&json)? + "\n");
    }
    let doing = match &state {
        Some(RunState::Running(holder)) => format!("running now ({holder})"),
        Some(RunState::Finished) => String::from("finished"),
        Some(RunState::Damaged(why)) => format!("damaged: {why}"),
        _ => String::from("stopped"),
    };
    let mut text = format!("The run {name} of {}, {doing}.\n", manifest.game);
    for ancestor in manifest.ancestry.iter().take(1) {
        text += &format!("It was forked from {ancestor}.\n");
    }
    let (program, data) = (program(), with_data(data));
    let next = match &state {
        Some(RunState::Running(_)) => String::from("wait, or stop it with Ctrl-C where it runs"),
        _ if status.over => format!("{program} play {name}{data}"),
        _ => format!("{program} train --run {name}{data}"),
    };
    Ok(format!("{text}\n{}\nNext: {next}\n", status_text(&status)))
}

/// The layout of a run given by its folder or, as in [`existing`], by its name.
pub fn located(data: &Path, what: &str) -> anyhow::Result<Layout> {
    let folder = Layout::at(what);
    if !folder.manifest().exists() {
        return existing(data, what);
    }
    // A folder given as `.` has a name, too.
    let root = folder.root().canonicalize().map_err(DiskError::on("find", folder.root()))?;
    Ok(Layout::at(root))
}

/// The data folder and the name of a run that is there.
pub fn parted(layout: &Layout) -> (&Path, String) {
    let root = layout.root();
    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (root.parent().unwrap_or(Path::new(".")), name)
}

/// The layout of a run that is there; else an error that names those that are.
pub fn existing(data: &Path, name: &str) -> anyhow::Result<Layout> {
    let layout = Layout::new(data, name)?;
    if !layout.manifest().exists() {
        let known = list(data)?.into_iter().map(|run| run.name).collect();
        let (name, data) = (name.to_string(), data.to_path_buf());
        return Err(RunError::Missing { name, data, known }.into());
    }
    Ok(layout)
}
