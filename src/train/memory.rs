//! What memory a run will use, part by part, told before it begins: too much is refused with the
//! sum, rather than ending in an abort hours later, and the window is kept within its share.
//!
//! Reckons from the settings and the sizes of what is held; it never looks at the process.

use super::RunSettings;
use crate::codec::{Encode, Shape};
use crate::endgame::probe;
use crate::game::{Line, Notation};
use crate::memory::{self, amount};
use crate::nn::{NetError, check_size, weight_count};
use crate::record::Replayed;
use crate::rng;
use crate::search;
use rand::Rng;
use std::fmt;
use std::path::Path;

/// The program itself and its libraries' pools, as measured; each thread adds two MiB.
const PROGRAM: u64 = 24 << 20;
/// Half arrays of a layer's size that learning holds for each layer and sample at the same time:
/// the values until their gradients are found, and the gradients on their way. Measured.
const HALF_COPIES: u64 = 3;
/// Arrays of a sample's size while a batch is made of it: rows, their copy, the network's input.
const SAMPLE_COPIES: u64 = 3;
/// Action texts of a recorded game, each on the heap.
const ACTION_TEXT: u64 = 56;
/// The allocator keeps freed memory for later: what the process holds beyond what is in use, as a
/// share of that. Measured.
const KEPT: f64 = 0.25;
/// Random games from which the number of actions in a position is learnt, and the plies of each.
const GAMES: u64 = 8;
const PLIES: u32 = 200;

/// One use of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub what: &'static str,
    /// The setting that governs it most.
    pub key: &'static str,
    /// Bytes at most.
    pub bytes: u64,
}

/// What a run will use at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// The window of games comes first.
    parts: Vec<Part>,
    /// From `train.memory_gib`, in bytes.
    budget: Option<u64>,
}

/// Why a run was refused: the key to blame and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMuch {
    pub key: &'static str,
    pub message: String,
}

impl MemoryPlan {
    /// The plan of a run of these settings that goes on from `games_before` games (0 unless it
    /// was forked), with runs and tables in the folder `data`; an error if there is no such
    /// network.
    pub fn of<G: Encode + Notation>(
        game: &G,
        settings: &RunSettings<'_>,
        games_before: u64,
        data: &Path,
    ) -> Result<Self, NetError> {
        let RunSettings { train, selfplay, replay, .. } = *settings;
        let (threads, actions) = (train.threads as u64, usual_actions(game));
        let position = Replayed::<G>::bytes_per_position(actions);
        // One game of so many is held out, and stays as long as its neighbours.
        let learnt = replay.holdout_every.saturating_sub(1);
        let held_out = if learnt > 0 { 1.0 / learnt as f64 } else { 0.0 };
        let window = window_positions(settings, games_before) as f64 * (1.0 + held_out);
        // A generation is held as it was recorded, and then once more as the window holds it.
        let recorded = 2 * position + ACTION_TEXT;
        let in_flight = u64::from(selfplay.in_flight.min(selfplay.games));
        let visits = selfplay.visits.max(selfplay.final_visits).max(selfplay.fast_visits);
        let tree = search::tree_bytes::<G>(u64::from(visits), actions);
        // Tables that cannot be opened are the run's own error.
        let tables =
            if selfplay.taught_by_tables() { probe::bytes(game, data).unwrap_or(0) } else { 0 };
        let part = |what, key, bytes| Part { what, key, bytes };
        let mut parts = vec![
            part("window of games", "replay.max_positions", (window * position as f64) as u64),
            part(
                "games of one generation",
                "selfplay.games",
                product(&[selfplay.games.into(), selfplay.max_plies.into(), recorded]),
            ),
            part(
                "evaluation caches",
                "selfplay.cache_mib",
                product(&[threads, selfplay.cache_mib.into(), 1 << 20]),
            ),
            part("search trees", "selfplay.in_flight", product(&[threads, in_flight, tree])),
            part("network and optimiser", "network.channels", weights(settings, &game.shape())?),
            part("learner's buffers", "learn.batch", buffers(settings, &game.shape())?),
            part("program and threads", "train.threads", PROGRAM + (threads << 21)),
        ];
        if tables > 0 {
            parts.insert(4, part("endgame tables", "selfplay.adjudicate_tables", tables));
        }
        let budget = (train.memory_gib > 0.0).then_some((train.memory_gib * GIB) as u64);
        Ok(Self { parts, budget })
    }

    /// The parts, the largest number of bytes for each.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// All parts together and what the allocator keeps, in bytes.
    pub fn total(&self) -> u64 {
        let sum = self.parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.bytes));
        (sum as f64 * (1.0 + KEPT)) as u64
    }

    /// Bytes that the window may take: what the budget leaves. Without a budget nothing is
    /// enforced, so that a run does not depend on its machine's memory.
    pub fn window_limit(&self) -> u64 {
        let others: u64 = self.parts[1..].iter().map(|part| part.bytes).sum();
        let in_use = |budget: u64| (budget as f64 / (1.0 + KEPT)) as u64;
        self.budget.map_or(u64::MAX, |budget| in_use(budget).saturating_sub(others))
    }

    /// Why the run cannot be had on this machine, if it cannot.
    pub fn refusal(&self) -> Option<TooMuch> {
        self.refusal_with(memory::available())
    }

    fn refusal_with(&self, machine: Option<u64>) -> Option<TooMuch> {
        let (total, table) = (amount(self.total()), self.table());
        if let Some(budget) = self.budget.filter(|&budget| self.total() > budget) {
            let message = format!(
                "allows {} of memory, but the run may need {total}: allow more, or choose less of \
                 what is large here\n{table}",
                amount(budget)
            );
            return Some(TooMuch { key: "train.memory_gib", message });
        }
        let machine = machine.filter(|&machine| self.total() > machine)?;
        let largest = self.parts.iter().max_by_key(|part| part.bytes)?;
        let message = format!(
            "asks for about {} of memory (all settings together {total}), but this machine has {}: \
             choose less of it\n{table}",
            amount(largest.bytes),
            amount(machine)
        );
        Some(TooMuch { key: largest.key, message })
    }

    /// A line for each part, largest bytes and the setting behind it.
    fn table(&self) -> String {
        let line = |what, bytes, key| format!("  {what:<24} {:>10}  {key}", amount(bytes));
        let kept = self.total() - (self.total() as f64 / (1.0 + KEPT)) as u64;
        let parts = self.parts.iter().map(|part| line(part.what, part.bytes, part.key));
        let all = parts.chain([line("kept by the allocator", kept, "")]);
        all.map(|line| line.trim_end().to_string()).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "memory: {} at most", amount(self.total()))?;
        match (self.budget, memory::available()) {
            (Some(budget), _) => write!(out, " of the {} of train.memory_gib", amount(budget))?,
            (None, Some(machine)) => write!(out, " of the machine's {}", amount(machine))?,
            (None, None) => {}
        }
        write!(out, "\n{}", self.table())
    }
}

const GIB: f64 = (1u64 << 30) as f64;

fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1u64, |all, &one| all.saturating_mul(one))
}

/// The most positions that the window will hold: where the run's games are counted they bound it,
/// too.
fn window_positions(settings: &RunSettings<'_>, games_before: u64) -> u64 {
    let RunSettings { train, selfplay, replay, .. } = *settings;
    let budget = train.budget();
    let generation = u64::from(selfplay.games);
    let by_generations = budget.generations.saturating_mul(generation);
    let by_games = budget.games.div_ceil(generation).saturating_mul(generation);
    let games = [by_generations, by_games].into_iter().filter(|&games| games > 0).min();
    games.map_or(replay.max_positions, |games| {
        let all = games.saturating_add(games_before).saturating_mul(selfplay.max_plies.into());
        replay.size(all).min(all)
    })
}

/// A state is four numbers for each weight; the run, the learner, the lesson's beginning and the
/// step before have one each, or two are written as bytes. Each thread learns and plays with a
/// copy of the weights and a gradient of its own.
fn weights(settings: &RunSettings<'_>, shape: &Shape) -> Result<u64, NetError> {
    check_size(shape, settings.network)?;
    let number = size_of::<f32>() as u64;
    let copies = 4 * 4 + 2 * (1 + settings.train.threads as u64);
    Ok(product(&[weight_count(shape, settings.network), number, copies]))
}

/// What a step of the learner holds beside the weights, and the batches of the games held out.
fn buffers(settings: &RunSettings<'_>, shape: &Shape) -> Result<u64, NetError> {
    let board = check_size(shape, settings.network)?;
    let network = settings.network;
    let samples = u64::from(settings.learn.batch);
    let heads = network.policy_channels + network.value_channels;
    let layers = (2 * network.blocks + 1) * board.floats(network.channels) + board.floats(heads);
    let sample = (board.floats(shape.planes) + shape.globals + 2 * shape.codes()) as u64;
    let learning = product(&[samples, layers as u64, HALF_COPIES]) / 2;
    let batch = product(&[samples, sample, SAMPLE_COPIES]);
    let held_out =
        if settings.replay.holdout_every > 0 { super::lesson::HELD_OUT as u64 * sample } else { 0 };
    let numbers = learning.saturating_add(batch).saturating_add(held_out);
    Ok(numbers.saturating_mul(size_of::<f32>() as u64))
}

/// The mean number of legal actions in random games of this game, rounded up.
fn usual_actions<G: Notation>(game: &G) -> u64 {
    let (mut legal, mut positions, mut sum) = (Vec::new(), 0u64, 0u64);
    for number in 0..GAMES {
        let mut stream = rng::stream(0, "memory", number);
        let mut line = Line::start(game);
        while line.outcome().is_none() && line.ply() < PLIES {
            line.actions(&mut legal);
            if legal.is_empty() {
                break;
            }
            positions += 1;
            sum += legal.len() as u64;
            let pick = (u64::from(stream.next_u32()) * legal.len() as u64) >> 32;
            line.play(legal[pick as usize]);
        }
    }
    sum.div_ceil(positions.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Tiny;
    use super::*;
    use crate::game::jungle::Jungle;

    const MACHINE: Option<u64> = Some(8 << 30);

    /// The settings of a config of their own, and a larger network than a second allows.
    fn usual() -> Tiny {
        Tiny {
            game: Jungle::new(Default::default()).unwrap(),
            train: Default::default(),
            network: Default::default(),
            selfplay: Default::default(),
            replay: Default::default(),
            learn: Default::default(),
            ..Tiny::default()
        }
    }

    fn plan(tiny: &Tiny) -> MemoryPlan {
        MemoryPlan::of(&tiny.game, &tiny.settings(), 0, Path::new("no/data")).unwrap()
    }

    fn bytes(plan: &MemoryPlan, key: &str) -> u64 {
        plan.parts().iter().find(|part| part.key == key).unwrap().bytes
    }

    #[test]
    fn the_default_fits_into_a_small_machine() {
        let plan = plan(&usual());
        assert_eq!(plan.refusal_with(Some(2 << 30)), None);
        assert_eq!(plan.window_limit(), u64::MAX);
        let sum: u64 = plan.parts().iter().map(|part| part.bytes).sum();
        assert_eq!(plan.total(), (sum as f64 * (1.0 + KEPT)) as u64);
        let text = plan.to_string();
        for part in plan.parts() {
            assert!(text.contains(part.what) && text.contains(part.key), "{text}");
        }
        assert!(text.starts_with(&format!("memory: {} at most", amount(plan.total()))), "{text}");
    }

    #[test]
    fn each_absurd_setting_is_refused_by_its_name() {
        let refused = |change: &dyn Fn(&mut Tiny)| {
            let mut tiny = usual();
            change(&mut tiny);
            plan(&tiny).refusal_with(MACHINE).unwrap()
        };
        let TooMuch { key, message } = refused(&|tiny| tiny.selfplay.cache_mib = 65_536);
        assert_eq!(key, "selfplay.cache_mib");
        assert!(message.starts_with("asks for about 128.0 GiB of memory"), "{message}");
        assert!(message.contains("this machine has 8.0 GiB"), "{message}");
        assert!(message.contains("window of games"), "{message}");
        let trees = refused(&|tiny| {
            tiny.selfplay.in_flight = 4096;
            tiny.selfplay.visits = 100_000;
        });
        assert_eq!(trees.key, "selfplay.in_flight");
        let network = refused(&|tiny| {
            tiny.network.blocks = 40;
            tiny.network.channels = 512;
            tiny.learn.batch = 64;
        });
        assert_eq!(network.key, "network.channels");
        assert_eq!(refused(&|tiny| tiny.learn.batch = 65_536).key, "learn.batch");
        assert_eq!(refused(&|tiny| tiny.selfplay.games = 1_000_000).key, "selfplay.games");
        let window = refused(&|tiny| {
            tiny.replay.max_positions = 1_000_000_000;
            tiny.train.hours = 1.0;
        });
        assert_eq!(window.key, "replay.max_positions");
        // Few games fill no window.
        let mut few = usual();
        few.replay.max_positions = 1_000_000_000;
        few.train.games = 400;
        assert_eq!(plan(&few).refusal_with(MACHINE), None);
    }

    #[test]
    fn a_budget_is_the_limit_and_bounds_the_window() {
        let mut tiny = usual();
        tiny.train.memory_gib = 0.1;
        let refused = plan(&tiny).refusal_with(MACHINE).unwrap();
        assert_eq!(refused.key, "train.memory_gib");
        assert!(refused.message.starts_with("allows 102 MiB of memory, but the run may need "));
        assert!(refused.message.contains("evaluation caches"), "{}", refused.message);
        tiny.train.memory_gib = 2.0;
        let allowed = plan(&tiny);
        assert_eq!(allowed.refusal_with(MACHINE), None);
        let filled = allowed.total() as f64 / (1.0 + KEPT)
            - bytes(&allowed, "replay.max_positions") as f64
            + allowed.window_limit() as f64;
        let budget = (2u64 << 30) as f64;
        assert!((filled * (1.0 + KEPT) / budget - 1.0).abs() < 1e-6, "{filled}");
        // A budget that the machine does not have is of no use.
        assert!(allowed.refusal_with(Some(100 << 20)).is_some());
    }

    #[test]
    fn the_parts_follow_their_settings() {
        let (mut tiny, one) = (usual(), plan(&usual()));
        tiny.train.threads *= 2;
        tiny.learn.batch *= 2;
        tiny.replay.max_positions /= 4;
        let two = plan(&tiny);
        for key in ["selfplay.cache_mib", "selfplay.in_flight"] {
            assert_eq!(bytes(&two, key), 2 * bytes(&one, key), "{key}");
        }
        assert!(bytes(&two, "learn.batch") > 3 * bytes(&one, "learn.batch") / 2);
        let window = |plan: &MemoryPlan| bytes(plan, "replay.max_positions");
        assert!(window(&one).abs_diff(4 * window(&two)) < 8, "{one}\n{two}");
    }

    #[test]
    fn games_count_their_bytes_as_the_plan_does() {
        let game = crate::record::toy::Heap::default();
        for index in 0..8 {
            let replayed = crate::record::toy::record(index).replay(&game).unwrap();
            let positions = replayed.searched.len() as u64;
            let widest = replayed.searched.iter().map(|s| s.target.len()).max().unwrap_or(0);
            let most =
                positions * Replayed::<crate::record::toy::Heap>::bytes_per_position(widest as u64);
            // A game's own head, two blocks' heads, and actions without a search come on top.
            let head = replayed.bytes().saturating_sub(most);
            assert!(head < 400 + 8 * replayed.actions.len() as u64, "{head}");
        }
    }
}
