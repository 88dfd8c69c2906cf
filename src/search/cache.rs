//! Remembers an evaluator's answers. Never remembers what rests on history: no proofs, no masks.
//!
//! An answer is found by the whole position and its repetitions, compared in full, so a hash
//! collision costs a lookup and nothing else; with and without the cache a search is the same.

use super::WdlPov;
use super::evaluator::{EvalError, Evaluation, Evaluator, Leaf};
use crate::game::Game;

/// Logits that there is room for, for each entry, on average.
const LOGITS_PER_ENTRY: usize = 24;

/// An evaluator with a memory of fixed size, two places for each position: the older gives way.
/// The logits lie in a ring, where the oldest are overwritten.
///
/// It holds for one game with its options and one set of weights: [`CachedEvaluator::forget`]
/// after either changes.
#[derive(Clone, Debug)]
pub struct CachedEvaluator<G: Game, E> {
    game: G,
    inner: E,
    /// Pairs of places; empty if the capacity is below one pair.
    entries: Vec<Option<Entry<G::Position>>>,
    ring: Vec<f32>,
    /// Logits ever written to the ring; gaps at its end count.
    written: u64,
    missing: Vec<Leaf<G>>,
    missing_at: Vec<usize>,
    answers: Vec<Evaluation>,
    hits: u64,
    asked: u64,
}

#[derive(Clone, Debug)]
struct Entry<P> {
    position: P,
    repetitions: u32,
    value: WdlPov,
    plies_left: f32,
    margin: f32,
    width: u32,
    /// What `written` was when the logits were written.
    logits_at: u64,
}

impl<G: Game, E> CachedEvaluator<G, E> {
    /// A cache before `inner` that takes at most `bytes` of memory (none below one pair of
    /// places). What the positions own on the heap, if anything, is not counted.
    pub fn new(game: &G, inner: E, bytes: usize) -> Self {
        let entries = bytes / Self::bytes_per_entry() / 2 * 2;
        Self {
            game: game.clone(),
            inner,
            entries: vec![None; entries],
            ring: vec![0.0; entries * LOGITS_PER_ENTRY],
            written: 0,
            missing: Vec::new(),
            missing_at: Vec::new(),
            answers: Vec::new(),
            hits: 0,
            asked: 0,
        }
    }

    /// Memory for one remembered position.
    pub fn bytes_per_entry() -> usize {
        size_of::<Option<Entry<G::Position>>>() + LOGITS_PER_ENTRY * size_of::<f32>()
    }

    /// Memory of the cache.
    pub fn bytes(&self) -> usize {
        self.entries.len() * Self::bytes_per_entry()
    }

    /// Positions that fit.
    pub fn capacity(&self) -> usize {
        self.entries.len()
    }

    /// Answers given from memory, of how many asked.
    pub fn hits(&self) -> (u64, u64) {
        (self.hits, self.asked)
    }

    /// Forgets all answers, and counts anew.
    pub fn forget(&mut self) {
        self.entries.fill(None);
        self.hits = 0;
        self.asked = 0;
    }

    /// The evaluator behind; [`CachedEvaluator::forget`] if its opinions change.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    pub fn inner_mut(&mut self) -> &mut E {
        &mut self.inner
    }

    /// The first of the pair of places of a leaf.
    fn pair(&self, leaf: &Leaf<G>) -> usize {
        let hash = self.game.hash(&leaf.position) ^ u64::from(leaf.repetitions);
        // Spreads hashes that differ in few bits, then scales to the number of pairs.
        let spread = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let pairs = self.entries.len() as u128 / 2;
        ((u128::from(spread) * pairs) >> 64) as usize * 2
    }

    fn find(&self, leaf: &Leaf<G>) -> Option<usize> {
        if self.entries.is_empty() {
            return None;
        }
        let pair = self.pair(leaf);
        (pair..pair + 2).find(|&place| {
            self.entries[place].as_ref().is_some_and(|entry| {
                entry.repetitions == leaf.repetitions
                    && self.written - entry.logits_at <= self.ring.len() as u64
                    && entry.position == leaf.position
            })
        })
    }

    fn store(&mut self, leaf: &Leaf<G>, answer: &Evaluation) {
        let (width, length) = (answer.logits.len(), self.ring.len());
        if width > length || self.entries.is_empty() || self.find(leaf).is_some() {
            return;
        }
        let mut at = (self.written % length as u64) as usize;
        if at + width > length {
            self.written += (length - at) as u64;
            at = 0;
        }
        self.ring[at..][..width].copy_from_slice(&answer.logits);
        // The newer of the pair stands first.
        let pair = self.pair(leaf);
        self.entries.swap(pair, pair + 1);
        self.entries[pair] = Some(Entry {
            position: leaf.position.clone(),
            repetitions: leaf.repetitions,
            value: answer.value,
            plies_left: answer.plies_left,
            margin: answer.margin,
            width: width as u32,
            logits_at: self.written,
        });
        self.written += width as u64;
    }

    fn recall(&self, place: usize, out: &mut Evaluation) {
        let Some(entry) = &self.entries[place] else { return };
        out.value = entry.value;
        out.plies_left = entry.plies_left;
        out.margin = entry.margin;
        out.logits.clear();
        let at = (entry.logits_at % self.ring.len() as u64) as usize;
        out.logits.extend_from_slice(&self.ring[at..][..entry.width as usize]);
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for CachedEvaluator<G, E> {
    fn evaluate(&mut self, leaves: &[Leaf<G>], out: &mut Vec<Evaluation>) -> Result<(), EvalError> {
        // Old evaluations lend their memory to the new ones; each is overwritten below.
        out.resize_with(leaves.len(), Evaluation::default);
        self.missing.clear();
        self.missing_at.clear();
        for (at, leaf) in leaves.iter().enumerate() {
            match self.find(leaf) {
                Some(place) => self.recall(place, &mut out[at]),
                None => {
                    self.missing.push(leaf.clone());
                    self.missing_at.push(at);
                }
            }
        }
        self.asked += leaves.len() as u64;
        self.hits += (leaves.len() - self.missing.len()) as u64;
        if self.missing.is_empty() {
            return Ok(());
        }
        self.inner.evaluate(&self.missing, &mut self.answers)?;
        let (wanted, got) = (self.missing.len(), self.answers.len());
        if got != wanted {
            return Err(EvalError(format!("{got} evaluations came for {wanted} positions")));
        }
        let missing = std::mem::take(&mut self.missing);
        let mut answers = std::mem::take(&mut self.answers);
        for (index, (leaf, answer)) in missing.iter().zip(&mut answers).enumerate() {
            self.store(leaf, answer);
            std::mem::swap(&mut out[self.missing_at[index]], answer);
        }
        self.missing = missing;
        self.answers = answers;
        Ok(())
    }
}
