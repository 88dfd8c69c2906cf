//! Tactical suites: positions with exactly one winning move, and who finds it.
//!
//! Puzzles come from endgame tables, which know all moves exactly, or from games that were played.
//! Of the latter those that tables do not know are proven by full-width search: the one move wins
//! by force, and no other does within a horizon that the puzzle names.

use super::forced;
use super::player::{Player, PlayerError};
use crate::endgame::{Exact, MOST_ANIMALS, Tables, Value};
use crate::game::jungle::{Jungle, Position};
use crate::game::{Game, History, Line, Notation, Side};
use crate::record::Replayed;
use crate::rng;
use rand::RngExt;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// With fewer moves to choose from a position is no puzzle.
const FEWEST_MOVES: usize = 4;
/// Entries looked at for each puzzle wanted.
const TRIES: usize = 200_000;

/// Where a puzzle's position comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Drawn from endgame tables.
    #[default]
    Tables,
    /// Met in a game of self-play.
    Selfplay,
}

impl Source {
    /// `tables`, `selfplay`.
    pub fn word(self) -> &'static str {
        match self {
            Source::Tables => "tables",
            Source::Selfplay => "selfplay",
        }
    }
}

/// A position with one winning move: a line of a suite file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// The rule set's preset.
    pub preset: String,
    pub position: String,
    /// The one move that wins.
    pub best: String,
    /// Plies to the end when the winner hurries and the loser holds out.
    pub plies: u32,
    #[serde(default)]
    pub source: Source,
    /// No other move wins within so many plies; without a number tables say that none wins at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<u32>,
}

/// A line that is no puzzle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SuiteError {
    pub line: usize,
    pub problem: String,
}

/// Reads the puzzles of a file, a JSON object on each line.
pub fn read(text: &str) -> Result<Vec<Puzzle>, SuiteError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let wrong = |error: serde_json::Error| SuiteError {
                line: index + 1,
                problem: format!("`{line}` is no puzzle: {error}"),
            };
            serde_json::from_str(line).map_err(wrong)
        })
        .collect()
}

/// Up to `each` puzzles of every distance, at random from all tables, the shortest first. Only
/// positions held out from training.
pub fn collect(
    game: &Jungle,
    preset: &str,
    tables: &Tables,
    each: usize,
    seed: u64,
) -> Vec<Puzzle> {
    let held = tables.held();
    let mut stream = rng::stream(seed, "suite", 0);
    let mut found: BTreeMap<u32, Vec<Puzzle>> = BTreeMap::new();
    let mut seen = FxHashSet::default();
    for _ in 0..if held.is_empty() { 0 } else { TRIES * each } {
        let table = &held[stream.random_range(0..held.len())];
        let side = Side::BOTH[stream.random_range(0..2)];
        let entry = stream.random_range(0..table.entries());
        let Some(Exact { value: Value::Win, plies }) = table.exact(side, entry) else { continue };
        let of_distance = found.entry(plies).or_default();
        if of_distance.len() >= each {
            continue;
        }
        let Some(position) = table.position(game, side, entry) else { continue };
        if game.is_reserved(&position)
            && seen.insert(position.key())
            && let Some(best) = only_win(game, tables, &position)
        {
            of_distance.push(Puzzle {
                preset: preset.into(),
                position: game.position_text(&position),
                best: game.action_text(&position, best),
                plies,
                source: Source::Tables,
                horizon: None,
            });
        }
    }
    found.into_values().flatten().collect()
}

/// How puzzles are found in games.
#[derive(Clone, Copy, Debug)]
pub struct Quarry {
    /// Puzzles of each distance.
    pub each: usize,
    /// Every other move is proven not to win within so many plies, and the one that wins is
    /// quicker by two at least.
    pub horizon: u32,
    /// Positions that may be looked at for one proof.
    pub nodes: u64,
}

/// Puzzles among the positions of games, the shortest first: of each game at most one of a
/// distance. Positions of so few animals that tables can have them are taken only if they are
/// reserved for measuring; where `tables` know them these prove, elsewhere a search does.
pub fn collect_from_games(
    game: &Jungle,
    preset: &str,
    games: &[Replayed<Jungle>],
    tables: Option<&Tables>,
    quarry: Quarry,
) -> Vec<Puzzle> {
    let mut found: BTreeMap<u32, Vec<Puzzle>> = BTreeMap::new();
    let mut seen = FxHashSet::default();
    for replayed in games {
        let mut of_game = FxHashSet::default();
        let mut line = replayed.line(game);
        let mut lines = vec![line.clone()];
        for &action in &replayed.actions {
            line.play(action);
            lines.push(line.clone());
        }
        for line in lines.iter().skip(replayed.opening_plies as usize) {
            let position = line.position();
            let few = Side::BOTH.map(|side| position.squares(side).count_ones());
            let in_tables = (few[0] + few[1]) as usize <= MOST_ANIMALS;
            if in_tables && !game.is_reserved(position) || !seen.insert(position.key()) {
                continue;
            }
            let Some((best, plies, horizon)) = only_win_of(line, tables, quarry) else { continue };
            let of_distance = found.entry(plies).or_default();
            if of_distance.len() < quarry.each && of_game.insert(plies) {
                of_distance.push(Puzzle {
                    preset: preset.into(),
                    position: game.position_text(position),
                    best: game.action_text(position, best),
                    plies,
                    source: Source::Selfplay,
                    horizon,
                });
            }
        }
    }
    found.into_values().flatten().collect()
}

/// The one winning move of a position met in a game, its distance, and the horizon of its proof.
fn only_win_of(
    line: &Line<Jungle>,
    tables: Option<&Tables>,
    quarry: Quarry,
) -> Option<(<Jungle as Game>::Action, u32, Option<u32>)> {
    let (game, position) = (line.game(), line.position());
    if let Some((tables, exact)) = tables.and_then(|tables| Some((tables, tables.probe(position)?)))
    {
        let best = only_win(game, tables, position)?;
        return Some((best, exact.plies, None));
    }
    // A puzzle is its position alone: what was played before must not matter.
    let line = Line::from_position(game, position.clone());
    if line.legal().len() < FEWEST_MOVES {
        return None;
    }
    let only = forced::only_win(&line, quarry.horizon, quarry.nodes)?;
    Some((only.action, only.plies, Some(quarry.horizon)))
}

/// The one move that wins, if there is exactly one and enough to choose from.
fn only_win(
    game: &Jungle,
    tables: &Tables,
    position: &Position,
) -> Option<<Jungle as Game>::Action> {
    game.outcome(position, &History::default()).is_none().then_some(())?;
    let moves = tables.moves(position);
    let winning = |exact: Option<Exact>| exact.is_some_and(|exact| exact.value == Value::Win);
    let known = moves.len() >= FEWEST_MOVES && moves.iter().all(|(_, exact)| exact.is_some());
    (known && winning(moves[0].1) && !winning(moves[1].1)).then_some(moves[0].0)
}

/// For each puzzle, whether the player finds the move.
pub fn solve(
    game: &Jungle,
    puzzles: &[Puzzle],
    player: &mut dyn Player<Jungle>,
) -> Result<Vec<bool>, SolveError> {
    puzzles
        .iter()
        .enumerate()
        .map(|(index, puzzle)| {
            let wrong = |error: crate::game::TextError| SuiteError {
                line: index + 1,
                problem: error.to_string(),
            };
            let position = game.parse_position(&puzzle.position).map_err(wrong)?;
            let best = game.parse_action(&position, &puzzle.best).map_err(wrong)?;
            player.begin(0);
            Ok(player.choose(&Line::from_position(game, position))?.action == best)
        })
        .collect()
}

/// Why a suite could not be played.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    #[error(transparent)]
    Suite(#[from] SuiteError),
    #[error(transparent)]
    Player(#[from] PlayerError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::alphabeta::AlphaBeta;
    use crate::endgame::{Signature, solve};
    use crate::game::jungle::Rules;

    #[test]
    fn puzzles_have_one_winning_move_and_deep_search_finds_near_ones() {
        let game = Jungle::new(Rules::default()).unwrap();
        let mut tables = Tables::new(&game).unwrap();
        let book = tables.book().clone();
        for name in ["Evl", "Evr", "Lvr", "ELvr"] {
            let signature = book.canonical(&Signature::parse(name).unwrap()).0;
            tables.insert(solve::solve(&book, &signature, &tables, 1, &()).unwrap());
        }
        let puzzles = collect(&game, "standard", &tables, 8, 1);
        assert!(puzzles.len() > 20, "{}", puzzles.len());
        for puzzle in &puzzles {
            let position = game.parse_position(&puzzle.position).unwrap();
            let exact = tables.probe(&position).unwrap();
            assert_eq!((exact.value, exact.plies), (Value::Win, puzzle.plies));
        }
        let near: Vec<Puzzle> = puzzles.into_iter().filter(|puzzle| puzzle.plies <= 5).collect();
        let found = super::solve(&game, &near, &mut AlphaBeta::new(6)).unwrap();
        assert!(near.len() > 5 && found.iter().all(|&found| found), "{found:?}");
        let lines: Vec<String> =
            near.iter().map(|puzzle| serde_json::to_string(puzzle).unwrap()).collect();
        assert_eq!(read(&lines.join("\n")).unwrap(), near);
        let error = read(&format!("{}\n{{}}", lines[0])).unwrap_err().to_string();
        assert!(error.starts_with("line 2: `{}` is no puzzle"), "{error}");
    }

    #[test]
    fn puzzles_of_games_are_proven_and_named() {
        use crate::record::End;
        let game = Jungle::new(Rules::default()).unwrap();
        // Games between greedy players that blunder now and then hold some.
        let mut games = Vec::new();
        for index in 0..30 {
            let mut stream = rng::stream(6, "suite test", index);
            let mut player = crate::arena::baseline::Greedy::default();
            Player::<Jungle>::begin(&mut player, index);
            let mut line = Line::start(&game);
            let mut actions = Vec::new();
            while line.outcome().is_none() && line.ply() < 120 {
                let legal = line.legal();
                let action = if stream.random_range(0..4) == 0 {
                    legal[stream.random_range(0..legal.len())]
                } else {
                    player.choose(&line).unwrap().action
                };
                line.play(action);
                actions.push(action);
            }
            let (start, end) = (game.start(), End::Cut);
            let searched = Vec::new();
            games.push(Replayed {
                index,
                generation: 0,
                opening_plies: 0,
                start,
                actions,
                searched,
                end,
            });
        }
        let quarry = Quarry { each: 6, horizon: 5, nodes: 50_000 };
        let puzzles = collect_from_games(&game, "standard", &games, None, quarry);
        assert!(puzzles.len() > 6, "{}", puzzles.len());
        for puzzle in &puzzles {
            assert_eq!((puzzle.source, puzzle.horizon), (Source::Selfplay, Some(5)));
            assert!(puzzle.plies <= 3, "{puzzle:?}");
        }
        let found = super::solve(&game, &puzzles, &mut AlphaBeta::new(4)).unwrap();
        assert!(found.iter().all(|&found| found), "{found:?}");
    }
}
