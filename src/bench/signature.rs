//! A number that names the search's behaviour: the same searches give the same signature, in every
//! build and on any number of threads; a change that alters what a search does alters it.
//!
//! Every game of the registry with its default rules, at its start and after some seeded random
//! plies; both kinds of search with their default settings, few and many visits, one leaf at a
//! time and four. The evaluator is made from the position's text by a hash: exact binary
//! fractions, no network. What is hashed is whole numbers (visits, actions, proofs) and shares
//! and values rounded to 1/1024, so that the last bit of a system's logarithm does not matter.

use super::BenchError;
use crate::game::registry::{self, AnyGame};
use crate::game::{Line, Notation};
use crate::rng::stream;
use crate::search::evaluator::{EvalError, Evaluation, Evaluator, Leaf};
use crate::search::{self, Plan, Proven, Report, SearchKind, SearchSettings, WdlPov, search_once};
use crate::selfplay::random_plies;
use crate::with_game;
use serde::Serialize;
use serde_json::Map;
use std::fmt;

/// Random plies before each position.
const PLIES: [u32; 4] = [0, 7, 20, 45];
/// Visits and leaves of each search.
const SEARCHES: [(u32, u32); 3] = [(16, 1), (200, 1), (100, 4)];
/// Names the random plies and the searches' own noise.
const SEED: u64 = 20_260_101;
/// Steps of a share or value that are told apart.
const STEPS: f32 = 1024.0;

/// Simulations of the fixed searches and a hash of what they found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    pub nodes: u64,
    /// 16 hexadecimal digits.
    pub hash: String,
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "signature  {} {}", self.nodes, self.hash)
    }
}

/// One of the fixed searches.
#[derive(Clone, Copy, Debug)]
struct Search {
    kind: SearchKind,
    /// Index into [`PLIES`].
    position: usize,
    visits: u32,
    leaves: u32,
}

/// What a search found: its simulations, and the hash of the rest.
type Found = (u64, blake3::Hash);

/// The signature of this program, made on one thread and on two, which must agree.
pub fn sign() -> Result<Signature, BenchError> {
    let games = games()?;
    let (one, two) = (of(&games, usize::MAX, 1)?, of(&games, usize::MAX, 2)?);
    if one != two {
        return Err(BenchError::Signature { one, two });
    }
    Ok(one)
}

/// Every game with its default rules.
fn games() -> Result<Vec<AnyGame>, BenchError> {
    let built = registry::names().into_iter().map(|name| registry::build(name, None, &Map::new()));
    Ok(built.collect::<Result<_, _>>()?)
}

/// The signature of the searches in at most `positions` positions of each game, divided over
/// `threads` threads.
fn of(games: &[AnyGame], positions: usize, threads: usize) -> Result<Signature, EvalError> {
    let mut searches = Vec::new();
    for game in games {
        for kind in [SearchKind::Gumbel, SearchKind::Puct] {
            for position in 0..PLIES.len().min(positions) {
                for (visits, leaves) in SEARCHES {
                    searches.push((game, Search { kind, position, visits, leaves }));
                }
            }
        }
    }
    let share = |thread: usize| -> Vec<Result<Found, EvalError>> {
        let mine = searches.iter().skip(thread).step_by(threads);
        mine.map(|(game, search)| with_game!(game, game => search.run(game))).collect()
    };
    let mut shares: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || share(thread).into_iter())).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let (mut nodes, mut hasher) = (0, blake3::Hasher::new());
    for number in 0..searches.len() {
        let Some(found) = shares[number % threads].next() else { continue };
        let (simulations, hash) = found?;
        nodes += simulations;
        hasher.update(hash.as_bytes());
    }
    let hash = hasher.finalize().to_hex()[..16].to_string();
    Ok(Signature { nodes, hash })
}

impl Search {
    fn run<G: Notation>(self, game: &G) -> Result<Found, EvalError> {
        let plies = PLIES[self.position];
        let mut stream = stream(SEED, "bench-signature", u64::from(plies));
        let (line, _) = random_plies(game, plies, &mut stream);
        let settings = SearchSettings { kind: self.kind, ..SearchSettings::default() };
        let mut search = search::make(&settings);
        // Every other position is searched with noise.
        let (visits, leaves, explore) = (self.visits, self.leaves, self.position % 2 == 1);
        let plan = Plan { visits, leaves, explore, seed: SEED };
        let mut evaluator = Keyed { game, evaluations: 0 };
        let report = search_once(&mut search, &line, &plan, &mut evaluator)?;
        let hash = digest(game, &line, &report, evaluator.evaluations);
        Ok((u64::from(report.visits), hash))
    }
}

/// Hashes what a search found.
fn digest<G: Notation>(
    game: &G,
    line: &Line<G>,
    report: &Report<G>,
    evaluations: u64,
) -> blake3::Hash {
    let proof = |proven: Option<Proven>| match proven {
        None => 0,
        Some(Proven::Win) => 1,
        Some(Proven::Draw) => 2,
        Some(Proven::Loss) => 3,
    };
    let steps = |share: f32| (share * STEPS).round() as i64 as u64;
    let mut numbers = vec![evaluations, u64::from(report.visits), report.best as u64];
    numbers.extend([proof(report.proven), steps(report.root.value()), steps(report.root.draw)]);
    for action in &report.actions {
        numbers.extend([u64::from(action.visits), steps(action.target), proof(action.proven)]);
    }
    let mut hasher = blake3::Hasher::new();
    let mut position = line.position().clone();
    hasher.update(game.position_text(&position).as_bytes());
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    for &action in &report.expected {
        hasher.update(game.action_text(&position, action).as_bytes());
        game.play(&mut position, action);
    }
    hasher.finalize()
}

/// An evaluator whose opinion is a hash of the position's text.
struct Keyed<'a, G> {
    game: &'a G,
    evaluations: u64,
}

impl<G: Notation> Evaluator<G> for Keyed<'_, G> {
    fn evaluate(&mut self, leaves: &[Leaf<G>], out: &mut Vec<Evaluation>) -> Result<(), EvalError> {
        self.evaluations += leaves.len() as u64;
        out.clear();
        out.extend(leaves.iter().map(|leaf| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(self.game.position_text(&leaf.position).as_bytes());
            hasher.update(&leaf.repetitions.to_le_bytes());
            let mut bytes = vec![0; 4 + leaf.actions.len()];
            hasher.finalize_xof().fill(&mut bytes);
            let (head, rest) = bytes.split_at(4);
            opinion(head, rest)
        }));
        Ok(())
    }
}

/// Bytes as an opinion: every number is exact, and the chances sum to exactly 1.
fn opinion(head: &[u8], actions: &[u8]) -> Evaluation {
    let of = |at: usize| f32::from(head[at]);
    let (win, loss) = (of(0) / 512.0, of(1) / 512.0);
    Evaluation {
        value: WdlPov { win, draw: 1.0 - win - loss, loss },
        plies_left: of(2),
        margin: of(3) - 128.0,
        logits: actions.iter().map(|&byte| f32::from(byte) / 64.0).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The searches of each game's first two positions.
    #[test]
    fn the_signature_is_the_one_that_is_written_down() {
        let games = games().unwrap();
        let found = of(&games, 2, 1).unwrap();
        assert_eq!(
            (found.nodes, found.hash.as_str()),
            (3792, "d161733936899281"),
            "the searches do something else than before. If that is meant, write the new values \
             down here (and tell in the commit that the change is functional, with the line of \
             `menagerie bench signature`); if not, a rule, a formula or a default has changed"
        );
        assert_eq!(of(&games, 2, 2).unwrap(), found);
        assert_eq!(of(&games, 2, 3).unwrap(), found);
    }

    #[test]
    fn every_game_and_position_counts() {
        let games = games().unwrap();
        let all = of(&games, 1, 1).unwrap();
        for left_out in 0..games.len() {
            let mut fewer = games.clone();
            fewer.remove(left_out);
            let fewer = of(&fewer, 1, 1).unwrap();
            assert!(fewer.nodes < all.nodes && fewer.hash != all.hash);
        }
        assert_ne!(of(&games, 2, 1).unwrap().hash, all.hash);
    }

    #[test]
    fn opinions_are_exact() {
        let opinion = opinion(&[255, 1, 3, 128], &[0, 64, 255]);
        let WdlPov { win, draw, loss } = opinion.value;
        assert_eq!((win, draw, loss), (255.0 / 512.0, 0.5, 1.0 / 512.0));
        assert_eq!((opinion.plies_left, opinion.margin), (3.0, 0.0));
        assert_eq!(opinion.logits, [0.0, 1.0, 255.0 / 64.0]);
    }
}
