//! What a person is told: why an action is refused, what an action does, the board to draw with
//! its notes.

use super::Shengxiao;
use super::action::{Action, Deed};
use super::board::{Animal, Phase, Position};
use super::geometry::{bit, squares};
use super::skills::Obstacle;
use super::text::side_letter;
use crate::game::{Cell, Game, Ground, Notation, Piece, Side, Sketch, TextError};

impl Notation for Shengxiao {
    fn parse_position(&self, text: &str) -> Result<Position, TextError> {
        self.read_position(text)
    }

    fn position_text(&self, position: &Position) -> String {
        self.write_position(position)
    }

    fn action_text(&self, position: &Position, action: Action) -> String {
        self.write_deed(position, action.deed())
    }

    fn parse_action(&self, position: &Position, text: &str) -> Result<Action, TextError> {
        let deed = self.read_deed(position, text)?;
        let action = Action::from(deed);
        let mut legal = Vec::new();
        self.actions(position, &mut legal);
        if legal.binary_search(&action).is_ok() {
            return Ok(action);
        }
        Err(TextError::new(format!("`{text}`: {}", self.refusal(position, deed))))
    }

    fn describe(&self, position: &Position, action: Action) -> String {
        let mut words = self.deed_in_words(position, action.deed());
        let mut next = *position;
        self.play(&mut next, action);
        for side in [position.side.other(), position.side] {
            let taken: Vec<&str> = Animal::ALL
                .into_iter()
                .filter(|&animal| {
                    position.place(side, animal) != 0 && next.place(side, animal) == 0
                })
                .map(Animal::name)
                .collect();
            if !taken.is_empty() {
                let whose = if side == position.side { "own" } else { "enemy" };
                words += &format!("; {whose} animals encircled: {}", taken.join(", "));
            }
        }
        words
    }

    fn sketch(&self, position: &Position) -> Sketch {
        let (width, height) = (self.geometry.width, self.geometry.height);
        let cell = |square: u8| Cell {
            ground: Side::BOTH
                .into_iter()
                .find(|side| self.geometry.goal[side.index()] & bit(square) != 0)
                .map_or(Ground::Land, Ground::Den),
            piece: position.at(square).map(|(side, animal)| Piece {
                side,
                letter: animal.letter(side),
                emoji: animal.emoji(),
                name: animal.name(),
            }),
        };
        let cells = (0..height)
            .rev()
            .flat_map(|rank| (0..width).map(move |file| (rank * width + file) as u8))
            .map(cell)
            .collect();
        Sketch { width, height, cells, notes: self.notes(position) }
    }

    fn den_name(&self) -> &'static str {
        "goal rank"
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["South", "North"][side.index()]
    }

    fn side_letter(&self, side: Side) -> &'static str {
        side_letter(side)
    }
}

/// The animal that acts, and what it does to another.
fn skill_of(deed: Deed) -> (Animal, &'static str) {
    match deed {
        Deed::Push { .. } => (Animal::Ox, "push"),
        Deed::Swap { .. } => (Animal::Dragon, "swap with"),
        Deed::Bite { .. } => (Animal::Dog, "bite"),
        Deed::Shift { .. } => (Animal::Pig, "shift"),
        Deed::Pull { .. } | Deed::End => (Animal::Hare, "pull"),
        Deed::Walk { animal, .. } => (animal, "walk"),
    }
}

/// How an animal walks.
fn manner(animal: Animal) -> &'static str {
    match animal {
        Animal::Rat => {
            "one step up, down, left or right, from the last rank before the line also diagonally \
             across it, beyond the line in all eight directions"
        }
        Animal::Ox | Animal::Rooster => "one step up, down, left or right",
        Animal::Tiger => {
            "one or two free squares straight; motivated also over one animal beside it"
        }
        Animal::Hare => "one step diagonally",
        Animal::Dragon => "one step in all eight directions",
        Animal::Snake => "any distance diagonally over empty squares",
        Animal::Horse => "a knight's move",
        Animal::Goat => {
            "one step up, down, left or right, or jumps diagonally over animals in one direction; \
             motivated it may turn between jumps and jump over an unbroken string"
        }
        Animal::Monkey => {
            "one step up, down, left or right, or jumps over animals beside it in one direction; \
             motivated it may turn between jumps"
        }
        Animal::Dog => "one step up, down, left or right, or diagonally along an enemy beside it",
        Animal::Pig => "one step up or down, or any distance left or right over empty squares",
    }
}

impl Shengxiao {
    /// The animal on a square, as a person calls it.
    fn name_at(&self, position: &Position, square: u8) -> &'static str {
        position.at(square).map_or("square", |(_, animal)| animal.name())
    }

    /// Why an action that is not legal is refused.
    fn refusal(&self, position: &Position, deed: Deed) -> String {
        let (actor, verb) = skill_of(deed);
        let name = actor.name();
        match (position.phase, deed) {
            (Phase::Over { .. }, _) => return String::from("the game is over"),
            (Phase::Start, _) if position.quiet >= self.rules.quiet_turns => {
                return String::from("the game is over: nothing was encircled for too long");
            }
            (_, Deed::End) => return String::from("a turn cannot end before something was done"),
            (Phase::Pulls, Deed::Pull { .. }) => {}
            (Phase::Pulls, _) => {
                return String::from("the hare may pull: only pulls and `end` are possible now");
            }
            (_, Deed::Pull { .. }) => {
                return String::from(
                    "the hare cannot pull: it pulls right after it was displaced by its own side, \
                     as long as it has somebody to pull",
                );
            }
            _ => {}
        }
        if !matches!(deed, Deed::Pull { .. })
            && let Some(why) = self.idle_actor(position, actor)
        {
            return format!("the {name} cannot {}: {why}", verb.trim_end_matches(" with"));
        }
        let obstacle = match deed {
            Deed::Walk { animal, to } => return self.walk_refusal(position, animal, to),
            Deed::Push { toward, gap } => self.push(position, toward, gap).err(),
            Deed::Swap { toward } => self.swap(position, toward).err(),
            Deed::Bite { toward } => self.bite(position, toward).err(),
            Deed::Shift { east, files, exchange } => {
                self.shift(position, east, files, exchange).err()
            }
            Deed::Pull { toward } => self.pull(position, toward).err(),
            Deed::End => None,
        };
        match obstacle {
            Some(obstacle) => self.obstacle_in_words(position, actor, verb, obstacle),
            None => format!("the {name} cannot {verb} now"),
        }
    }

    /// Why the acting side's animal may neither walk nor use its skill, if it may not.
    fn idle_actor(&self, position: &Position, actor: Animal) -> Option<String> {
        let index = position.side.index();
        let why = if position.place(position.side, actor) == 0 {
            "it was taken off the board"
        } else if position.bitten[index] & actor.flag() != 0 {
            "it was bitten in the last turn"
        } else if position.held[index] & actor.flag() != 0 {
            "it was pulled by the enemy hare in the last turn"
        } else if self.actors(position) & actor.flag() != 0 {
            return None;
        } else if position.moved[index] & actor.flag() != 0 {
            "it acted or was displaced in this turn already"
        } else {
            "the turn goes on only with animals beside the displaced rooster"
        };
        Some(why.to_string())
    }

    fn walk_refusal(&self, position: &Position, animal: Animal, to: u8) -> String {
        let (name, target) = (animal.name(), self.geometry.name(to));
        match position.at(to) {
            Some((side, own)) if side == position.side && own == animal => {
                format!("the {name} stands on {target} already")
            }
            Some((_, other)) => format!(
                "the {name} cannot walk to {target}: the {} stands there, and walking never \
                 captures",
                other.name()
            ),
            None => {
                format!("the {name} cannot walk to {target}: it walks {}", manner(animal))
            }
        }
    }

    fn obstacle_in_words(
        &self,
        position: &Position,
        actor: Animal,
        verb: &str,
        obstacle: Obstacle,
    ) -> String {
        let name = actor.name();
        let at = |square: u8| self.geometry.name(square);
        let who = |square: u8| self.name_at(position, square);
        let (object, why) = match obstacle {
            Obstacle::Gone => (None, String::from("it was taken off the board")),
            Obstacle::Edge => (None, String::from("the board ends there")),
            Obstacle::Nobody(square) => (None, format!("nobody stands on {}", at(square))),
            Obstacle::Taken(square) => {
                let stands =
                    format!("{} must be empty, but the {} stands there", at(square), who(square));
                (None, stands)
            }
            Obstacle::Joined(square) => {
                let side = position.side.other();
                let friends = position.stands[side.index()] & self.geometry.spread(bit(square));
                let friend = squares(friends).next().map_or("friend", who);
                let why =
                    format!("it is joined with its {friend}, and the {name} is not motivated");
                (Some(square), why)
            }
            Obstacle::Bitten(square) => {
                (Some(square), String::from("it was bitten and cannot be moved"))
            }
            Obstacle::Displaced(square) => {
                (Some(square), String::from("it acted or was displaced in this turn already"))
            }
            Obstacle::BiteBan => {
                (None, String::from("a side may not bite in two of its turns running"))
            }
            Obstacle::SwapBan => (
                None,
                String::from(
                    "the enemy dragon swapped with it in the last turn, so the two may \
                              not swap now",
                ),
            ),
            Obstacle::Idle => {
                (None, String::from("a slide by 0 files without a change of places does nothing"))
            }
            Obstacle::Watched => (
                None,
                String::from(
                    "the two cannot change places, because another animal stands beside them both \
                     before and after the slide",
                ),
            ),
        };
        match object {
            Some(square) => format!("the {name} cannot {verb} the {}: {why}", who(square)),
            None => format!("the {name} cannot {}: {why}", verb.trim_end_matches(" with")),
        }
    }

    /// What an action does, encirclement left aside.
    fn deed_in_words(&self, position: &Position, deed: Deed) -> String {
        let name = |steps: Result<[super::skills::Step; 2], Obstacle>| match steps {
            Ok([other, _]) if other.side == position.side => {
                format!("its own {}", other.animal.name())
            }
            Ok([other, _]) => format!("the {}", other.animal.name()),
            Err(_) => String::from("nobody"),
        };
        match deed {
            Deed::Walk { animal, to } => {
                let from = position.square(position.side, animal);
                let (from, to) = (self.geometry.name(from), self.geometry.name(to));
                format!("the {} walks from {from} to {to}", animal.name())
            }
            Deed::Push { toward, gap } => {
                let across = if gap { " across an empty square" } else { "" };
                let pushed = name(self.push(position, toward, gap));
                format!("the ox pushes {pushed} {}{across}", toward.word())
            }
            Deed::Swap { toward } => {
                let other = name(self.swap(position, toward));
                format!("the dragon changes places with {other} to the {}", toward.word())
            }
            Deed::Bite { toward } => {
                let bitten = name(self.bite(position, toward));
                format!("the dog bites {bitten} and drags it {}", toward.opposite().word())
            }
            Deed::Shift { east, files, exchange } => {
                let partner = name(self.shift(position, east, files, exchange));
                let places = if exchange { "change places" } else { "" };
                let slide = match files {
                    0 => String::new(),
                    _ => {
                        let way = if files > 0 { "east" } else { "west" };
                        let count = files.unsigned_abs();
                        let unit = if count == 1 { "file" } else { "files" };
                        format!("slide {count} {unit} {way}")
                    }
                };
                let both = if files != 0 && exchange { " and " } else { "" };
                format!("the pig and {partner} {slide}{both}{places}")
            }
            Deed::Pull { toward } => match self.pull(position, toward) {
                Ok(step) => {
                    let whose = if step.side == position.side { "its own" } else { "the" };
                    let to = self.geometry.name(step.to);
                    format!("the hare pulls {whose} {} to {to}", step.animal.name())
                }
                Err(_) => String::from("the hare pulls nobody"),
            },
            Deed::End if position.phase == Phase::Pulls => String::from("the hare pulls no more"),
            Deed::End => String::from("the turn ends"),
        }
    }

    /// Lines beside the board: motivation, marks, what may be done, the count.
    fn notes(&self, position: &Position) -> Vec<String> {
        let mut notes = Vec::new();
        for side in Side::BOTH {
            let name = self.side_name(side);
            let names = |mask: u64| {
                let found: Vec<&str> =
                    squares(mask).map(|square| self.name_at(position, square)).collect();
                found.join(", ")
            };
            let motivated = self.motivated(position, side);
            let rat = position.place(side, Animal::Rat) & self.geometry.advanced(side) != 0;
            if rat {
                notes.push(format!("{name}: all motivated, the rat has come to the line"));
            } else if motivated != 0 {
                notes.push(format!("{name}: motivated by the rooster: {}", names(motivated)));
            }
            let marks = [
                ("pulled, cannot act", position.held),
                ("bitten, can neither act nor be moved", position.bitten),
                ("displaced in this turn", position.moved),
            ];
            for (what, set) in marks {
                let mask = position.places(side, set[side.index()]);
                if mask != 0 {
                    notes.push(format!("{name}: {what}: {}", names(mask)));
                }
            }
            if position.bite_ban[side.index()] {
                notes.push(format!("{name}: the dog bit in the last turn and may not bite"));
            }
        }
        let acting = self.side_name(position.side);
        if position.swap_ban {
            notes.push(format!("{acting}: the dragon may not swap with the enemy dragon"));
        }
        match position.phase {
            Phase::Pulls => notes.push(format!("{acting}: the hare may pull, or `end`")),
            Phase::Chain => {
                notes.push(format!("{acting}: animals beside the rooster may act, or `end`"));
            }
            Phase::Start | Phase::Over { .. } => {}
        }
        let limit = self.rules.quiet_turns;
        notes.push(format!("turns without encirclement: {} of {limit}", position.quiet));
        notes
    }
}
