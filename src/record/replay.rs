//! Replaying a record through the rules: what a file claims is believed only where the rules
//! agree.

use super::game::{End, FORMAT, GameRecord, Searched, WHOLE};
use super::rules::RulesHash;
use crate::game::{Line, Notation, Side};
use crate::search::Wdl;

/// A record that the rules agree with, in the compact form of the replay window.
#[derive(Clone, Debug)]
pub struct Replayed<G: Notation> {
    pub index: u64,
    pub generation: u64,
    pub opening_plies: u32,
    pub start: G::Position,
    pub actions: Vec<G::Action>,
    /// With ascending plies; indices and plies are in range.
    pub searched: Vec<Searched>,
    pub end: End,
}

impl<G: Notation> Replayed<G> {
    /// Memory that the game takes, in bytes, from its lengths alone: the same on every machine.
    pub fn bytes(&self) -> u64 {
        let target = |searched: &Searched| block(size_of_val(&searched.target[..]));
        size_of::<Self>() as u64
            + block(size_of_val(&self.actions[..]))
            + block(size_of_val(&self.searched[..]))
            + self.searched.iter().map(target).sum::<u64>()
    }

    /// What one searched position with `actions` legal actions adds to [`Replayed::bytes`], and
    /// the action that is played there.
    pub fn bytes_per_position(actions: u64) -> u64 {
        let target = block(actions as usize * size_of::<(u16, u16)>());
        (size_of::<Searched>() + size_of::<G::Action>()) as u64 + target
    }
    /// The game from its start, to be walked with `actions`.
    pub fn line(&self, game: &G) -> Line<G> {
        Line::from_position(game, self.start.clone())
    }
}

/// What the heap takes for a block of so many bytes: a word before it, in steps of two words.
fn block(bytes: usize) -> u64 {
    if bytes == 0 { 0 } else { (bytes as u64 + 8).next_multiple_of(16).max(32) }
}

/// Why a record was not believed. Every message names the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {index}: {what}")]
pub struct ReplayError {
    pub index: u64,
    pub what: Disagreement,
}

/// Where record and rules disagree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    #[error("record of format version {found}, this program reads version {FORMAT}")]
    Format { found: u16 },
    #[error("a game of {found}, expected one of {expected}")]
    Game { found: String, expected: &'static str },
    #[error("played by the rules {found}, expected the rules {expected}")]
    Rules { found: RulesHash, expected: RulesHash },
    #[error("its start \"{text}\" cannot be read: {why}")]
    Start { text: String, why: String },
    #[error("ply {ply}: \"{action}\" {why}")]
    Action { ply: u32, action: String, why: String },
    #[error("the search at ply {ply} {why}")]
    Search { ply: u32, why: String },
    #[error("after {plies} plies the record says {stated}, the rules say {ruled}")]
    End { plies: u32, stated: String, ruled: String },
}

impl GameRecord {
    /// Walks the record through the rules. Every action must be legal (repetition rules
    /// included), every search in range, and the stated end must be the end by the rules.
    pub fn replay<G: Notation>(&self, game: &G) -> Result<Replayed<G>, ReplayError> {
        self.walk(game, |_| ()).map_err(|what| ReplayError { index: self.index, what })
    }

    /// As [`GameRecord::replay`], with a look at the line before each action and at the end.
    pub(super) fn replay_with<G: Notation>(
        &self,
        game: &G,
        look: impl FnMut(&Line<G>),
    ) -> Result<Replayed<G>, ReplayError> {
        self.walk(game, look).map_err(|what| ReplayError { index: self.index, what })
    }

    fn walk<G: Notation>(
        &self,
        game: &G,
        mut look: impl FnMut(&Line<G>),
    ) -> Result<Replayed<G>, Disagreement> {
        self.check_identity(game)?;
        let start = match &self.start {
            None => game.start(),
            Some(text) => game.parse_position(text).map_err(|error| Disagreement::Start {
                text: text.clone(),
                why: error.to_string(),
            })?,
        };
        let mut line = Line::from_position(game, start.clone());
        let mut searches = self.searched.iter().peekable();
        let mut legal = Vec::new();
        let mut actions = Vec::with_capacity(self.actions.len());
        for text in &self.actions {
            look(&line);
            line.actions(&mut legal);
            let action = read_action(&line, &legal, text)?;
            if let Some(searched) = searches.next_if(|searched| searched.ply == line.ply()) {
                check_search(searched, legal.len())?;
            }
            line.play(action);
            actions.push(action);
        }
        look(&line);
        // A game that was decided early may end with a search of its last position.
        line.actions(&mut legal);
        if let Some(searched) = searches.next_if(|searched| searched.ply == line.ply()) {
            check_search(searched, legal.len())?;
        }
        if let Some(searched) = searches.next() {
            let plies = self.actions.len();
            let why = format!("is out of order or beyond the {plies} plies of the game");
            return Err(Disagreement::Search { ply: searched.ply, why });
        }
        check_end(&self.end, &line)?;
        Ok(Replayed {
            index: self.index,
            generation: self.generation,
            opening_plies: self.opening_plies,
            start,
            actions,
            searched: self.searched.clone(),
            end: self.end.clone(),
        })
    }

    fn check_identity<G: Notation>(&self, game: &G) -> Result<(), Disagreement> {
        if self.format != FORMAT {
            return Err(Disagreement::Format { found: self.format });
        }
        if self.game != game.name() {
            let (found, expected) = (self.game.clone(), game.name());
            return Err(Disagreement::Game { found, expected });
        }
        let expected = RulesHash::of(game);
        if self.rules != expected {
            return Err(Disagreement::Rules { found: self.rules, expected });
        }
        Ok(())
    }
}

fn read_action<G: Notation>(
    line: &Line<G>,
    legal: &[G::Action],
    text: &str,
) -> Result<G::Action, Disagreement> {
    let refuse =
        |why: String| Disagreement::Action { ply: line.ply(), action: text.to_string(), why };
    if let Some(outcome) = line.outcome() {
        return Err(refuse(format!("comes after the end: {}", outcome.reason)));
    }
    let action = line.game().parse_action(line.position(), text);
    let action = action.map_err(|error| refuse(format!("is not legal: {error}")))?;
    match legal.binary_search(&action) {
        Ok(_) => Ok(action),
        Err(_) => Err(refuse(String::from("is not legal: it repeats a position too often"))),
    }
}

fn check_search(searched: &Searched, legal: usize) -> Result<(), Disagreement> {
    let refuse = |why| Err(Disagreement::Search { ply: searched.ply, why });
    if searched.target.is_empty() && searched.full {
        return refuse(String::from("is a full one without a policy target"));
    }
    for pair in searched.target.windows(2) {
        if pair[0].0 >= pair[1].0 {
            return refuse(format!("lists action {} after action {}", pair[1].0, pair[0].0));
        }
    }
    if let Some(&(last, _)) = searched.target.last() {
        if usize::from(last) >= legal {
            return refuse(format!("names action {last}, but there are {legal}, from 0"));
        }
        let sum: u32 = searched.target.iter().map(|&(_, share)| u32::from(share)).sum();
        if sum != WHOLE {
            return refuse(format!("has shares that sum to {sum}, expected {WHOLE}"));
        }
    }
    for (name, value) in [("root", searched.root), ("raw", searched.raw)] {
        if !is_distribution(value) {
            return refuse(format!("has a {name} value that is no distribution: {value:?}"));
        }
    }
    Ok(())
}

fn is_distribution(value: Wdl) -> bool {
    let chances = [value.first, value.draw, value.second];
    let in_range = chances.iter().all(|chance| (-1e-3..=1.001).contains(chance));
    in_range && (chances.iter().sum::<f32>() - 1.0).abs() < 1e-2
}

fn check_end<G: Notation>(end: &End, line: &Line<G>) -> Result<(), Disagreement> {
    let ruled = line.outcome();
    let agree = match (end, ruled) {
        (End::Finished { winner, margin, .. }, Some(outcome)) => {
            (*winner, *margin) == (outcome.winner, outcome.margin)
        }
        (End::Adjudicated { .. } | End::Cut, None) => true,
        _ => false,
    };
    if agree {
        return Ok(());
    }
    let stated = match end {
        End::Finished { winner, margin, reason } => {
            format!("{}, because {reason}", result(*winner, Some(*margin)))
        }
        End::Adjudicated { winner, margin, by } => {
            format!("{}, adjudicated by {by}", result(*winner, *margin))
        }
        End::Cut => String::from("stopped without a result"),
    };
    let ruled = ruled.map_or(String::from("the game goes on"), |outcome| {
        format!("{}, because {}", result(outcome.winner, Some(outcome.margin)), outcome.reason)
    });
    Err(Disagreement::End { plies: line.ply(), stated, ruled })
}

fn result(winner: Option<Side>, margin: Option<i16>) -> String {
    let name = match winner {
        Some(Side::First) => "the first side won",
        Some(Side::Second) => "the second side won",
        None => "drawn",
    };
    match margin {
        None | Some(0) => name.to_string(),
        Some(margin) => format!("{name} ({margin:+} points)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::toy::{self, Heap};

    fn refused(change: impl FnOnce(&mut GameRecord)) -> String {
        let mut record = toy::record(3);
        change(&mut record);
        record.replay(&Heap::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_sound_record_replays() {
        let record = toy::record(3);
        let replayed = record.replay(&Heap::default()).unwrap();
        assert_eq!(replayed.actions.len(), record.actions.len());
        assert_eq!(replayed.searched, record.searched);
        assert_eq!(replayed.end, record.end);
        let mut line = replayed.line(&Heap::default());
        for &action in &replayed.actions {
            line.play(action);
        }
        assert!(line.outcome().is_some());
    }

    #[test]
    fn a_record_of_something_else_is_named() {
        assert_eq!(
            refused(|record| record.format = 9),
            "game 3: record of format version 9, this program reads version 1"
        );
        assert_eq!(
            refused(|record| record.game = String::from("go")),
            "game 3: a game of go, expected one of heap"
        );
        let error = refused(|record| record.rules = RulesHash(1));
        assert!(error.starts_with("game 3: played by the rules 0000000000000001, "), "{error}");
    }

    #[test]
    fn a_wrong_action_is_named_with_its_ply() {
        assert_eq!(
            refused(|record| record.actions[1] = String::from("9")),
            "game 3: ply 1: \"9\" is not legal: \"9\" is not 1 to 3"
        );
        let error = refused(|record| record.actions.push(String::from("1")));
        assert!(error.contains("\"1\" comes after the end: the heap is empty"), "{error}");
        assert_eq!(
            refused(|record| record.start = Some(String::from("x"))),
            "game 3: its start \"x\" cannot be read: \"x\" is not a heap"
        );
    }

    #[test]
    fn a_repetition_is_not_legal() {
        // Taking none is possible in this variant, but must not bring a position back.
        let game = Heap { may_pass: true, ..Heap::default() };
        let mut record = toy::record(3);
        record.rules = RulesHash::of(&game);
        record.actions = vec![String::from("0"), String::from("0")];
        record.searched.clear();
        record.end = End::Cut;
        let error = record.replay(&game).unwrap_err().to_string();
        assert_eq!(error, "game 3: ply 1: \"0\" is not legal: it repeats a position too often");
    }

    #[test]
    fn a_wrong_search_is_named_with_its_ply() {
        assert_eq!(
            refused(|record| record.searched[0].target = vec![(0, 1), (1, 2)]),
            "game 3: the search at ply 0 has shares that sum to 3, expected 65535"
        );
        assert_eq!(
            refused(|record| record.searched[0].target = vec![(3, 65_535)]),
            "game 3: the search at ply 0 names action 3, but there are 3, from 0"
        );
        assert_eq!(
            refused(|record| record.searched[0].target = vec![(1, 1), (1, 65_534)]),
            "game 3: the search at ply 0 lists action 1 after action 1"
        );
        assert_eq!(
            refused(|record| record.searched[0].target.clear()),
            "game 3: the search at ply 0 is a full one without a policy target"
        );
        let error = refused(|record| record.searched[0].root.draw = f32::NAN);
        assert!(error.contains("has a root value that is no distribution"), "{error}");
        let error = refused(|record| record.searched[1].ply = 999);
        assert!(error.contains("the search at ply 999 is out of order or beyond"), "{error}");
        let error = refused(|record| record.searched.swap(0, 1));
        assert!(error.contains("out of order"), "{error}");
    }

    #[test]
    fn a_wrong_end_is_named_with_what_the_rules_say() {
        let error = refused(|record| record.end = End::Cut);
        assert!(
            error.contains("the record says stopped without a result, the rules say"),
            "{error}"
        );
        assert!(error.contains("because the heap is empty"), "{error}");
        let error = refused(|record| {
            record.actions.pop();
            record.searched.retain(|searched| searched.ply < record.actions.len() as u32);
        });
        assert!(error.contains("the rules say the game goes on"), "{error}");
    }
}
