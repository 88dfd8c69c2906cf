//! A player's strength by the fixed yardstick: a duel against each of the fixed opponents.

use super::duel::{Duel, DuelError, DuelPlan, Factory, duel};
use super::evaluation::StaticEvaluation;
use super::player::PlayerError;
use super::rating::{Estimate, Pentanomial};
use super::settings::ArenaSettings;
use super::spec::{PlayerSpec, make_baseline};
use crate::game::Notation;
use crate::metrics::Progress;
use serde::{Deserialize, Serialize};

/// The fixed opponents, weakest first.
pub const OPPONENTS: [&str; 4] = ["random", "greedy", "alphabeta:2", "alphabeta:4"];

/// A player measured against several opponents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    pub game: String,
    pub player: String,
    /// Visits of a choice, for a player that searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<u32>,
    /// Of the static evaluation behind the opponents: tables of different versions do not compare.
    pub evaluation_version: u32,
    pub seed: u64,
    /// Was the measurement stopped before its end?
    pub interrupted: bool,
    pub rows: Vec<Row>,
}

/// What the player did against one opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub opponent: String,
    pub games: u32,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    pub cut: u32,
    pub pairs: Pentanomial,
    pub mean_plies: f64,
    /// Of the player, then of the opponent.
    pub ms_per_move: [f64; 2],
    pub estimate: Estimate,
}

impl From<Duel> for Row {
    fn from(duel: Duel) -> Self {
        Self {
            opponent: duel.b,
            games: duel.games,
            wins: duel.wins,
            draws: duel.draws,
            losses: duel.losses,
            cut: duel.cut,
            pairs: duel.pairs,
            mean_plies: duel.mean_plies,
            ms_per_move: duel.ms_per_move,
            estimate: duel.estimate,
        }
    }
}

/// Plays a duel against each of `opponents` (baselines: the texts of [`OPPONENTS`] or alike).
pub fn measure<G: StaticEvaluation + Notation>(
    game: &G,
    player: &Factory<'_, G>,
    opponents: &[&str],
    settings: &ArenaSettings,
    plan: &DuelPlan<'_>,
    progress: &dyn Progress,
) -> Result<Ladder, DuelError> {
    let sample = player()?;
    let mut ladder = Ladder {
        game: game.name().to_string(),
        player: sample.name(),
        visits: sample.visits(),
        evaluation_version: G::EVALUATION_VERSION,
        seed: plan.seed,
        interrupted: false,
        rows: Vec::new(),
    };
    drop(sample);
    for opponent in opponents {
        let not_ready =
            |reason: String| PlayerError::NotReady { name: opponent.to_string(), reason };
        let spec: PlayerSpec = opponent.parse().map_err(|error| not_ready(format!("{error}")))?;
        let make = || {
            make_baseline(&spec)
                .ok_or_else(|| not_ready(String::from("a ladder knows the fixed opponents only")))
        };
        let result = duel(game, player, &make, settings, plan, progress)?;
        progress.say(&result.summary());
        ladder.interrupted |= result.interrupted;
        ladder.rows.push(Row::from(result));
        if ladder.interrupted {
            break;
        }
    }
    Ok(ladder)
}

impl Ladder {
    /// The rows as a table with aligned columns.
    pub fn table(&self) -> String {
        let visits = self.visits.map_or(String::new(), |visits| format!(", {visits} visits"));
        let mut out = format!(
            "{} at {}{visits} (static evaluation {})\n",
            self.player, self.game, self.evaluation_version
        );
        let mut rows = vec![
            [
                "opponent", "games", "won", "drawn", "lost", "cut", "score", "95 %", "Elo",
                "plies", "ms/move",
            ]
            .map(String::from),
        ];
        for row in &self.rows {
            let Estimate { score, score_low, score_high, .. } = row.estimate;
            rows.push([
                row.opponent.clone(),
                row.games.to_string(),
                row.wins.to_string(),
                row.draws.to_string(),
                row.losses.to_string(),
                row.cut.to_string(),
                format!("{:.1} %", 100.0 * score),
                format!("{:.1}-{:.1}", 100.0 * score_low, 100.0 * score_high),
                row.estimate.elo_text(),
                format!("{:.0}", row.mean_plies),
                format!("{:.2}", row.ms_per_move[0]),
            ]);
        }
        out.push_str(&aligned(&rows));
        out
    }
}

/// Rows with their columns aligned: the first to the left, the others to the right.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = (0..N)
            .map(|column| match column {
                0 => format!("{:<1$}", row[column], widths[column]),
                _ => format!("{:>1$}", row[column], widths[column]),
            })
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::alphabeta::AlphaBeta;
    use crate::arena::player::Player;
    use crate::arena::toy::Toy;

    fn deep() -> Result<Box<dyn Player<Toy>>, PlayerError> {
        Ok(Box::new(AlphaBeta::new(3)))
    }

    #[test]
    fn a_measurement_is_a_table_and_a_file() {
        let settings = ArenaSettings {
            games: 16,
            opening_plies_min: 2,
            opening_plies_max: 4,
            ..ArenaSettings::default()
        };
        let opponents = ["random", "alphabeta:2"];
        let plan = DuelPlan { seed: 4, ..DuelPlan::default() };
        let ladder = measure(&Toy::default(), &deep, &opponents, &settings, &plan, &()).unwrap();
        assert_eq!(ladder.rows.len(), 2);
        assert!(ladder.rows[0].estimate.score > ladder.rows[1].estimate.score);
        let json = serde_json::to_string(&ladder).unwrap();
        assert_eq!(serde_json::from_str::<Ladder>(&json).unwrap(), ladder);
        let toml = toml::to_string(&ladder).unwrap();
        assert_eq!(toml::from_str::<Ladder>(&toml).unwrap(), ladder);
        let table = ladder.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "alphabeta:3 at toy (static evaluation 1)");
        assert!(lines[1].starts_with("opponent     games  won"), "{table}");
        assert!(lines[3].starts_with("alphabeta:2     16"), "{table}");
    }

    #[test]
    fn an_opponent_that_is_no_baseline_is_named() {
        let settings = ArenaSettings::default();
        let plan = DuelPlan::default();
        let measured = |opponent| {
            measure(&Toy::default(), &deep, &[opponent], &settings, &plan, &())
                .unwrap_err()
                .to_string()
        };
        assert!(measured("gredy").contains("did you mean `greedy`?"));
        assert!(measured("m/x").contains("a ladder knows the fixed opponents only"));
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "10"], ["bcd", "5"]].map(|row| row.map(String::from));
        assert_eq!(aligned(&rows), "a    10\nbcd   5\n");
    }
}
