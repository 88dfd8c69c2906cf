//! How a run is doing, gathered from its folder: the newest state, the metrics, the alarms. Reads
//! only; a run may be looked at while it is running.

use super::alarms::Alarm;
use super::{STATE_FILE, TrainError, TrainSettings};
use crate::learn::{Budget, Losses, Spent, State};
use crate::metrics::journal;
use crate::run::{self, Layout};
use serde::Serialize;
use serde_json::Value;

/// A run, as its folder tells it.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Has the run a state yet? Without one all that follows is zero.
    pub begun: bool,
    pub generation: u64,
    /// Of this run, without those of the run it was forked from.
    pub games: u64,
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
    /// The newest lines of the metrics, and the first lesson's.
    pub selfplay: Option<Value>,
    pub first_lesson: Option<Value>,
    pub lesson: Option<Value>,
    pub ladder: Vec<Rung>,
    pub alarms: Vec<Alarm>,
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
        let metrics = |room: &str| journal::read(&layout.metrics().join(format!("{room}.jsonl")));
        let budget = settings.budget();
        let (selfplay, lessons) = (metrics("selfplay")?, metrics("learn")?);
        let done = state.as_ref().map(State::done).unwrap_or_default();
        let reached = state.as_ref().map_or(0.0, |state| state.pace.reached(&budget));
        let over = state.is_some() && budget.is_over(&done);
        let progress = if over { 1.0 } else { budget.span(&done, games, reached).from };
        let alarms = metrics("alarms")?;
        Ok(Self {
            begun: state.is_some(),
            generation: done.generations,
            games: done.games,
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
            selfplay: selfplay.into_iter().next_back(),
            first_lesson: lessons.iter().find(|lesson| lesson["steps"] != 0).cloned(),
            lesson: lessons.into_iter().next_back(),
            ladder: metrics("ladder")?.iter().map(rung).collect(),
            alarms: alarms.into_iter().filter_map(|a| serde_json::from_value(a).ok()).collect(),
        })
    }

    /// The losses of a line of the learner's metrics, on what was learnt from.
    pub fn losses(line: &Value) -> Losses {
        serde_json::from_value(line.clone()).unwrap_or_default()
    }
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
