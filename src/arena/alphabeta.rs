//! The yardstick with foresight: alpha-beta over the fixed static evaluation.
//!
//! Its choice is exactly that of a plain search of the same depth (a test says so): the table,
//! the ordering and the cut-offs save time and change nothing. Depth counts actions, whoever
//! acts; captures and their like are followed to their end.

use super::baseline::{WIN, advance, terminal_score};
use super::evaluation::StaticEvaluation;
use super::player::{Choice, Player, PlayerError};
use crate::game::{Game, History, Line, Outcome};
use crate::rng;
use rand::RngExt;

/// Forcing actions are followed at most this far below the horizon.
const QUIESCENCE_PLIES: i32 = 16;
/// Slots of the transposition table; a power of two.
const SLOTS: usize = 1 << 15;
/// Slots of the history heuristic; a power of two.
const HISTORY_SLOTS: usize = 1 << 12;
/// Scores beyond this are wins or losses at a known distance.
const NEAR_WIN: i32 = WIN - 10_000;

/// How a stored score stands to the true one.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

#[derive(Clone, Copy)]
struct Slot<A> {
    key: u64,
    /// The search that wrote it; slots of earlier searches are empty.
    age: u32,
    depth: i32,
    score: i32,
    bound: Bound,
    action: A,
}

/// Alpha-beta of a fixed depth in actions.
pub struct AlphaBeta<G: Game> {
    depth: u32,
    seed: u64,
    age: u32,
    nodes: u64,
    table: Vec<Option<Slot<G::Action>>>,
    killers: Vec<[Option<G::Action>; 2]>,
    /// How often an action cut; indexed by a hash of the action.
    cuts: Vec<i32>,
    /// Buffers for action lists, taken and given back.
    spare: Vec<Vec<(i32, G::Action)>>,
    /// A buffer for the game's own list.
    legal: Vec<G::Action>,
}

impl<G: StaticEvaluation> AlphaBeta<G> {
    /// Looks `depth` actions ahead (at least one).
    pub fn new(depth: u32) -> Self {
        let depth = depth.max(1);
        Self {
            depth,
            seed: 0,
            age: 0,
            nodes: 0,
            table: vec![None; SLOTS],
            killers: vec![[None; 2]; depth as usize + 1],
            cuts: vec![0; HISTORY_SLOTS],
            spare: Vec::new(),
            legal: Vec::new(),
        }
    }

    /// The score of the line as the actor sees it (hundredths, or [`WIN`] less the distance) and
    /// the line expected; equals among root actions are chosen by the seed.
    pub fn search(&mut self, line: &Line<G>) -> Option<(i32, Vec<G::Action>)> {
        let mut root: Vec<G::Action> = line.legal();
        let mut stream = rng::stream(self.seed, "alphabeta", u64::from(line.ply()));
        for last in (1..root.len()).rev() {
            root.swap(last, stream.random_range(0..=last));
        }
        self.age += 1;
        self.nodes = 0;
        self.killers.fill([None; 2]);
        self.cuts.fill(0);
        let mut history = line.history().clone();
        let mut best = None;
        for depth in 1..=self.depth as i32 {
            let (score, index) = self.search_root(line, &root, depth, &mut history)?;
            // The best so far goes first; the others keep the order of the seed.
            root[..=index].rotate_right(1);
            best = Some(score);
            if score.abs() > NEAR_WIN && WIN - score.abs() <= depth {
                break; // A win or loss this near is certain, and no deeper look finds a nearer one.
            }
        }
        let expected = self.expected(line, root[0]);
        best.map(|score| (score, expected))
    }

    fn search_root(
        &mut self,
        line: &Line<G>,
        root: &[G::Action],
        depth: i32,
        history: &mut History,
    ) -> Option<(i32, usize)> {
        let mut best: Option<(i32, usize)> = None;
        for (index, &action) in root.iter().enumerate() {
            let alpha = best.map_or(-WIN - 1, |(score, _)| score);
            let window = (alpha, WIN + 1);
            let score = self.child(line.game(), line.position(), history, action, depth, 0, window);
            if best.is_none_or(|(best, _)| score > best) {
                best = Some((score, index));
            }
        }
        best
    }

    /// The score of `action` as its actor sees it.
    #[allow(clippy::too_many_arguments)]
    fn child(
        &mut self,
        game: &G,
        position: &G::Position,
        history: &mut History,
        action: G::Action,
        depth: i32,
        ply: i32,
        (alpha, beta): (i32, i32),
    ) -> i32 {
        let mark = history.mark();
        let actor = game.turn(position);
        let (next, outcome) = advance(game, position, history, action);
        let score = match outcome {
            Some(outcome) => terminal_score(&outcome, actor, ply + 1),
            // The same side may act again: then the window is not turned.
            None if game.turn(&next) == actor => {
                self.look(game, &next, history, depth - 1, ply + 1, (alpha, beta))
            }
            None => -self.look(game, &next, history, depth - 1, ply + 1, (-beta, -alpha)),
        };
        history.rewind(mark);
        score
    }

    /// The score of an unfinished position as its actor sees it, fail-soft.
    fn look(
        &mut self,
        game: &G,
        position: &G::Position,
        history: &mut History,
        depth: i32,
        ply: i32,
        (mut alpha, beta): (i32, i32),
    ) -> i32 {
        if depth <= 0 {
            return self.quiet(game, position, history, depth, ply, (alpha, beta));
        }
        self.nodes += 1;
        let key = table_key(game, position, history);
        let slot = key as usize & (SLOTS - 1);
        let known = self.table[slot].filter(|slot| slot.key == key && slot.age == self.age);
        // Equal depth only: so the table never changes the result of a search.
        if let Some(known) = known.filter(|known| known.depth == depth) {
            let score = from_table(known.score, ply);
            let usable = match known.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if usable {
                return score;
            }
        }
        let list = self.ordered(game, position, history, ply, known.map(|known| known.action));
        let (mut best, mut best_action) = (-WIN - 1, None);
        let floor = alpha;
        for &(order, action) in &list {
            let score = self.child(game, position, history, action, depth, ply, (alpha, beta));
            if score > best {
                (best, best_action) = (score, Some(action));
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                if order < FORCING {
                    self.remember_cut(action, depth, ply);
                }
                break;
            }
        }
        self.spare.push(list);
        if let Some(action) = best_action {
            let bound = match best {
                best if best >= beta => Bound::Lower,
                best if best <= floor => Bound::Upper,
                _ => Bound::Exact,
            };
            let score = to_table(best, ply);
            self.table[slot] = Some(Slot { key, age: self.age, depth, score, bound, action });
            best
        } else {
            // Every action is forbidden by history, and the game does not call that its end.
            game.evaluate(position)
        }
    }

    /// Below the horizon: the static score, or better by forcing actions only.
    fn quiet(
        &mut self,
        game: &G,
        position: &G::Position,
        history: &mut History,
        depth: i32,
        ply: i32,
        (mut alpha, beta): (i32, i32),
    ) -> i32 {
        self.nodes += 1;
        let mut best = game.evaluate(position);
        if best >= beta || depth <= -QUIESCENCE_PLIES {
            return best;
        }
        alpha = alpha.max(best);
        let mut list = self.listed(game, position, history);
        list.retain(|&(_, action)| game.is_forcing(position, action));
        for entry in &mut list {
            entry.0 = promise(game, position, history, entry.1);
        }
        list.sort_unstable_by_key(|&(order, action)| (std::cmp::Reverse(order), action));
        for &(_, action) in &list {
            let score = self.child(game, position, history, action, depth, ply, (alpha, beta));
            best = best.max(score);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        self.spare.push(list);
        best
    }

    /// The legal actions in the game's order, in a buffer to be given back.
    fn listed(
        &mut self,
        game: &G,
        position: &G::Position,
        history: &History,
    ) -> Vec<(i32, G::Action)> {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        game.actions(position, &mut self.legal);
        if game.forbidden_occurrence().is_some() {
            self.legal.retain(|&action| !history.forbids(game, position, action));
        }
        list.extend(self.legal.iter().map(|&action| (0, action)));
        list
    }

    /// The legal actions, the most promising first: the table's, forcing ones by their static
    /// score, killers, then by how often an action cut elsewhere.
    fn ordered(
        &mut self,
        game: &G,
        position: &G::Position,
        history: &mut History,
        ply: i32,
        table: Option<G::Action>,
    ) -> Vec<(i32, G::Action)> {
        let mut list = self.listed(game, position, history);
        let killers = self.killers.get(ply as usize).copied().unwrap_or_default();
        for entry in &mut list {
            let action = entry.1;
            entry.0 = if table == Some(action) {
                i32::MAX
            } else if game.is_forcing(position, action) {
                FORCING + WIN + promise(game, position, history, action)
            } else if killers.contains(&Some(action)) {
                FORCING - 1
            } else {
                self.cuts[cut_slot(action)].min(FORCING - 2)
            };
        }
        list.sort_unstable_by_key(|&(order, action)| (std::cmp::Reverse(order), action));
        list
    }

    fn remember_cut(&mut self, action: G::Action, depth: i32, ply: i32) {
        if let Some(killers) = self.killers.get_mut(ply as usize)
            && killers[0] != Some(action)
        {
            *killers = [Some(action), killers[0]];
        }
        self.cuts[cut_slot(action)] += depth * depth;
    }

    /// Follows the table from the root as far as it reaches.
    fn expected(&self, line: &Line<G>, first: G::Action) -> Vec<G::Action> {
        let mut line = line.clone();
        let mut expected = vec![first];
        line.play(first);
        while line.outcome().is_none() && expected.len() < self.depth as usize {
            let key = table_key(line.game(), line.position(), line.history());
            let slot = &self.table[key as usize & (SLOTS - 1)];
            let Some(slot) = slot.filter(|slot| slot.key == key && slot.age == self.age) else {
                break;
            };
            if !line.legal().contains(&slot.action) {
                break;
            }
            expected.push(slot.action);
            line.play(slot.action);
        }
        expected
    }
}

/// Actions ordered above this are forcing (or the table's).
const FORCING: i32 = 1_000_000;

/// The static score after `action` as its actor sees it.
fn promise<G: StaticEvaluation>(
    game: &G,
    position: &G::Position,
    history: &mut History,
    action: G::Action,
) -> i32 {
    let mark = history.mark();
    let actor = game.turn(position);
    let (next, outcome): (_, Option<Outcome>) = advance(game, position, history, action);
    history.rewind(mark);
    match outcome {
        Some(outcome) => terminal_score(&outcome, actor, 1),
        None if game.turn(&next) == actor => game.evaluate(&next),
        None => -game.evaluate(&next),
    }
}

/// Positions that differ in what repetition has counted are different to the table.
fn table_key<G: Game>(game: &G, position: &G::Position, history: &History) -> u64 {
    let repetitions = game.occurrence(position).map_or(0, |_| history.repetitions());
    let mixed = (game.hash(position) ^ u64::from(repetitions).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

fn cut_slot<A: std::hash::Hash>(action: A) -> usize {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    action.hash(&mut hasher);
    hasher.finish() as usize & (HISTORY_SLOTS - 1)
}

/// Distances are kept from the position, not from the root.
fn to_table(score: i32, ply: i32) -> i32 {
    match score {
        score if score > NEAR_WIN => score + ply,
        score if score < -NEAR_WIN => score - ply,
        score => score,
    }
}

fn from_table(score: i32, ply: i32) -> i32 {
    match score {
        score if score > NEAR_WIN => score - ply,
        score if score < -NEAR_WIN => score + ply,
        score => score,
    }
}

impl<G: StaticEvaluation> Player<G> for AlphaBeta<G> {
    fn name(&self) -> String {
        format!("alphabeta:{}", self.depth)
    }

    fn begin(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn choose(&mut self, line: &Line<G>) -> Result<Choice<G::Action>, PlayerError> {
        let (score, expected) = self.search(line).ok_or_else(|| PlayerError::Ended(self.name()))?;
        Ok(Choice {
            score: Some(score),
            nodes: self.nodes,
            expected: expected.clone(),
            ..Choice::plain(expected[0])
        })
    }
}

#[cfg(test)]
#[path = "alphabeta_tests.rs"]
mod tests;
