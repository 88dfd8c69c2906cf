//! What of a rule set matters to tables: which sets have any, their hash, and their symmetries.

use super::code::Code;
use super::material::{Signature, choices};
use crate::game::jungle::{Equal, Jungle, Kind, Limit, Repetition, Rules, RulesError};
use crate::game::{Game, Side};
use serde_json::Value;
use std::collections::BTreeSet;

/// Options that change no entry of a table.
const WITHOUT_EFFECT: [&str; 5] =
    ["setup", "no_capture_limit", "max_plies", "repetition", "repetition_count"];

/// Why a rule set has no tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulebookError {
    #[error(
        "these rules have no tables: with `repetition` = `{0}` the value of a position rests on \
         what was played before, which tables do not know; `--set rules.repetition=none` or \
         `draw` is right"
    )]
    History(&'static str),
    #[error("these rules have no tables: {0}")]
    Rules(#[from] RulesError),
}

/// A rule set as tables see it.
#[derive(Clone, Debug)]
pub struct Rulebook {
    /// The game without counts and repetition.
    game: Jungle,
    hash: String,
    pub(super) code: Code,
    /// Is the board its own left–right mirror image?
    pub(super) mirrored: bool,
    /// Is the board its own image with the colours exchanged?
    pub(super) turned: bool,
    /// Squares on which an animal of the kind can stand while the game goes on.
    pub(super) grounds: [Vec<u8>; 8],
}

impl Rulebook {
    /// Of a game; an error under rules that make values depend on history.
    pub fn new(game: &Jungle) -> Result<Rulebook, RulebookError> {
        let rules = game.options();
        match rules.repetition {
            Repetition::None | Repetition::Draw => {}
            Repetition::Loss => return Err(RulebookError::History("loss")),
            Repetition::Forbidden => return Err(RulebookError::History("forbidden")),
        }
        let game = Jungle::new(Rules {
            no_capture_limit: Limit(None),
            max_plies: Limit(None),
            repetition: Repetition::None,
            ..rules.clone()
        })?;
        let board = game.board();
        let dens = board.dens[0] | board.dens[1];
        let grounds = Kind::ALL.map(|kind| {
            (0..board.squares())
                .filter(|&square| dens >> square & 1 == 0)
                .filter(|&square| game.swims(kind) || !board.is_water(square))
                .collect()
        });
        let code = match rules.equal {
            Equal::Take => Code::Alternating,
            Equal::BothDie => Code::Free,
        };
        Ok(Rulebook {
            hash: hash(&game.rules()),
            code,
            mirrored: game.is_mirrored(),
            turned: game.is_turned(),
            grounds,
            game,
        })
    }

    /// The game without counts and repetition.
    pub fn game(&self) -> &Jungle {
        &self.game
    }

    /// 16 hexadecimal digits, equal for rule sets with equal tables.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The options that matter, as a JSON record.
    pub fn options(&self) -> Value {
        relevant(&self.game.rules())
    }

    /// The signature whose table serves this one, and whether colours are exchanged for it.
    pub fn canonical(&self, signature: &Signature) -> (Signature, bool) {
        if self.turned && signature.wants_turning() {
            (signature.turned(), true)
        } else {
            (signature.clone(), false)
        }
    }

    /// All signatures of `count` animals that can arise from the set-up, sorted by name.
    pub fn signatures(&self, count: usize) -> Vec<Signature> {
        let start = self.game.start();
        let most = Side::BOTH.map(|side| {
            let mut most = [0; 8];
            for (kind, _) in start.animals(side) {
                most[kind.index()] += 1;
            }
            most
        });
        let mut found = BTreeSet::new();
        for of_first in 1..count {
            for first in choices(&most[0], of_first) {
                for second in choices(&most[1], count - of_first) {
                    let signature = Signature::new(first.clone(), second);
                    found.insert(self.canonical(&signature).0);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The signatures that a capture leads to, from one that is canonical.
    pub fn below(&self, signature: &Signature) -> Vec<Signature> {
        let both_die = self.game.options().equal == Equal::BothDie;
        let mut found = BTreeSet::new();
        let animals = signature.animals();
        let mut add = |without: &[usize]| {
            let of = |side: Side| {
                let left = animals.iter().enumerate().filter(|(index, _)| !without.contains(index));
                left.filter(|(_, animal)| animal.0 == side).map(|(_, animal)| animal.1).collect()
            };
            let smaller = Signature::new(of(Side::First), of(Side::Second));
            if Side::BOTH.iter().all(|&side| !smaller.side(side).is_empty()) {
                found.insert(self.canonical(&smaller).0);
            }
        };
        for (index, &(side, kind)) in animals.iter().enumerate() {
            add(&[index]);
            let twin = animals.iter().position(|&other| other == (side.other(), kind));
            if let Some(twin) = twin.filter(|_| both_die) {
                add(&[index, twin]);
            }
        }
        found.into_iter().collect()
    }
}

/// The options of a record that matter to tables.
fn relevant(rules: &Value) -> Value {
    let mut rules = rules.clone();
    if let Value::Object(record) = &mut rules {
        record.retain(|key, _| !WITHOUT_EFFECT.contains(&key.as_str()));
        record.sort_keys();
    }
    rules
}

fn hash(rules: &Value) -> String {
    let text = format!("jungle tables\n{}", relevant(rules));
    blake3::hash(text.as_bytes()).to_hex()[..16].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(rules: Rules) -> Result<Rulebook, RulebookError> {
        Rulebook::new(&Jungle::new(rules).unwrap())
    }

    #[test]
    fn counts_and_repetition_do_not_matter_and_rules_of_history_are_refused() {
        let standard = book(Rules::default()).unwrap();
        let limits = Rules {
            no_capture_limit: Limit(None),
            max_plies: Limit(Some(70)),
            repetition: Repetition::Draw,
            setup: "l6/7/7/7/7/7/7/7/6L w 0 1".into(),
            ..Rules::default()
        };
        assert_eq!(standard.hash(), book(limits).unwrap().hash());
        let wikipedia = book(Rules::preset("wikipedia").unwrap()).unwrap();
        assert_ne!(standard.hash(), wikipedia.hash());
        assert_eq!(standard.hash().len(), 16);
        let board = Rules { board: Rules::default().board.replace('~', "."), ..Rules::default() };
        assert_ne!(standard.hash(), book(board).unwrap().hash());
        for repetition in [Repetition::Loss, Repetition::Forbidden] {
            let error = book(Rules { repetition, ..Rules::default() }).unwrap_err().to_string();
            assert!(error.contains("rules.repetition=none"), "{error}");
        }
    }

    #[test]
    fn as_many_signatures_as_in_the_literature() {
        let book = book(Rules::default()).unwrap();
        let count = |animals| book.signatures(animals).len();
        assert_eq!([count(2), count(3), count(4)], [36, 224, 854]);
        let below = book.below(&Signature::parse("LTvlr").unwrap());
        let names: Vec<String> = below.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["LRvt", "LRvl", "LTvr", "LTvl"]);
    }
}
