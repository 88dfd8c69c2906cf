//! How a run is doing, gathered from its folder: the newest state, the metrics, the alarms. Reads
//! only; a run may be looked at while it is running.

use super::alarms::Alarm;
use super::{STATE_FILE, TrainError, TrainSettings};
use crate::learn::{Budget, Losses, Spent, State};
use crate::metrics::journal;
use crate::record::Journal;
use crate::run::{self, Layout};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// A run, as its folder tells it. Generations are counted from 1 in all of it, whatever the files
/// do: what is said of generation n is what made, or measured, the weights after n generations.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Has the run a state yet? Without one all that follows is zero.
    pub begun: bool,
    pub generation: u64,
    /// Of this run, without those of the run it was forked from.
    pub games: u64,
    /// Those that it took along from there.
    pub inherited_games: u64,
    /// Games that are safe on the disk and that no lesson has taken yet.
    pub waiting_games: u64,
    pub steps: u64,
    pub positions: u64,
    pub samples: u64,
    pub spent: Spent,
    /// What the newest generation took.
    pub last: Spent,
    pub budget: Budget,
    pub over: bool,
    /// How far it has come, 0 to 1.
    pub progress: f64,
    /// Seconds of work left, if they can be told.
    pub seconds_left: Option<f64>,
    /// The step at which the final decay of the learning rate began.
    pub decay_step: Option<u64>,
    /// The newest lines of the metrics, and the first lesson's. A warm-up has generation 0.
    pub selfplay: Option<Value>,
    pub first_lesson: Option<Value>,
    pub lesson: Option<Value>,
    pub ladder: Vec<Rung>,
    pub alarms: Vec<Alarm>,
    /// Files of metrics with lines that could not be read, and how many.
    pub unreadable: Vec<(String, usize)>,
}

/// One measurement against the fixed opponents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rung {
    pub generation: u64,
    pub visits: u64,
    /// Opponent, games, score and its interval.
    pub scores: Vec<Score>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    pub opponent: String,
    pub games: u64,
    pub score: f64,
    pub low: f64,
    pub high: f64,
}

impl Status {
    /// Looks at the run in `layout`. `games`: those of a generation.
    pub fn gather(
        layout: &Layout,
        settings: &TrainSettings,
        games: u64,
    ) -> Result<Self, TrainError> {
        let newest = run::state::newest(layout)?.state;
        let state = match newest {
            Some((folder, _)) => Some(State::load(&folder.join(STATE_FILE))?),
            None => None,
        };
        let mut unreadable = Vec::new();
        let mut metrics = |room: &str| -> Result<Vec<Value>, TrainError> {
            let path = layout.metrics().join(format!("{room}.jsonl"));
            let (lines, passed_over) = journal::look(&path)?;
            if passed_over > 0 {
                unreadable.push((path.display().to_string(), passed_over));
            }
            Ok(lines)
        };
        let budget = settings.budget();
        let (selfplay, lessons) = (metrics("selfplay")?, metrics("learn")?);
        let done = state.as_ref().map(State::done).unwrap_or_default();
        let reached = state.as_ref().map_or(0.0, |state| state.pace.reached(&budget));
        let over = state.is_some() && budget.is_over(&done);
        let progress = if over { 1.0 } else { budget.span(&done, games, reached).from };
        let (alarms, ladder) = (metrics("alarms")?.into_iter(), metrics("ladder")?);
        let alarms = alarms.filter_map(|alarm| serde_json::from_value(alarm).ok()).map(numbered);
        // A lesson before the first generation is a warm-up.
        let warm_up = done.generations == 0;
        let lesson = lessons.last().cloned();
        Ok(Self {
            begun: state.is_some(),
            generation: done.generations,
            games: done.games,
            inherited_games: state.as_ref().map_or(0, |state| state.origin.games),
            waiting_games: waiting(layout, state.as_ref().map_or(0, |state| state.games))?,
            steps: done.steps,
            positions: state.as_ref().map_or(0, |state| state.positions),
            samples: state.as_ref().map_or(0, |state| state.samples),
            spent: done.spent,
            last: done.last,
            budget,
            over,
            progress,
            seconds_left: (progress > 0.0)
                .then(|| done.spent.seconds * (1.0 - progress) / progress),
            decay_step: state.as_ref().and_then(|state| state.pace.decay_step),
            selfplay: selfplay.into_iter().next_back().map(counted_from_one),
            first_lesson: lessons.into_iter().find(|lesson| lesson["steps"] != 0),
            lesson: if warm_up { lesson } else { lesson.map(counted_from_one) },
            ladder: ladder.iter().filter(|entry| is_measurement(entry)).map(rung).collect(),
            alarms: alarms.collect(),
            unreadable,
        })
    }

    /// The losses of a line of the learner's metrics, on what was learnt from.
    pub fn losses(line: &Value) -> Losses {
        serde_json::from_value(line.clone()).unwrap_or_default()
    }
}

/// Games from `learnt` on that stand in a shard or in the journal.
fn waiting(layout: &Layout, learnt: u64) -> Result<u64, TrainError> {
    let shards = layout.list_shards()?;
    let until = shards.last().map_or(learnt, |shard| (shard.last + 1).max(learnt));
    let journal = Journal::look(&layout.journal())?.games;
    let journalled: BTreeSet<u64> = journal.iter().map(|game| game.index).collect();
    Ok(until - learnt + journalled.range(until..).count() as u64)
}

/// A line of the metrics of self-play or learning, where the first generation is number 0.
fn counted_from_one(mut line: Value) -> Value {
    if let Some(number) = line["generation"].as_u64() {
        line["generation"] = (number + 1).into();
    }
    line
}

/// An alarm; those about a measurement name the generations that were done.
fn numbered(alarm: Alarm) -> Alarm {
    let before = u64::from(alarm.kind != "rating");
    Alarm { generation: alarm.generation + before, ..alarm }
}

fn is_measurement(entry: &Value) -> bool {
    entry["ladder"]["rows"].is_array()
}

fn rung(entry: &Value) -> Rung {
    let rows = entry["ladder"]["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let score = |row: &Value| {
        let number = |key: &str| row["estimate"][key].as_f64().unwrap_or(0.0);
        Score {
            opponent: row["opponent"].as_str().unwrap_or("?").to_string(),
            games: row["games"].as_u64().unwrap_or(0),
            score: number("score"),
            low: number("score_low"),
            high: number("score_high"),
        }
    };
    Rung {
        generation: entry["generation"].as_u64().unwrap_or(0),
        visits: entry["visits"].as_u64().unwrap_or(0),
        scores: rows.iter().map(score).collect(),
    }
}
