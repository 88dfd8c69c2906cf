//! What an experiment found: every run against the fixed opponents at the end of its CPU time,
//! every variant over its seeds, and each variant against the first.

use super::exact::{self, Truth};
use super::plan::Plan;
use crate::arena::ladder::{Ladder, aligned};
use crate::arena::pooled::{Mean, Pooled, pool};
use crate::arena::rating::Estimate;
use crate::metrics::journal;
use crate::run::Layout;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// All figures, as they go to JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    pub cpu_minutes: f64,
    pub runs: Vec<RunRow>,
    pub variants: Vec<VariantRow>,
}

/// A run at its newest measurement.
#[derive(Clone, Debug, Serialize)]
pub struct RunRow {
    pub run: String,
    pub variant: String,
    pub seed: u64,
    pub complete: bool,
    /// CPU minutes of self-play and learning, with generations, games and steps done by then.
    pub cpu_minutes: f64,
    pub generations: u64,
    pub games: u64,
    pub steps: u64,
    pub scores: Vec<Against>,
    /// Every measurement: CPU minutes, and the score against each opponent.
    pub curve: Vec<Point>,
    /// Against endgame tables, where the rules have them.
    pub truth: Option<Truth>,
    /// Mean over the opponents.
    #[serde(skip)]
    mean: Option<Mean>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Against {
    pub opponent: String,
    #[serde(flatten)]
    pub estimate: Estimate,
    #[serde(skip)]
    mean: Mean,
}

#[derive(Clone, Debug, Serialize)]
pub struct Point {
    pub cpu_minutes: f64,
    pub scores: Vec<f64>,
}

/// A variant over its seeds.
#[derive(Clone, Debug, Serialize)]
pub struct VariantRow {
    pub variant: String,
    /// Against each opponent.
    pub opponents: Vec<PooledAgainst>,
    /// Mean score over all opponents.
    pub overall: Pooled,
    /// That mean less the first variant's, seed by seed, and half the width of its 95 % interval;
    /// absent for the first.
    pub difference: Option<(f64, f64)>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PooledAgainst {
    pub opponent: String,
    #[serde(flatten)]
    pub pooled: Pooled,
}

impl Table {
    /// Looks at the runs in the experiment's folder; those not yet measured are left out. Endgame
    /// tables lie under `data`.
    pub fn gather(plan: &Plan, folder: &Path, data: &Path) -> anyhow::Result<Self> {
        let mut runs = Vec::new();
        for run in plan.runs() {
            let layout = Layout::new(folder, &run.name)?;
            let entries = journal::read(&layout.metrics().join("ladder.jsonl"))?;
            let Some(last) = entries.last() else { continue };
            let finished = crate::run::Manifest::load(&layout.manifest())?.finished;
            let scores = against(last)?;
            let means: Vec<Mean> = scores.iter().map(|score| score.mean).collect();
            runs.push(RunRow {
                run: run.name.clone(),
                variant: run.variant.clone(),
                seed: run.seed,
                complete: finished,
                cpu_minutes: last["cpu_seconds"].as_f64().unwrap_or(0.0) / 60.0,
                generations: last["generation"].as_u64().unwrap_or(0),
                games: last["games"].as_u64().unwrap_or(0),
                steps: last["steps"].as_u64().unwrap_or(0),
                mean: (!means.is_empty()).then(|| Mean::of(&means)),
                scores,
                curve: entries.iter().map(point).collect(),
                truth: exact::measure(run, folder, data, exact::ANIMALS)?,
            });
        }
        let names = plan.variants.iter().map(|variant| variant.name.as_str());
        let first = plan.variants[0].name.as_str();
        let variants = names.filter_map(|name| variant_row(name, first, &runs)).collect();
        Ok(Self { cpu_minutes: plan.cpu_minutes, runs, variants })
    }

    /// For people.
    pub fn text(&self) -> String {
        if self.runs.is_empty() {
            return String::from("nothing has been measured yet\n");
        }
        let mut text = format!(
            "Each run at {} CPU minutes of self-play and learning; scores in a hundred games, with \
             the 95 % interval\n\n",
            self.cpu_minutes
        );
        let opponents: Vec<&str> =
            self.runs[0].scores.iter().map(|score| score.opponent.as_str()).collect();
        let scores = |cells: Vec<String>| cells.join("   ");
        let heads = opponents.iter().map(|name| format!("{name:>15}"));
        let head = scores(heads.collect());
        let mut rows =
            vec![["run", "CPU min", "generations", "games", "steps", &head].map(String::from)];
        for run in &self.runs {
            let cells = run.scores.iter().map(|score| interval(&score.estimate));
            rows.push([
                if run.complete { run.run.clone() } else { format!("{} (not done)", run.run) },
                format!("{:.2}", run.cpu_minutes),
                run.generations.to_string(),
                run.games.to_string(),
                run.steps.to_string(),
                scores(cells.collect()),
            ]);
        }
        text += &aligned(&rows);
        text += "\nEach variant over its seeds\n\n";
        let mut rows = vec![["variant", "seeds", &head, "mean", "to the first"].map(String::from)];
        for variant in &self.variants {
            let cell = |pooled: &Pooled| interval(&pooled.estimate);
            rows.push([
                variant.variant.clone(),
                variant.overall.runs.to_string(),
                scores(variant.opponents.iter().map(|row| cell(&row.pooled)).collect()),
                cell(&variant.overall),
                variant.difference.map_or(String::from("-"), difference),
            ]);
        }
        text += &aligned(&rows);
        text += &self.truth_text();
        text += "\nElo against each opponent\n\n";
        for variant in &self.variants {
            let cells = variant
                .opponents
                .iter()
                .map(|row| format!("{} {}", row.opponent, row.pooled.estimate.elo_text()));
            text += &format!("{}: {}\n", variant.variant, cells.collect::<Vec<_>>().join(", "));
        }
        text
    }
}

impl Table {
    /// The rows about endgame tables; empty where there are none.
    fn truth_text(&self) -> String {
        let known = self.runs.iter().filter_map(|run| Some((run, run.truth?)));
        let mut rows: Vec<[String; 4]> = known
            .map(|(run, truth)| {
                let Truth { positions, sign, policy } = truth;
                let share = |share: f64| format!("{:.1} %", 100.0 * share);
                [run.run.clone(), positions.to_string(), share(sign), share(policy)]
            })
            .collect();
        if rows.is_empty() {
            return String::new();
        }
        rows.insert(0, ["run", "positions", "sign", "policy"].map(String::from));
        format!("\nThe raw network against endgame tables\n\n{}", aligned(&rows))
    }
}

fn interval(estimate: &Estimate) -> String {
    let Estimate { score, score_low, score_high, .. } = estimate;
    format!("{:5.1} {:>4.1}-{:<5.1}", 100.0 * score, 100.0 * score_low, 100.0 * score_high)
}

fn difference((value, reach): (f64, f64)) -> String {
    let verdict = if value.abs() <= reach { "no difference seen" } else { "a difference" };
    format!("{:+.1} ± {:.1}: {verdict}", 100.0 * value, 100.0 * reach)
}

/// A measurement's scores against its opponents.
fn against(entry: &Value) -> anyhow::Result<Vec<Against>> {
    let ladder: Ladder = serde_json::from_value(entry["ladder"].clone())?;
    let rows = ladder.rows.into_iter().map(|row| Against {
        opponent: row.opponent,
        estimate: row.estimate,
        mean: Mean::of_pairs(&row.pairs),
    });
    Ok(rows.collect())
}

fn point(entry: &Value) -> Point {
    let rows = entry["ladder"]["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let score = |row: &Value| row["estimate"]["score"].as_f64().unwrap_or(0.0);
    let cpu_minutes = entry["cpu_seconds"].as_f64().unwrap_or(0.0) / 60.0;
    Point { cpu_minutes, scores: rows.iter().map(score).collect() }
}

fn variant_row(name: &str, first: &str, runs: &[RunRow]) -> Option<VariantRow> {
    let of = |variant: &str| -> Vec<&RunRow> {
        runs.iter().filter(|run| run.variant == variant && run.mean.is_some()).collect()
    };
    let (mine, firsts) = (of(name), of(first));
    let scores = &mine.first()?.scores;
    let opponents = scores.iter().enumerate().map(|(column, score)| {
        let means = mine.iter().filter_map(|run| Some(run.scores.get(column)?.mean));
        let pooled = Pooled::of(&means.collect::<Vec<_>>());
        PooledAgainst { opponent: score.opponent.clone(), pooled }
    });
    let means: Vec<Mean> = mine.iter().filter_map(|run| run.mean).collect();
    // The same seed has the same openings: what both owe to them cancels.
    let differences: Vec<Mean> = mine
        .iter()
        .filter_map(|run| {
            let other = firsts.iter().find(|other| other.seed == run.seed)?;
            Some(run.mean?.less(&other.mean?))
        })
        .collect();
    Some(VariantRow {
        variant: name.to_string(),
        opponents: opponents.collect(),
        overall: Pooled::of(&means),
        difference: (name != first && !differences.is_empty()).then(|| pool(&differences)),
    })
}
