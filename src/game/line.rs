//! A game in progress: position, the history that the rules need, and the outcome. The one place
//! to ask for actions and results, so that no caller can forget a repetition rule.

use super::{ActionList, Game, Outcome, Side};

/// What repetition compares, and what history must remember of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Equal for positions that count as the same. Without counters.
    pub key: u64,
    /// Nothing before this position counts (right after a capture, say).
    pub fresh: bool,
    /// A mark of the game's own (who threatens whom).
    pub note: u8,
}

/// The occurrences since the game began, the present one last.
#[derive(Clone, Debug, Default)]
pub struct History {
    entries: Vec<Occurrence>,
    /// Where counting starts: the last fresh occurrence.
    from: usize,
}

/// A place in a [`History`] to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    from: usize,
}

impl History {
    /// Adds the occurrence of the position just reached, if it has one.
    pub fn push(&mut self, occurrence: Option<Occurrence>) {
        if let Some(occurrence) = occurrence {
            if occurrence.fresh {
                self.from = self.entries.len();
            }
            self.entries.push(occurrence);
        }
    }

    /// The occurrences that count, oldest first.
    pub fn counted(&self) -> &[Occurrence] {
        &self.entries[self.from..]
    }

    /// How often `key` has occurred.
    pub fn count(&self, key: u64) -> u32 {
        self.counted().iter().filter(|entry| entry.key == key).count() as u32
    }

    /// How often an occurrence would have happened, were it pushed now.
    pub fn count_with(&self, next: Occurrence) -> u32 {
        if next.fresh { 1 } else { self.count(next.key) + 1 }
    }

    /// How often the latest occurrence happened before.
    pub fn repetitions(&self) -> u32 {
        self.counted().last().map_or(0, |last| self.count(last.key) - 1)
    }

    pub fn mark(&self) -> Mark {
        Mark { length: self.entries.len(), from: self.from }
    }

    /// Forgets what was pushed since `mark`.
    pub fn rewind(&mut self, mark: Mark) {
        self.entries.truncate(mark.length);
        self.from = mark.from;
    }

    /// Would this action repeat a position that must not be repeated?
    pub fn forbids<G: Game>(&self, game: &G, position: &G::Position, action: G::Action) -> bool {
        let Some(limit) = game.forbidden_occurrence() else { return false };
        let mut next = position.clone();
        game.play(&mut next, action);
        game.occurrence(&next).is_some_and(|next| self.count_with(next) >= limit)
    }
}

/// A game in progress.
#[derive(Clone, Debug)]
pub struct Line<G: Game> {
    game: G,
    position: G::Position,
    history: History,
    outcome: Option<Outcome>,
    ply: u32,
}

impl<G: Game> Line<G> {
    /// A game at its start.
    pub fn start(game: &G) -> Self {
        Self::from_position(game, game.start())
    }

    /// A game that begins with `position`, which counts as a first occurrence.
    pub fn from_position(game: &G, position: G::Position) -> Self {
        let mut history = History::default();
        history.push(game.occurrence(&position));
        let outcome = game.outcome(&position, &history);
        Self { game: game.clone(), position, history, outcome, ply: 0 }
    }

    pub fn game(&self) -> &G {
        &self.game
    }

    pub fn position(&self) -> &G::Position {
        &self.position
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    /// Who acts.
    pub fn turn(&self) -> Side {
        self.game.turn(&self.position)
    }

    /// The result, once there is one.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Actions played since the line began.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// How often the present position occurred before.
    pub fn repetitions(&self) -> u32 {
        self.game.occurrence(&self.position).map_or(0, |_| self.history.repetitions())
    }

    /// Clears `out` and fills it with the legal actions, sorted; none once the game has ended.
    pub fn actions(&self, out: &mut ActionList<G::Action>) {
        out.clear();
        if self.outcome.is_none() {
            self.game.actions(&self.position, out);
            if self.game.forbidden_occurrence().is_some() {
                out.retain(|&action| !self.history.forbids(&self.game, &self.position, action));
            }
        }
    }

    /// The legal actions as a new vector, where speed does not matter.
    pub fn legal(&self) -> Vec<G::Action> {
        let mut out = Vec::new();
        self.actions(&mut out);
        out
    }

    /// Plays a legal action.
    pub fn play(&mut self, action: G::Action) {
        self.game.play(&mut self.position, action);
        self.history.push(self.game.occurrence(&self.position));
        self.outcome = self.game.outcome(&self.position, &self.history);
        self.ply += 1;
    }
}
