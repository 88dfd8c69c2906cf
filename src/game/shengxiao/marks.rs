//! The marks field of a position text: what lasts from turn to turn, and the state in mid-turn.
//!
//! Marks are joined by commas, in any order; `-` if there are none.
//!
//! | mark | meaning |
//! |---|---|
//! | `held:Xd` | South's ox and North's dog were pulled by the enemy and may not act |
//! | `bitten:S` | South's snake was bitten and may neither act nor be moved |
//! | `nobite:sn` | South and North bit in their last turns |
//! | `noswap` | the acting side's dragon may not swap with the enemy dragon |
//! | `pulls` | in mid-turn: the hare may pull |
//! | `chain` | in mid-turn: animals beside the rooster may act |
//! | `moved:HKx` | in mid-turn: these animals were displaced in this turn |
//! | `bit`, `swapped`, `encircled` | in mid-turn: what happened in this turn |
//! | `over:s-goal` | South has won (`encircled`, `goal` or `caught`); the side is the last to act |

use super::Shengxiao;
use super::board::{Animal, Animals, Phase, Position, Win};
use super::text::{refuse, side_letter, side_of};
use crate::game::{Side, TextError};

/// The names of the wins in a marks field.
const WINS: [(&str, Win); 3] =
    [("encircled", Win::Encircled), ("goal", Win::Goal), ("caught", Win::Caught)];

impl Shengxiao {
    /// Marks must name animals on the board and agree with each other.
    pub(super) fn check_marks(&self, position: &Position, marks: &str) -> Result<(), TextError> {
        let wrong = |why: &str| refuse(format!("marks `{marks}`: {why}"));
        let (acting, other) = (position.side.index(), position.side.other().index());
        for side in Side::BOTH {
            let index = side.index();
            let marked = position.held[index] | position.bitten[index] | position.moved[index];
            for animal in Animal::ALL {
                if marked & animal.flag() != 0 && position.place(side, animal) == 0 {
                    let letter = animal.letter(side);
                    return wrong(&format!("`{letter}` does not stand on the board"));
                }
            }
        }
        let done = position.bit
            || position.swapped
            || position.encircled
            || position.moved != [0; 2]
            || position.held[other] | position.bitten[other] != 0;
        match position.phase {
            Phase::Start if done => wrong(
                "at the start of a turn only the acting side is held or bitten, and nothing was \
                 done yet",
            ),
            Phase::Pulls if position.moved[acting] & Animal::Hare.flag() == 0 => {
                wrong("`pulls` needs the acting side's hare among the moved")
            }
            Phase::Pulls if !self.can_pull(position) => wrong("the hare can pull nobody"),
            Phase::Chain if position.moved[acting] & Animal::Rooster.flag() == 0 => {
                wrong("`chain` needs the acting side's rooster among the moved")
            }
            Phase::Chain if !self.can_act(position, self.actors(position)) => {
                wrong("nobody beside the rooster can act")
            }
            Phase::Over { winner, win } if !self.could_be_won(position, winner, win) => {
                wrong("the board shows no such win")
            }
            _ => Ok(()),
        }
    }

    /// Is this the first of the wins that the board shows?
    fn could_be_won(&self, position: &Position, winner: Side, win: Win) -> bool {
        let (acting, other) = (position.side, position.side.other());
        let rat = |side: Side| position.place(side, Animal::Rat);
        let on_goal = |side: Side| rat(side) & self.geometry.goal[side.index()] != 0;
        let shown = if rat(other) == 0 {
            (acting, Win::Encircled)
        } else if rat(acting) == 0 {
            (other, Win::Encircled)
        } else if on_goal(acting) {
            (acting, Win::Goal)
        } else if on_goal(other) {
            (other, Win::Goal)
        } else {
            (acting, Win::Caught)
        };
        let near = self.geometry.spread(rat(other)) & position.stands[acting.index()];
        shown == (winner, win) && (win != Win::Caught || near != 0)
    }
}

/// Reads one mark into the position; agreement with the others is checked later.
pub(super) fn read_mark(position: &mut Position, mark: &str) -> Result<(), TextError> {
    let (key, value) = match mark.split_once(':') {
        Some((key, value)) => (key, Some(value)),
        None => (mark, None),
    };
    let again = || TextError::new(format!("mark `{mark}`: `{key}` is given twice"));
    let set = |flag: &mut bool| {
        if std::mem::replace(flag, true) { Err(again()) } else { Ok(()) }
    };
    match (key, value) {
        ("held", Some(letters)) => read_animals(&mut position.held, mark, letters),
        ("bitten", Some(letters)) => read_animals(&mut position.bitten, mark, letters),
        ("moved", Some(letters)) => read_animals(&mut position.moved, mark, letters),
        ("nobite", Some(sides)) if !sides.is_empty() => {
            for letter in sides.chars() {
                match side_of(letter.encode_utf8(&mut [0; 4])) {
                    Some(side) => set(&mut position.bite_ban[side.index()])?,
                    None => {
                        return refuse(format!("mark `{mark}`: `{letter}` must be `s` or `n`"));
                    }
                }
            }
            Ok(())
        }
        ("noswap", None) => set(&mut position.swap_ban),
        ("bit", None) => set(&mut position.bit),
        ("swapped", None) => set(&mut position.swapped),
        ("encircled", None) => set(&mut position.encircled),
        ("pulls" | "chain", None) | ("over", Some(_)) if position.phase != Phase::Start => {
            refuse(format!("mark `{mark}`: only one of `pulls`, `chain` and `over` can be given"))
        }
        ("pulls", None) => {
            position.phase = Phase::Pulls;
            Ok(())
        }
        ("chain", None) => {
            position.phase = Phase::Chain;
            Ok(())
        }
        ("over", Some(how)) => {
            let found = how.split_once('-').and_then(|(side, win)| {
                let winner = side_of(side)?;
                WINS.into_iter().find(|(name, _)| *name == win).map(|(_, win)| (winner, win))
            });
            let Some((winner, win)) = found else {
                return refuse(format!(
                    "mark `{mark}`: it must be `over:`, `s` or `n`, `-`, and `encircled`, `goal` \
                     or `caught`"
                ));
            };
            position.phase = Phase::Over { winner, win };
            Ok(())
        }
        _ => refuse(format!(
            "`{mark}` is no mark; marks are `held:`, `bitten:` and `moved:` with letters of \
             animals, `nobite:` with sides, `noswap`, `pulls`, `chain`, `bit`, `swapped`, \
             `encircled` and `over:`; `-` if there are none"
        )),
    }
}

fn read_animals(set: &mut [Animals; 2], mark: &str, letters: &str) -> Result<(), TextError> {
    if letters.is_empty() {
        return refuse(format!("mark `{mark}` names no animal"));
    }
    for letter in letters.chars() {
        let Some((side, animal)) = Animal::from_letter(letter) else {
            return refuse(format!("mark `{mark}`: `{letter}` is no animal"));
        };
        if set[side.index()] & animal.flag() != 0 {
            return refuse(format!("mark `{mark}`: `{letter}` is given twice"));
        }
        set[side.index()] |= animal.flag();
    }
    Ok(())
}

/// The marks of a position, joined by commas.
pub(super) fn marks_of(position: &Position) -> String {
    let mut marks = Vec::new();
    let sets = [("held", position.held), ("bitten", position.bitten)];
    for (key, set) in sets {
        if set != [0; 2] {
            marks.push(format!("{key}:{}", letters_of(set)));
        }
    }
    if position.bite_ban != [false; 2] {
        let banned = Side::BOTH.into_iter().filter(|side| position.bite_ban[side.index()]);
        marks.push(format!("nobite:{}", banned.map(side_letter).collect::<String>()));
    }
    if position.swap_ban {
        marks.push(String::from("noswap"));
    }
    match position.phase {
        Phase::Start => {}
        Phase::Pulls => marks.push(String::from("pulls")),
        Phase::Chain => marks.push(String::from("chain")),
        Phase::Over { winner, win } => {
            let name =
                WINS.into_iter().find(|&(_, known)| known == win).map_or("", |(name, _)| name);
            marks.push(format!("over:{}-{name}", side_letter(winner)));
        }
    }
    if position.moved != [0; 2] {
        marks.push(format!("moved:{}", letters_of(position.moved)));
    }
    let flags =
        [("bit", position.bit), ("swapped", position.swapped), ("encircled", position.encircled)];
    marks.extend(flags.into_iter().filter(|flag| flag.1).map(|flag| flag.0.to_string()));
    marks.join(",")
}

fn letters_of(set: [Animals; 2]) -> String {
    Side::BOTH
        .into_iter()
        .flat_map(|side| Animal::ALL.map(|animal| (side, animal)))
        .filter(|(side, animal)| set[side.index()] & animal.flag() != 0)
        .map(|(side, animal)| animal.letter(side))
        .collect()
}
