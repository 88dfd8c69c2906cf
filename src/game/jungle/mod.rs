//! Jungle (Dou Shou Qi): the rules with every disputed point an option. No I/O, no floats.
//!
//! `rules` and `presets` hold the options, `board` the geometry, `position` the plain data,
//! `moves` the tables, `reserved` which positions are for measuring only, `text` and `refusal` what
//! people read and write.

mod animal;
mod board;
mod moves;
mod position;
mod presets;
mod refusal;
mod reserved;
mod rules;
mod text;
#[cfg(test)]
mod tests;

pub use animal::Kind;
pub use board::{Board, Direction, FAR};
pub use position::Position;
pub use presets::{PRESETS, preset_doc};
pub use reserved::MOST_RESERVED;
pub use rules::{
    DenEntry, ElephantTakesRat, Equal, Jump, JumpBlockers, LARGEST_LIMIT, Limit, NoMove,
    Repetition, Rules, RulesError, Traps,
};

use super::{ActionList, Game, History, Occurrence, Outcome, Side};
use moves::Tables;
use std::sync::Arc;

/// A move: from one square to another, by square index. A jump is given by its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    pub from: u8,
    pub to: u8,
}

/// Jungle with its options chosen.
#[derive(Clone, Debug)]
pub struct Jungle(Arc<House>);

/// What all clones of a game share.
#[derive(Debug)]
struct House {
    rules: Rules,
    tables: Tables,
    start: Position,
    den_distances: [[u8; 64]; 2],
    /// The most animals of each kind that a side may have.
    most: [[u32; 8]; 2],
    /// Is the board its own left–right image, and its own with the colours exchanged?
    symmetric: [bool; 2],
}

impl Jungle {
    /// The game with these options; errors name the option, its value and what would be right.
    pub fn new(rules: Rules) -> Result<Jungle, RulesError> {
        let tables = Tables::new(&rules)?;
        let house = House {
            den_distances: Side::BOTH.map(|side| tables.board.den_distances(side)),
            start: Position::empty(0, 0),
            most: [[1; 8]; 2],
            symmetric: [tables.board.is_mirror_symmetric(), tables.board.is_turn_symmetric()],
            rules,
            tables,
        };
        let open = Jungle(Arc::new(house));
        let setup = &open.0.rules.setup;
        let wrong = |problem: String| RulesError::new("setup", setup, problem);
        let start = open.read_position(setup, true).map_err(|error| wrong(error.0))?;
        if let Some(outcome) = open.outcome(&start, &History::default()) {
            return Err(wrong(format!(
                "the game has already ended there, because {}",
                outcome.reason
            )));
        }
        let mut most = [[1; 8]; 2];
        for side in Side::BOTH {
            for kind in Kind::ALL {
                let number = start.animals(side).filter(|animal| animal.0 == kind).count();
                most[side.index()][kind.index()] = (number as u32).max(1);
            }
        }
        let House { rules, tables, den_distances, symmetric, .. } = &*open.0;
        Ok(Jungle(Arc::new(House {
            rules: rules.clone(),
            tables: tables.clone(),
            start,
            den_distances: *den_distances,
            most,
            symmetric: *symmetric,
        })))
    }

    /// The options.
    pub fn options(&self) -> &Rules {
        &self.0.rules
    }

    pub fn board(&self) -> &Board {
        &self.0.tables.board
    }

    /// Is the board its own left–right mirror image?
    pub fn is_mirrored(&self) -> bool {
        self.0.symmetric[0]
    }

    /// Is the board its own image with the colours exchanged?
    pub fn is_turned(&self) -> bool {
        self.0.symmetric[1]
    }

    /// The rank of a kind: 0 for the weakest; equal ranks share a number.
    pub fn level(&self, kind: Kind) -> u8 {
        self.0.tables.levels[kind.index()]
    }

    /// May this kind enter water?
    pub fn swims(&self, kind: Kind) -> bool {
        self.0.tables.swims[kind.index()]
    }

    /// Squares on which an animal of `side` is weakened by a trap.
    pub fn weakening(&self, side: Side) -> u64 {
        self.0.tables.weakening[side.index()]
    }

    /// Steps from each square to the nearest den of `owner`, water taken for land; [`FAR`] where
    /// there is none.
    pub fn den_distances(&self, owner: Side) -> &[u8; 64] {
        &self.0.den_distances[owner.index()]
    }

    /// The squares that the animal of `side` on `from` may go to, were its side to move.
    pub fn targets(&self, position: &Position, side: Side, from: u8) -> u64 {
        self.0.tables.targets(position, side.index(), from)
    }

    /// The squares that the jumper of `side` on `from` may land on, animals there left aside.
    pub fn landings(&self, position: &Position, side: Side, from: u8) -> u64 {
        self.0.tables.landings(position, side.index(), from)
    }

    /// Can a step and a jump lead the same way from one square (a jumper that swims)?
    pub fn has_swimming_leaper(&self) -> bool {
        self.0.tables.has_swimming_leaper()
    }

    /// A position put together from animals on different squares. It is not checked: texts go
    /// through [`super::Notation::parse_position`].
    pub fn assemble(
        &self,
        animals: impl IntoIterator<Item = (Side, Kind, u8)>,
        no_capture: u32,
        ply: u32,
    ) -> Position {
        let mut position = Position::empty(no_capture, ply);
        for (side, kind, square) in animals {
            position.put(&self.0.tables.abilities, side, kind, square);
        }
        position
    }

    /// The win or draw that the board alone decides: a den entered, a side without animals.
    #[inline]
    fn decided(&self, position: &Position) -> Option<Outcome> {
        let dens = &self.0.tables.board.dens;
        let sides = position.sides();
        if (sides[0] & dens[1]) | (sides[1] & dens[0]) != 0 {
            let winner = if sides[0] & dens[1] != 0 { Side::First } else { Side::Second };
            return Some(Outcome::win(winner, "a den was entered"));
        }
        if sides[0] != 0 && sides[1] != 0 {
            return None;
        }
        if sides[0] == sides[1] {
            return Some(Outcome::draw("neither side has an animal left"));
        }
        let winner = if sides[0] != 0 { Side::First } else { Side::Second };
        self.0
            .rules
            .capture_all_wins
            .then(|| Outcome::win(winner, "the last enemy animal was captured"))
    }

    /// The draw that a count decides.
    #[inline]
    fn counted_out(&self, position: &Position) -> Option<Outcome> {
        let rules = &self.0.rules;
        if rules.no_capture_limit.0.is_some_and(|limit| position.no_capture() >= limit) {
            return Some(Outcome::draw("nothing was captured for too long"));
        }
        if rules.max_plies.0.is_some_and(|limit| position.ply() >= limit) {
            return Some(Outcome::draw("the game reached its greatest length"));
        }
        None
    }

    /// Is there a legal action, those that `history` forbids left out?
    fn can_act(&self, position: &Position, history: &History) -> bool {
        if self.forbidden_occurrence().is_none() {
            return self.0.tables.can_move(position);
        }
        let side = position.turn();
        position.animals(side).any(|(_, from)| {
            bits(self.targets(position, side, from))
                .any(|to| !history.forbids(self, position, Action { from, to }))
        })
    }
}

/// The squares of a set, ascending.
pub fn bits(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = set.trailing_zeros() as u8;
        set &= set - 1;
        Some(square)
    })
}

impl Game for Jungle {
    type Position = Position;
    type Action = Action;

    fn name(&self) -> &'static str {
        "jungle"
    }

    fn rules(&self) -> serde_json::Value {
        serde_json::json!(self.0.rules)
    }

    fn start(&self) -> Position {
        self.0.start.clone()
    }

    #[inline]
    fn turn(&self, position: &Position) -> Side {
        position.turn()
    }

    #[inline]
    fn actions(&self, position: &Position, out: &mut ActionList<Action>) {
        out.clear();
        if self.decided(position).is_some() || self.counted_out(position).is_some() {
            return;
        }
        let side = position.mover();
        let mut left = position.sides()[side];
        while left != 0 {
            let from = left.trailing_zeros() as u8;
            left &= left - 1;
            let mut targets = self.0.tables.targets(position, side, from);
            while targets != 0 {
                out.push(Action { from, to: targets.trailing_zeros() as u8 });
                targets &= targets - 1;
            }
        }
    }

    #[inline]
    fn count_actions(&self, position: &Position) -> u64 {
        if self.decided(position).is_some() || self.counted_out(position).is_some() {
            return 0;
        }
        self.0.tables.count(position)
    }

    #[inline]
    fn play(&self, position: &mut Position, action: Action) {
        let tables = &self.0.tables;
        position.advance(&tables.abilities, action.from, action.to, tables.both_die);
    }

    fn occurrence(&self, position: &Position) -> Option<Occurrence> {
        (self.0.rules.repetition != Repetition::None).then(|| Occurrence {
            key: position.key(),
            fresh: position.no_capture() == 0,
            note: 0,
        })
    }

    fn forbidden_occurrence(&self) -> Option<u32> {
        let rules = &self.0.rules;
        (rules.repetition == Repetition::Forbidden).then_some(rules.repetition_count)
    }

    fn outcome(&self, position: &Position, history: &History) -> Option<Outcome> {
        let rules = &self.0.rules;
        if let Some(outcome) = self.decided(position) {
            return Some(outcome);
        }
        if !self.can_act(position, history) {
            return Some(match rules.no_move {
                NoMove::Loss => {
                    Outcome::win(position.turn().other(), "the side to move has no move")
                }
                NoMove::Draw => Outcome::draw("the side to move has no move"),
            });
        }
        let repeats = matches!(rules.repetition, Repetition::Draw | Repetition::Loss);
        if repeats && history.repetitions() + 1 >= rules.repetition_count {
            return Some(match rules.repetition {
                Repetition::Loss => {
                    Outcome::win(position.turn(), "the opponent repeated a position")
                }
                _ => Outcome::draw("a position was repeated"),
            });
        }
        self.counted_out(position)
    }

    fn hash(&self, position: &Position) -> u64 {
        let counts = u64::from(position.no_capture()) << 32 | u64::from(position.ply());
        // Mixed, so that counts do not fall upon the bits of keys.
        position.key() ^ counts.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    }

    fn is_reserved(&self, position: &Position) -> bool {
        reserved::is_reserved(self, position)
    }

    fn longest(&self) -> Option<u32> {
        let House { rules, most, .. } = &*self.0;
        // Each stretch of `limit` half-moves needs one capture more, or is the last one.
        let animals: u32 = most.iter().flatten().sum();
        let by_captures = rules.no_capture_limit.0.map(|limit| limit.saturating_mul(animals));
        match (by_captures, rules.max_plies.0) {
            (Some(captures), Some(plies)) => Some(captures.min(plies)),
            (captures, plies) => captures.or(plies),
        }
    }
}
