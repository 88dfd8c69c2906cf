//! `suite`: who finds the one winning move, by visits; and making such suites from tables.

use super::exit::{Unusable, Usage};
use super::game::HouseRules;
use super::players::Contestant;
use super::tables;
use crate::arena::suite::{Puzzle, collect, read, solve};
use crate::endgame::{MOST_ANIMALS, Tables};
use crate::game::jungle::{Jungle, Rules};
use std::path::{Path, PathBuf};

/// The suite that comes with the program, in the data folder.
const OWN: &str = "suites/jungle.jsonl";

/// Let a player look for the one winning move in each position of a suite, or collect a suite
/// from endgame tables.
#[derive(Clone, Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["player", "collect"])))]
pub struct SuiteArgs {
    /// The player, written as for `match`.
    #[arg(value_name = "PLAYER")]
    pub player: Option<String>,
    /// Visits for a move, for players that have such a level.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    pub visits: Vec<u32>,
    /// The suite; `suites/jungle.jsonl` in the data folder if absent.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Collect a suite from the tables of a preset into this file.
    #[arg(long, value_name = "FILE")]
    pub collect: Option<PathBuf>,
    /// When collecting: tables of up to so many animals.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MOST_ANIMALS as i64))]
    pub pieces: u8,
    /// When collecting: positions of each distance.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub each: u32,
    /// When collecting: names the sample.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Prints the share solved, or writes a suite.
pub fn run(args: &SuiteArgs, data: &Path) -> anyhow::Result<()> {
    match (&args.player, &args.collect) {
        (Some(player), _) => ask(args, player, data),
        (None, Some(path)) => make(args, path, data),
        (None, None) => Err(Usage(String::from("a player or `--collect FILE` is needed")).into()),
    }
}

fn make(args: &SuiteArgs, path: &Path, data: &Path) -> anyhow::Result<()> {
    let preset = args.house.overrides.preset.as_deref().unwrap_or("standard");
    let game = tables::jungle(args.house.build()?)?;
    if Rules::preset(preset).as_ref() != Some(game.options()) {
        return Err(Usage(String::from("a suite is collected for a preset as it is")).into());
    }
    let tables = Tables::open(&game, data, usize::from(args.pieces)).map_err(tables::opened)?;
    let puzzles = collect(&game, preset, &tables, args.each as usize, args.seed);
    let lines: Result<Vec<String>, _> = puzzles.iter().map(serde_json::to_string).collect();
    crate::disk::atomic::write(path, (lines?.join("\n") + "\n").as_bytes())?;
    tell!("{} positions in {}", puzzles.len(), path.display());
    Ok(())
}

fn ask(args: &SuiteArgs, player: &str, data: &Path) -> anyhow::Result<()> {
    let path = args.file.clone().unwrap_or_else(|| data.join(OWN));
    let (name, text) = (path.display(), crate::disk::read_text(&path)?);
    let puzzles = read(&text).map_err(|error| Unusable(format!("{name}, {error}")))?;
    let contestant = Contestant::load(player, data)?;
    let mut presets: Vec<&str> = puzzles.iter().map(|puzzle| puzzle.preset.as_str()).collect();
    presets.sort_unstable();
    presets.dedup();
    for preset in presets {
        let rules = Rules::preset(preset)
            .ok_or_else(|| Unusable(format!("{name}: there is no preset `{preset}`")))?;
        let game = Jungle::new(rules)?;
        let own: Vec<Puzzle> =
            puzzles.iter().filter(|puzzle| puzzle.preset == preset).cloned().collect();
        let mut asked = contestant.player(&game)?;
        tell!("{player}, {} positions of {preset}:", own.len());
        for &visits in &args.visits {
            let has_level = asked.set_visits(visits);
            let found = solve(&game, &own, asked.as_mut())?;
            let level = if has_level { format!("{visits} visits") } else { asked.name() };
            tell!("{level:>14}  {}", summary(&own, &found));
            if !has_level {
                break;
            }
        }
    }
    Ok(())
}

/// Shares solved: all, and by distance.
fn summary(puzzles: &[Puzzle], found: &[bool]) -> String {
    let share = |name: &str, from: u32, to: u32| {
        let within = puzzles.iter().zip(found).filter(|(p, _)| (from..=to).contains(&p.plies));
        let (all, solved) =
            within.fold((0, 0), |(all, solved), (_, &found)| (all + 1, solved + u32::from(found)));
        (all > 0).then(|| format!("{name} {:.1} %", 100.0 * f64::from(solved) / f64::from(all)))
    };
    let parts = [
        share("all", 0, u32::MAX),
        share("to 5 plies", 0, 5),
        share("7 to 13", 6, 14),
        share("15 to 25", 15, 26),
        share("beyond", 27, u32::MAX),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_suite_is_sound() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(OWN);
        let puzzles = read(&crate::disk::read_text(&path).unwrap()).unwrap();
        assert!(puzzles.len() >= 200, "{}", puzzles.len());
        let game = Jungle::new(Rules::preset(&puzzles[0].preset).unwrap()).unwrap();
        let random = Contestant::load("random", Path::new("none")).unwrap();
        let mut player = random.player(&game).unwrap();
        let found = solve(&game, &puzzles, player.as_mut()).unwrap();
        let share = found.iter().filter(|&&found| found).count() as f64 / found.len() as f64;
        assert!(share < 0.5, "{share}");
    }
}
