//! `suite`: who finds the one winning move, by visits; and making such suites from tables.

use super::exit::{Unusable, Usage};
use super::game::HouseRules;
use super::players::Contestant;
use super::tables;
use crate::arena::suite::{Puzzle, Quarry, Source, collect, collect_from_games, read, solve};
use crate::endgame::probe::OpenError;
use crate::endgame::{MOST_ANIMALS, Tables};
use crate::game::jungle::{Jungle, PRESETS, Rules};
use crate::game::registry;
use crate::record::shard;
use crate::run::{Layout, Manifest};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The suite that comes with the program, in the data folder.
const OWN: &str = "suites/jungle.jsonl";

/// Let a player look for the one winning move in each position of a suite, or collect a suite
/// from endgame tables or from games of self-play.
#[derive(Clone, Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["player", "collect"])))]
#[command(mut_arg("preset", |arg| arg.help("When collecting from tables: the preset whose positions they are")))]
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
    /// Collect a suite from the tables of a preset, or with `--from` from games, into this file.
    #[arg(long, value_name = "FILE")]
    pub collect: Option<PathBuf>,
    /// When collecting: look among the positions of the games of this run or shard. Where tables
    /// do not know them, a full-width search proves.
    #[arg(long, value_name = "RUN|SHARD", requires = "collect")]
    pub from: Option<String>,
    /// When collecting from games: no other move wins within so many plies, and the one that does
    /// is quicker by two at least.
    #[arg(long, default_value_t = 9, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(3..=31))]
    pub horizon: u32,
    /// When collecting from games: positions looked at before a proof is given up.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub nodes: u64,
    /// When collecting: tables of up to so many animals.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MOST_ANIMALS as i64))]
    pub pieces: u8,
    /// When collecting: positions of each distance.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub each: u32,
    /// When collecting: replace a file that is there.
    #[arg(long, requires = "collect")]
    pub replace: bool,
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
    if path.exists() && !args.replace {
        let path = path.display();
        return Err(Usage(format!(
            "`{path}` exists already: choose another name, or replace it with `--replace`"
        ))
        .into());
    }
    let (puzzles, source) = match &args.from {
        Some(from) => (from_games(args, from, data)?, from.as_str()),
        None => (from_tables(args, data)?, "these tables"),
    };
    if puzzles.is_empty() {
        return Err(Unusable(format!(
            "no position of {source} has exactly one winning move: nothing was written"
        ))
        .into());
    }
    let lines: Result<Vec<String>, _> = puzzles.iter().map(serde_json::to_string).collect();
    crate::disk::atomic::write(path, (lines?.join("\n") + "\n").as_bytes())?;
    let word = if puzzles.len() == 1 { "position" } else { "positions" };
    tell!("{} {word} in {}", puzzles.len(), path.display());
    Ok(())
}

fn from_tables(args: &SuiteArgs, data: &Path) -> anyhow::Result<Vec<Puzzle>> {
    let preset = args.house.preset.as_deref().unwrap_or("standard");
    let game = tables::jungle(args.house.build()?)?;
    if Rules::preset(preset).as_ref() != Some(game.options()) {
        return Err(Usage(String::from("a suite is collected for a preset as it is")).into());
    }
    let tables = Tables::open(&game, data, usize::from(args.pieces)).map_err(tables::opened)?;
    Ok(collect(&game, preset, &tables, args.each as usize, args.seed))
}

fn from_games(args: &SuiteArgs, from: &str, data: &Path) -> anyhow::Result<Vec<Puzzle>> {
    if args.house.is_given() {
        let wrong = "games name their own rules: leave game and rules out";
        return Err(Usage(format!("`--from {from}`: {wrong}")).into());
    }
    let (name, rules, shards) = games_of(from, data)?;
    let rules = rules.as_object().cloned().unwrap_or_default();
    let game = tables::jungle(registry::build(&name, None, &rules)?)?;
    let is_preset = |preset: &&&str| Rules::preset(preset).as_ref() == Some(game.options());
    let Some(preset) = PRESETS.iter().find(is_preset) else {
        let wrong = "was played by rules that are no preset's; a suite names one";
        return Err(Unusable(format!("{from} {wrong}")).into());
    };
    let mut games = Vec::new();
    for path in shards {
        games.extend(shard::read_games(&path, &game)?.games);
    }
    // Without tables the search proves everything.
    let tables = match Tables::open(&game, data, usize::from(args.pieces)) {
        Ok(tables) => Some(tables),
        Err(OpenError::None { .. } | OpenError::Rules(_)) => None,
        Err(error) => return Err(tables::opened(error)),
    };
    let quarry = Quarry { each: args.each as usize, horizon: args.horizon, nodes: args.nodes };
    Ok(collect_from_games(&game, preset, &games, tables.as_ref(), quarry))
}

/// The game, the rule record and the shards of a run (by folder or name) or of one shard file.
fn games_of(from: &str, data: &Path) -> anyhow::Result<(String, Value, Vec<PathBuf>)> {
    for folder in [PathBuf::from(from), data.join(from)] {
        let layout = Layout::at(folder);
        if layout.manifest().exists() {
            let manifest = Manifest::load(&layout.manifest())?;
            let shards = layout.list_shards()?.into_iter().map(|shard| shard.path).collect();
            return Ok((manifest.game.clone(), manifest.rule_record(), shards));
        }
    }
    let path = PathBuf::from(from);
    if !path.is_file() {
        return Err(Usage(format!("{from} is no run and no shard")).into());
    }
    let header = shard::read(&path)?.header;
    let rules = serde_json::from_str(&header.rules).map_err(|error| {
        Unusable(format!("{from}: the rules in its header are no JSON: {error}"))
    })?;
    Ok((header.game, rules, vec![path]))
}

fn ask(args: &SuiteArgs, player: &str, data: &Path) -> anyhow::Result<()> {
    let path = args.file.clone().unwrap_or_else(|| data.join(OWN));
    let (name, text) = (path.display(), crate::disk::read_text(&path)?);
    let puzzles = read(&text).map_err(|error| Unusable(format!("{name}, {error}")))?;
    if puzzles.is_empty() {
        return Err(Unusable(format!("{name} holds no position")).into());
    }
    if args.house.is_given() {
        let wrong = "a suite names the rules of its positions: leave game and rules out";
        return Err(Usage(String::from(wrong)).into());
    }
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
        contestant.brain().map_or(Ok(()), |brain| brain.check(&game))?;
        contestant.open_tables(&game).map_err(tables::opened)?;
        let mut asked = contestant.player(&game)?;
        tell!("{player}, {} positions of {preset}:", own.len());
        for &visits in &args.visits {
            let has_level = asked.set_visits(visits);
            let found = solve(&game, &own, asked.as_mut())?;
            let level = if has_level { format!("{visits} visits") } else { asked.name() };
            tell!("{level:>14}  {}", summary(&own, &found, None));
            for source in [Source::Tables, Source::Selfplay] {
                tell!("{:>14}  {}", source.word(), summary(&own, &found, Some(source)));
            }
            if !has_level {
                break;
            }
        }
    }
    Ok(())
}

/// Shares solved of the puzzles of a source, or of all: together, and by distance.
fn summary(puzzles: &[Puzzle], found: &[bool], source: Option<Source>) -> String {
    let share = |name: &str, from: u32, to: u32| {
        let of = |puzzle: &Puzzle| source.is_none_or(|source| puzzle.source == source);
        let within = puzzles
            .iter()
            .zip(found)
            .filter(|(puzzle, _)| of(puzzle) && (from..=to).contains(&puzzle.plies));
        let (all, solved) =
            within.fold((0, 0), |(all, solved), (_, &found)| (all + 1, solved + u32::from(found)));
        (all > 0).then(|| {
            let percent = 100.0 * f64::from(solved) / f64::from(all);
            format!("{name} {percent:.1} % of {all}")
        })
    };
    let parts = [
        share("all", 0, u32::MAX),
        share("to 5 plies", 0, 5),
        share("7 to 13", 6, 14),
        share("15 to 25", 15, 26),
        share("beyond", 27, u32::MAX),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::from("none in this suite") } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::forced::only_win;
    use crate::game::{Line, Notation};

    fn own() -> (Jungle, Vec<Puzzle>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(OWN);
        let puzzles = read(&crate::disk::read_text(&path).unwrap()).unwrap();
        (Jungle::new(Rules::preset(&puzzles[0].preset).unwrap()).unwrap(), puzzles)
    }

    #[test]
    fn near_wins_of_the_own_suite_are_the_only_ones() {
        let (game, puzzles) = own();
        let mut proven = [0; 2];
        for puzzle in puzzles.iter().filter(|puzzle| puzzle.plies <= 5) {
            let position = game.parse_position(&puzzle.position).unwrap();
            let best = game.parse_action(&position, &puzzle.best).unwrap();
            let line = Line::from_position(&game, position);
            let horizon = 7.min(puzzle.horizon.unwrap_or(7));
            let found = only_win(&line, horizon, 10_000_000).unwrap();
            assert_eq!((found.action, found.plies), (best, puzzle.plies), "{puzzle:?}");
            proven[puzzle.source as usize] += 1;
        }
        assert!(proven[0] >= 40 && proven[1] >= 80, "{proven:?}");
    }

    #[test]
    fn the_own_suite_is_sound() {
        let (game, puzzles) = own();
        let of = |source| puzzles.iter().filter(|puzzle| puzzle.source == source).count();
        let (of_tables, of_games) = (of(Source::Tables), of(Source::Selfplay));
        assert!(of_tables >= 400 && of_games >= 200, "{of_tables} and {of_games}");
        let random = Contestant::load("random", Path::new("none")).unwrap();
        let mut player = random.player(&game).unwrap();
        let found = solve(&game, &puzzles, player.as_mut()).unwrap();
        let share = found.iter().filter(|&&found| found).count() as f64 / found.len() as f64;
        assert!(share < 0.5, "{share}");
    }
}
