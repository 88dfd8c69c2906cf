//! `check`: replays case files against the rules engine.

use crate::game::{check, registry};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// Replay case files (JSON lines) against the rules engine.
#[derive(Clone, Debug, clap::Args)]
pub struct CheckArgs {
    /// Case files, or folders whose `*.jsonl` files, deeper ones too, are meant.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Check the cases of this game only.
    #[arg(long)]
    pub game: Option<String>,
}

/// Prints a line for each mismatch and each file; `true` if nothing disagreed. An error if there
/// was nothing to check.
pub fn run(args: &CheckArgs) -> anyhow::Result<bool> {
    if let Some(game) = &args.game {
        registry::presets(game)?;
    }
    let (mut agrees, mut checked) = (true, 0);
    for path in case_files(&args.paths)? {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read the case file {}", path.display()))?;
        let report = check::check(&path.display().to_string(), &text, args.game.as_deref());
        for mismatch in &report.mismatches {
            tell!("{mismatch}");
        }
        tell!("{report}");
        agrees &= report.mismatches.is_empty();
        checked += report.checked;
    }
    if checked == 0 {
        let of = args.game.as_ref().map_or(String::new(), |game| format!(" of {game}"));
        bail!("nothing was checked: there is no case{of} in what was named");
    }
    Ok(agrees)
}

/// The files of `paths`, folders replaced by the case files in them and below them, sorted.
fn case_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = in_folder(path)?;
        if found.is_empty() {
            bail!("the folder {} has no case files (`*.jsonl`)", path.display());
        }
        files.extend(found);
    }
    Ok(files)
}

fn in_folder(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read = || format!("cannot read the folder {}", folder.display());
    let mut files = Vec::new();
    for entry in folder.read_dir().with_context(read)? {
        let entry = entry.with_context(read)?;
        let path = entry.path();
        // A link to a folder is not followed: it may lead back.
        if entry.file_type().with_context(read)?.is_dir() {
            files.extend(in_folder(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(path: &Path, game: Option<&str>) -> CheckArgs {
        CheckArgs { paths: vec![path.into()], game: game.map(Into::into) }
    }

    #[test]
    fn agreement_and_disagreement() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(&args(folder.path(), None)).unwrap_err().to_string();
        assert!(error.contains("no case files"), "{error}");
        let file = folder.path().join("x.jsonl");
        let case = r#"{"game":"jungle","start":"start","actions":[],"legal_counts":[],"end":"END","outcome":null}"#;
        std::fs::write(&file, case).unwrap();
        assert!(!run(&args(folder.path(), None)).unwrap());
        std::fs::write(
            &file,
            case.replace("END", crate::game::jungle::Rules::default().setup.as_str()),
        )
        .unwrap();
        assert!(run(&args(&file, Some("jungle"))).unwrap());
        assert!(run(&args(&file, Some("jumble"))).is_err());
        let error = run(&args(&file, Some("celestial"))).unwrap_err().to_string();
        assert!(error.starts_with("nothing was checked") && error.contains("celestial"), "{error}");
        std::fs::write(&file, "\n").unwrap();
        let error = run(&args(&file, None)).unwrap_err().to_string();
        assert!(error.starts_with("nothing was checked"), "{error}");
        assert!(run(&args(&folder.path().join("none.jsonl"), None)).is_err());
    }
}
