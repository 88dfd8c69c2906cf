//! Why a move is illegal, in words: what stands there, which rule forbids it.

use super::animal::Kind;
use super::board::Direction;
use super::position::Position;
use super::rules::{DenEntry, ElephantTakesRat};
use super::{Action, Jungle};
use crate::game::{Notation, Side};

impl Jungle {
    /// Why an action of a game that goes on is illegal.
    pub(super) fn refusal(&self, position: &Position, action: Action) -> String {
        let board = self.board();
        let Action { from, to } = action;
        let (from_name, to_name) = (board.square_name(from), board.square_name(to));
        let side = position.turn();
        let kind = match position.animal(from) {
            None => return format!("no animal stands on {from_name}"),
            Some((owner, kind)) if owner != side => {
                return format!(
                    "the {} on {from_name} is {}'s, and {} is to move",
                    kind.name(),
                    self.side_name(owner),
                    self.side_name(side)
                );
            }
            Some((_, kind)) => kind,
        };
        let name = kind.name();
        if from == to {
            return format!("the {name} would stay on {from_name}");
        }
        if let Some((_, own)) = position.animal(to).filter(|animal| animal.0 == side) {
            return format!("the own {} stands on {to_name}", own.name());
        }
        let adjacent =
            Direction::ALL.into_iter().any(|direction| board.step(from, direction) == Some(to));
        if !adjacent && let Some(why) = self.leap_refusal(position, side, kind, action) {
            return why;
        }
        if board.dens[side.index()] >> to & 1 != 0 {
            return format!("{to_name} is the own den, which no animal may enter");
        }
        let enemy_den = board.dens[side.other().index()] >> to & 1 != 0;
        if enemy_den && self.options().den_entry == DenEntry::Rat && kind != Kind::Rat {
            return format!("{to_name} is the enemy den, which only the rat may enter");
        }
        if board.is_water(to) && !self.swims(kind) {
            return format!("{to_name} is water, and the {name} does not swim");
        }
        match position.animal(to) {
            Some((_, victim)) => format!(
                "the {name} on {from_name} cannot take the {} on {to_name}: {}",
                victim.name(),
                self.capture_refusal(side, kind, victim, action)
            ),
            None => format!("the {name} cannot go from {from_name} to {to_name}"),
        }
    }

    /// Why an animal does not get to a square that is not next to it; `None` if it does.
    fn leap_refusal(
        &self,
        position: &Position,
        side: Side,
        kind: Kind,
        action: Action,
    ) -> Option<String> {
        let board = self.board();
        let name = kind.name();
        let found = Direction::ALL.into_iter().find_map(|direction| {
            let (landing, crossed) = board.leap(action.from, direction)?;
            (landing == action.to).then_some((direction, crossed))
        });
        let Some((direction, crossed)) = found else {
            return Some(format!(
                "{} is not next to {}, nor does a jump over water lead there",
                board.square_name(action.to),
                board.square_name(action.from)
            ));
        };
        let jump = self.options().jump(kind);
        let (jumps, line) = match direction.along_file() {
            true => (jump.along(), "along the files"),
            false => (jump.across(), "across the files"),
        };
        if !jumps {
            return Some(format!("the {name} does not jump {line}"));
        }
        if position.animals_block(self, side, crossed) {
            let blocker = super::bits(crossed).find_map(|square| {
                let (owner, kind) = position.animal(square)?;
                position
                    .animals_block(self, side, 1 << square)
                    .then(|| (owner, kind.name(), board.square_name(square)))
            });
            return blocker.map(|(owner, blocker, at)| {
                let whose = if owner == side { "own" } else { "enemy" };
                format!("the jump of the {name} is blocked by the {whose} {blocker} on {at}")
            });
        }
        None
    }

    /// Why one kind may not take the other there.
    fn capture_refusal(&self, side: Side, kind: Kind, victim: Kind, action: Action) -> String {
        let board = self.board();
        let weak = |side: Side, square: u8| self.weakening(side) >> square & 1 != 0;
        let rules = self.options();
        if weak(side, action.from) && !rules.trapped_takes {
            return "an animal that a trap weakens may not capture".into();
        }
        match (board.is_water(action.from), board.is_water(action.to)) {
            (true, false) => return "these may not capture from water to land".into(),
            (false, true) => return "these may not capture from land to water".into(),
            _ => {}
        }
        if (kind, victim) == (Kind::Elephant, Kind::Rat) {
            return match rules.elephant_takes_rat {
                ElephantTakesRat::OwnTrap => {
                    "the elephant takes only a rat that a trap weakens".into()
                }
                _ => "the elephant never takes the rat".into(),
            };
        }
        "it is weaker".into()
    }
}

impl Position {
    /// Does an animal on these squares of water block a jump of `side`?
    fn animals_block(&self, game: &Jungle, side: Side, crossed: u64) -> bool {
        let blocking = |owner| self.squares(owner) & game.0.tables.blocking(side, owner);
        (blocking(Side::First) | blocking(Side::Second)) & crossed != 0
    }
}
