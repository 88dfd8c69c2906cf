//! `menagerie runs`: what runs there are, and what they are doing.

use crate::run::{RunEntry, RunState, list};
use std::io::Write;
use std::path::Path;

/// List the runs
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Prints the runs of the data folder.
pub fn run(args: &Args, data: &Path) -> anyhow::Result<()> {
    write(args, data, &mut std::io::stdout().lock())
}

fn write(args: &Args, data: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let runs = list(data)?;
    if args.json {
        for run in &runs {
            writeln!(out, "{}", serde_json::to_string(run)?)?;
        }
    } else if runs.is_empty() {
        writeln!(out, "no runs in {}; `menagerie train` begins one", data.display())?;
    } else {
        for line in table(&runs) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn table(runs: &[RunEntry]) -> Vec<String> {
    let head = ["run", "game", "rules", "steps", "games", "champion", "created", "state"];
    let mut rows = vec![head.map(String::from)];
    rows.extend(runs.iter().map(row));
    let mut widths = [0; 8];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; 8]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

fn row(run: &RunEntry) -> [String; 8] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| String::from("-"));
    [
        run.name.clone(),
        or_dash(run.game.clone()),
        or_dash(run.preset.clone()),
        or_dash(run.step.map(|step| step.to_string())),
        run.games.to_string(),
        or_dash(run.champion.map(|champion| format!("step {}", champion.step))),
        or_dash(run.created.clone()),
        match &run.state {
            RunState::Running(holder) => format!("running ({holder})"),
            RunState::Stopped => String::from("stopped"),
            RunState::Finished => String::from("finished"),
            RunState::Damaged(why) => {
                format!("damaged: {}", why.lines().next().unwrap_or_default())
            }
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Run, example_manifest};

    fn printed(data: &std::path::Path, json: bool) -> String {
        let mut out = Vec::new();
        write(&Args { json }, data, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn runs_are_listed_for_people_and_programs() {
        let data = tempfile::tempdir().unwrap();
        assert!(printed(data.path(), false).starts_with("no runs in "));
        assert_eq!(printed(data.path(), true), "");
        let run = Run::create(data.path(), "first-run", &example_manifest(), "").unwrap();
        let text = printed(data.path(), false);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("run        game  rules     steps  games  champion  created"));
        assert!(lines[1].starts_with("first-run  heap  standard  -      0      -         20"));
        assert!(lines[1].contains("running (process "), "{text}");
        drop(run);
        let json: serde_json::Value = serde_json::from_str(&printed(data.path(), true)).unwrap();
        assert_eq!((&json["name"], &json["state"]), (&"first-run".into(), &"stopped".into()));
    }
}
