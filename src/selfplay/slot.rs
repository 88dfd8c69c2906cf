//! One self-play game in flight. What it plays depends on its index, the run's seed, the settings
//! and the weights alone: never on which thread plays it, nor on its neighbours.

use super::exact::{self, Truth};
use super::opening;
use super::settings::SelfplaySettings;
use crate::endgame::Oracle;
use crate::game::{Line, Notation};
use crate::record::{Counters, End, GameRecord, RulesHash, Searched};
use crate::rng::{self, Stream};
use crate::search::evaluator::{Evaluation, Leaf};
use crate::search::{Plan, Proven, Report, Search, SearchSettings, Status};
use rand::{Rng, RngExt};
use std::sync::Arc;

/// A game that is over, as self-play leaves it.
#[derive(Clone, Debug)]
pub struct PlayedGame<G: Notation> {
    pub index: u64,
    /// Random plies at its start.
    pub opening_plies: u32,
    pub actions: Vec<G::Action>,
    pub searched: Vec<Searched>,
    pub end: End,
    /// Simulations spent.
    pub visits: u64,
}

impl<G: Notation> PlayedGame<G> {
    /// The game as it goes into a shard.
    pub fn record(&self, game: &G, seed: u64, generation: u64) -> GameRecord {
        let mut position = game.start();
        let mut actions = Vec::with_capacity(self.actions.len());
        for &action in &self.actions {
            actions.push(game.action_text(&position, action));
            game.play(&mut position, action);
        }
        GameRecord {
            format: crate::record::FORMAT,
            game: game.name().to_string(),
            rules: RulesHash::of(game),
            index: self.index,
            generation,
            seed,
            opening_plies: self.opening_plies,
            start: None,
            actions,
            searched: self.searched.clone(),
            end: self.end.clone(),
            counters: Counters { simulations: self.visits, ..Counters::default() },
        }
    }
}

/// What a slot wants next.
pub enum Step<G: Notation> {
    /// It has added this many leaves.
    Waiting(usize),
    /// Its game is over.
    Over(PlayedGame<G>),
}

/// A game in flight.
pub struct Slot<G: Notation> {
    settings: SelfplaySettings,
    full_visits: u32,
    line: Line<G>,
    stream: Stream,
    search: Box<dyn Search<G>>,
    oracle: Option<Arc<dyn Oracle<G>>>,
    full: bool,
    played: PlayedGame<G>,
}

impl<G: Notation> Slot<G> {
    /// Game number `index`, ready for its first search.
    pub fn new(
        game: &G,
        settings: &SelfplaySettings,
        search: &SearchSettings,
        seed: u64,
        index: u64,
        visits: u32,
    ) -> Self {
        let mut stream = rng::stream(seed, "selfplay", index);
        let (line, actions) = opening::open(game, settings, &mut stream);
        let played = PlayedGame {
            index,
            opening_plies: actions.len() as u32,
            actions,
            searched: Vec::new(),
            end: End::Cut,
            visits: 0,
        };
        let search = crate::search::make(search);
        let settings = settings.clone();
        let (oracle, full) = (None, true);
        let mut slot =
            Self { settings, full_visits: visits, line, stream, search, oracle, full, played };
        slot.think();
        slot
    }

    /// The same game, with tables to adjudicate and to teach.
    pub fn with_oracle(mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Self {
        self.oracle = oracle;
        self
    }

    /// Searches and plays until leaves are wanted or the game is over.
    pub fn advance(&mut self, leaves: &mut Vec<Leaf<G>>) -> Step<G> {
        loop {
            if let Status::Waiting(count) = self.search.gather(leaves) {
                return Step::Waiting(count);
            }
            let report = self.search.report();
            if let Some(end) = self.act(&report) {
                self.played.end = end;
                return Step::Over(self.played.clone());
            }
            self.think();
        }
    }

    /// The evaluations of the leaves of the last [`Slot::advance`].
    pub fn apply(&mut self, evaluations: &[Evaluation]) {
        self.search.apply(evaluations);
    }

    /// Positions searched in full so far.
    pub fn positions(&self) -> u64 {
        self.played.searched.len() as u64
    }

    fn think(&mut self) {
        self.full = self.settings.fast_share == 0.0
            || self.stream.random::<f64>() >= self.settings.fast_share;
        let visits = if self.full { self.full_visits } else { self.settings.fast_visits };
        let plan = Plan { visits, leaves: 1, explore: self.full, seed: self.stream.next_u64() };
        self.search.begin(&self.line, &plan);
    }

    /// What tables prove of the present position, if that is to be used.
    fn truth(&self) -> Option<Truth> {
        let oracle = self.oracle.as_deref().filter(|_| self.settings.taught_by_tables())?;
        exact::truth(oracle, &self.line)
    }

    /// Records the search, unless the position is reserved for measuring, then ends the game or
    /// plays.
    fn act(&mut self, report: &Report<G>) -> Option<End> {
        self.played.visits += u64::from(report.visits);
        let truth = self.truth();
        if self.full && !self.line.game().is_reserved(self.line.position()) {
            let mut searched = searched(&self.line, report);
            if let Some(truth) = truth.as_ref().filter(|_| self.settings.table_targets) {
                searched.target = Searched::pack(&truth.target);
                searched.root = truth.value();
                searched.visits = 0;
            }
            self.played.searched.push(searched);
        }
        if let Some(truth) = truth.filter(|_| self.settings.adjudicate_tables) {
            let by = String::from("tables");
            return Some(End::Adjudicated { winner: truth.winner, margin: None, by });
        }
        if self.settings.stop_proven
            && let Some(proven) = report.proven
        {
            let actor = self.line.turn();
            let winner = match proven {
                Proven::Win => Some(actor),
                Proven::Draw => None,
                Proven::Loss => Some(actor.other()),
            };
            return Some(End::Adjudicated { winner, margin: None, by: String::from("proof") });
        }
        let action = report.actions[self.choose(report)].action;
        self.line.play(action);
        self.played.actions.push(action);
        if let Some(outcome) = self.line.outcome() {
            return Some(End::from(outcome));
        }
        (self.line.ply() >= self.settings.max_plies).then_some(End::Cut)
    }

    /// Index of the action to play: drawn from the policy target early in the game, then the best.
    fn choose(&mut self, report: &Report<G>) -> usize {
        let plies = self.line.ply() - self.played.opening_plies;
        if plies >= self.settings.temperature_plies || !self.full {
            return report.best;
        }
        let power = 1.0 / self.settings.temperature;
        let weight = |share: f32| f64::from(share).powf(power);
        let total: f64 = report.actions.iter().map(|action| weight(action.target)).sum();
        let mut left = self.stream.random::<f64>() * total;
        for (index, action) in report.actions.iter().enumerate() {
            left -= weight(action.target);
            if left < 0.0 {
                return index;
            }
        }
        report.best
    }
}

/// What is kept of a search.
fn searched<G: Notation>(line: &Line<G>, report: &Report<G>) -> Searched {
    let actor = line.turn();
    let target: Vec<f32> = report.actions.iter().map(|action| action.target).collect();
    Searched {
        ply: line.ply(),
        visits: report.visits,
        full: true,
        target: Searched::pack(&target),
        root: report.root.fixed(actor),
        raw: report.raw.fixed(actor),
    }
}
