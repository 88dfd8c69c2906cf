//! Two players, many games: paired openings with sides swapped, over threads, with a result that
//! does not depend on the threads.
//!
//! Pairs are taken by index and collected in the order of their index. Nothing is printed here.

use super::opening::{TooFewOpenings, draw_openings};
use super::player::{Player, PlayerError};
use super::rating::{Estimate, Pentanomial, rounded};
use super::settings::ArenaSettings;
use super::sprt::{Sprt, Verdict};
use crate::game::{Line, Notation, Side};
use crate::metrics::Progress;
use crate::rng;
use rand::Rng;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Makes a player; called once in every thread.
pub type Factory<'a, G> = dyn Fn() -> Result<Box<dyn Player<G>>, PlayerError> + Sync + 'a;

/// What a duel needs beside the players and the settings.
#[derive(Clone, Copy, Default)]
pub struct DuelPlan<'a> {
    /// Names openings and games.
    pub seed: u64,
    /// Keep every game's actions as text.
    pub keep_games: bool,
    /// Stop as soon as this test has an answer.
    pub sprt: Option<Sprt>,
    /// Set from outside: stop after the pairs being played.
    pub stop: Option<&'a AtomicBool>,
}

/// Why a duel could not be played.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    #[error(transparent)]
    Openings(#[from] TooFewOpenings),
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// What player A did against player B.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duel {
    pub a: String,
    pub b: String,
    pub games: u32,
    /// Of A.
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    /// Draws among them that only the limit of plies ended.
    pub cut: u32,
    /// Wins of the side that acts first, whoever played it.
    pub first_side_wins: u32,
    /// Pairs by A's points in them: 0, ½, 1, 1½, 2.
    pub pairs: Pentanomial,
    /// Mean length of a game, the opening included.
    pub mean_plies: f64,
    /// A's score and Elo difference.
    pub estimate: Estimate,
    /// The verdict of the sequential test, if there was one.
    pub verdict: Option<Verdict>,
    /// Was the duel stopped from outside before its end?
    pub interrupted: bool,
    /// Mean milliseconds of a choice of A and of B. Alone here depends on the machine.
    pub ms_per_move: [f64; 2],
    /// Every game, if they were to be kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<GameText>,
}

/// A game as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameText {
    /// The pair; its two games have the same opening.
    pub pair: u32,
    /// The side that A played.
    pub a_plays: Side,
    /// How many of the actions are the opening's.
    pub opening_plies: u32,
    pub actions: Vec<String>,
    pub winner: Option<Side>,
    pub reason: String,
}

#[derive(Clone, Debug)]
struct Played {
    /// Of A, in half points.
    points: usize,
    first_side_won: bool,
    cut: bool,
    plies: u32,
    text: Option<GameText>,
}

struct Pair {
    games: [Played; 2],
    clock: Clock,
}

/// Time and number of choices of A and of B.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    spent: [Duration; 2],
    choices: [u64; 2],
}

/// Plays `settings.pairs()` openings twice each, A first as `First`, then as `Second`.
pub fn duel<G: Notation>(
    game: &G,
    a: &Factory<'_, G>,
    b: &Factory<'_, G>,
    settings: &ArenaSettings,
    plan: &DuelPlan<'_>,
    progress: &dyn Progress,
) -> Result<Duel, DuelError> {
    let openings = draw_openings(game, settings, plan.seed)?;
    let names = (a()?.name(), b()?.name());
    let total = openings.len();
    progress.begin(&format!("{} against {}", names.0, names.1), "games", Some(2 * total as u64));

    let next = AtomicUsize::new(0);
    let collected = Mutex::new(Collected::new(total, plan.sprt));
    let outside = || plan.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let work = || {
        let mut players = match (a(), b()) {
            (Ok(a), Ok(b)) => [a, b],
            (Err(error), _) | (_, Err(error)) => {
                // As the failure of the next pair, so that the first failure is the one told.
                let index = next.fetch_add(1, Ordering::Relaxed);
                return lock(&collected).add(index, Err(error), progress);
            }
        };
        while !outside() && !lock(&collected).over {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = openings.get(index) else { return };
            let pair = play_pair(game, &mut players, opening, index, settings, plan);
            lock(&collected).add(index, pair, progress);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..settings.threads.clamp(1, total.max(1)) {
            scope.spawn(work);
        }
        work();
    });

    let collected = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Who asked says what came out, and where.
    progress.end("");
    collected.finish(names, outside())
}

fn lock<'a>(collected: &'a Mutex<Collected>) -> std::sync::MutexGuard<'a, Collected> {
    collected.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pairs as they come in, and those of them that count: an unbroken row from the first on.
struct Collected {
    slots: Vec<Option<Result<Pair, PlayerError>>>,
    /// The pairs before this one are all in.
    settled: usize,
    pairs: Pentanomial,
    games: [u32; 3],
    sprt: Option<Sprt>,
    verdict: Option<Verdict>,
    /// No further pair is needed.
    over: bool,
}

impl Collected {
    fn new(total: usize, sprt: Option<Sprt>) -> Self {
        Self {
            slots: (0..total).map(|_| None).collect(),
            settled: 0,
            pairs: [0; 5],
            games: [0; 3],
            sprt,
            verdict: sprt.map(|_| Verdict::Open),
            over: false,
        }
    }

    fn add(&mut self, index: usize, pair: Result<Pair, PlayerError>, progress: &dyn Progress) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        *slot = Some(pair);
        while !self.over
            && let Some(Some(pair)) = self.slots.get(self.settled)
        {
            let Ok(pair) = pair else {
                self.over = true;
                return;
            };
            self.settled += 1;
            let points: usize = pair.games.iter().map(|game| game.points).sum();
            self.pairs[points] += 1;
            for game in &pair.games {
                self.games[game.points] += 1;
            }
            if let Some(sprt) = self.sprt {
                let verdict = sprt.verdict(&self.pairs);
                self.verdict = Some(verdict);
                self.over = verdict != Verdict::Open;
            }
        }
        progress.set(2 * self.settled as u64);
        let [losses, draws, wins] = self.games;
        let score = Estimate::of_pairs(&self.pairs).score;
        progress.note(&format!("+{wins} ={draws} -{losses}, {:.1} %", 100.0 * score));
    }

    fn finish(mut self, (a, b): (String, String), stopped: bool) -> Result<Duel, DuelError> {
        let total = self.slots.len();
        let mut counted = Vec::with_capacity(self.settled);
        let decided = self.verdict.is_some_and(|verdict| verdict != Verdict::Open);
        for slot in self.slots.drain(..).take(self.settled + 1) {
            match slot {
                Some(Ok(pair)) if counted.len() < self.settled => counted.push(pair),
                Some(Err(error)) if !decided => return Err(error.into()),
                _ => break,
            }
        }
        let [losses, draws, wins] = self.games;
        let games = counted.iter().flat_map(|pair| &pair.games);
        let plies: u64 = games.clone().map(|game| u64::from(game.plies)).sum();
        let mut clock = Clock::default();
        for pair in &counted {
            for player in 0..2 {
                clock.spent[player] += pair.clock.spent[player];
                clock.choices[player] += pair.clock.choices[player];
            }
        }
        let ms = |player: usize| {
            rounded(
                1e3 * clock.spent[player].as_secs_f64() / clock.choices[player].max(1) as f64,
                4,
            )
        };
        Ok(Duel {
            a,
            b,
            games: wins + draws + losses,
            wins,
            draws,
            losses,
            cut: games.clone().filter(|game| game.cut).count() as u32,
            first_side_wins: games.clone().filter(|game| game.first_side_won).count() as u32,
            pairs: self.pairs,
            mean_plies: rounded(plies as f64 / f64::from((wins + draws + losses).max(1)), 2),
            estimate: Estimate::of_pairs(&self.pairs),
            verdict: self.verdict,
            interrupted: stopped && !decided && counted.len() < total,
            ms_per_move: [ms(0), ms(1)],
            records: games.filter_map(|game| game.text.clone()).collect(),
        })
    }
}

impl Duel {
    /// One line: who, how many, score and Elo.
    pub fn summary(&self) -> String {
        if self.games == 0 {
            return format!("{} against {}: no game has ended", self.a, self.b);
        }
        let estimate = &self.estimate;
        let score = 100.0 * estimate.score;
        let cut = match self.cut {
            0 => String::new(),
            cut => format!(", {cut} of the draws cut at the ply limit"),
        };
        format!(
            "{} against {}: +{} ={} -{} ({score:.1} %, {}){cut}",
            self.a,
            self.b,
            self.wins,
            self.draws,
            self.losses,
            estimate.elo_text()
        )
    }
}

fn play_pair<G: Notation>(
    game: &G,
    players: &mut [Box<dyn Player<G>>; 2],
    opening: &[G::Action],
    index: usize,
    settings: &ArenaSettings,
    plan: &DuelPlan<'_>,
) -> Result<Pair, PlayerError> {
    let mut clock = Clock::default();
    let mut one = |a_plays: Side| {
        let number = 2 * index as u64 + a_plays.index() as u64;
        let mut stream = rng::stream(plan.seed, "arena", number);
        players.iter_mut().for_each(|player| player.begin(stream.next_u64()));
        let mut actions = opening.to_vec();
        let end = play_game(game, players, a_plays, &mut actions, settings.max_plies, &mut clock)?;
        let winner = end.outcome().and_then(|outcome| outcome.winner);
        Ok(Played {
            points: winner.map_or(1, |winner| if winner == a_plays { 2 } else { 0 }),
            first_side_won: winner == Some(Side::First),
            cut: end.outcome().is_none(),
            plies: end.ply(),
            text: plan.keep_games.then(|| GameText {
                pair: index as u32,
                a_plays,
                opening_plies: opening.len() as u32,
                actions: action_texts(game, &actions),
                winner,
                reason: end
                    .outcome()
                    .map_or("the limit of plies was reached", |outcome| outcome.reason)
                    .to_string(),
            }),
        })
    };
    Ok(Pair { games: [one(Side::First)?, one(Side::Second)?], clock })
}

/// Plays on after the opening in `actions` to the end or the limit of plies; adds to `actions`.
fn play_game<G: Notation>(
    game: &G,
    players: &mut [Box<dyn Player<G>>; 2],
    a_plays: Side,
    actions: &mut Vec<G::Action>,
    max_plies: u32,
    clock: &mut Clock,
) -> Result<Line<G>, PlayerError> {
    let mut line = Line::start(game);
    actions.iter().for_each(|&action| line.play(action));
    let mut legal = Vec::new();
    while line.outcome().is_none() && line.ply() < max_plies {
        let player = usize::from(line.turn() != a_plays);
        let begun = Instant::now();
        let action = players[player].choose(&line)?.action;
        clock.spent[player] += begun.elapsed();
        clock.choices[player] += 1;
        line.actions(&mut legal);
        if legal.binary_search(&action).is_err() {
            return Err(PlayerError::Illegal {
                name: players[player].name(),
                ply: line.ply(),
                action: format!("{action:?}"),
            });
        }
        line.play(action);
        actions.push(action);
    }
    Ok(line)
}

fn action_texts<G: Notation>(game: &G, actions: &[G::Action]) -> Vec<String> {
    let mut position = game.start();
    actions
        .iter()
        .map(|&action| {
            let text = game.action_text(&position, action);
            game.play(&mut position, action);
            text
        })
        .collect()
}

#[cfg(test)]
#[path = "duel_tests.rs"]
mod tests;
