//! A tiny game for the tests of this room: two sides take one to three stones from a heap; when
//! it is empty, who took more has won by the difference.

use super::game::{Counters, End, FORMAT, GameRecord, Searched};
use super::rules::RulesHash;
use crate::game::{
    ActionList, Game, History, Line, Notation, Occurrence, Outcome, Side, Sketch, TextError,
};
use crate::rng;
use crate::search::Wdl;
use rand::RngExt;

#[derive(Clone, Debug)]
pub struct Heap {
    pub stones: u8,
    /// May a side take nothing? It must not bring a position back.
    pub may_pass: bool,
}

impl Default for Heap {
    fn default() -> Self {
        Heap { stones: 12, may_pass: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stones {
    left: u8,
    taken: [u8; 2],
    turn: Side,
}

impl Game for Heap {
    type Position = Stones;
    type Action = u8;

    fn name(&self) -> &'static str {
        "heap"
    }

    fn rules(&self) -> serde_json::Value {
        serde_json::json!({"stones": self.stones, "may_pass": self.may_pass, "limit": null})
    }

    fn start(&self) -> Stones {
        Stones { left: self.stones, taken: [0, 0], turn: Side::First }
    }

    fn turn(&self, position: &Stones) -> Side {
        position.turn
    }

    fn actions(&self, position: &Stones, out: &mut ActionList<u8>) {
        out.clear();
        if position.left > 0 {
            out.extend(u8::from(!self.may_pass)..=position.left.min(3));
        }
    }

    fn play(&self, position: &mut Stones, action: u8) {
        position.left -= action;
        position.taken[position.turn.index()] += action;
        position.turn = position.turn.other();
    }

    fn occurrence(&self, position: &Stones) -> Option<Occurrence> {
        Some(Occurrence { key: u64::from(position.left), fresh: false, note: 0 })
    }

    fn forbidden_occurrence(&self) -> Option<u32> {
        self.may_pass.then_some(3)
    }

    fn outcome(&self, position: &Stones, _history: &History) -> Option<Outcome> {
        let margin = i16::from(position.taken[0]) - i16::from(position.taken[1]);
        let winner = match margin {
            0 => None,
            1.. => Some(Side::First),
            _ => Some(Side::Second),
        };
        (position.left == 0).then_some(Outcome { winner, margin, reason: "the heap is empty" })
    }
}

impl Notation for Heap {
    fn parse_position(&self, text: &str) -> Result<Stones, TextError> {
        let numbers: Vec<u8> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [left, first, second, turn @ 0..=1] => {
                Ok(Stones { left, taken: [first, second], turn: Side::BOTH[usize::from(turn)] })
            }
            _ => Err(TextError::new(format!("\"{text}\" is not a heap"))),
        }
    }

    fn position_text(&self, position: &Stones) -> String {
        let [first, second] = position.taken;
        format!("{} {first} {second} {}", position.left, position.turn.index())
    }

    fn action_text(&self, _position: &Stones, action: u8) -> String {
        action.to_string()
    }

    fn parse_action(&self, position: &Stones, text: &str) -> Result<u8, TextError> {
        let mut legal = Vec::new();
        self.actions(position, &mut legal);
        let action = text.parse().ok().filter(|action| legal.contains(action));
        action.ok_or_else(|| TextError::new(format!("\"{text}\" is not 1 to 3")))
    }

    fn describe(&self, _position: &Stones, action: u8) -> String {
        format!("{action} stones are taken")
    }

    fn sketch(&self, _position: &Stones) -> Sketch {
        Sketch { width: 0, height: 0, cells: Vec::new(), notes: Vec::new() }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["one", "two"][side.index()]
    }

    fn side_letter(&self, side: Side) -> &'static str {
        ["o", "t"][side.index()]
    }
}

/// A random game, searched at every ply, that ended by the rules.
pub fn record(index: u64) -> GameRecord {
    let game = Heap::default();
    let mut stream = rng::stream(1, "toy", index);
    let mut line = Line::start(&game);
    let (mut actions, mut searched) = (Vec::new(), Vec::new());
    while line.outcome().is_none() {
        let legal = line.legal();
        let weights: Vec<f32> = legal.iter().map(|_| stream.random()).collect();
        let first = stream.random::<f32>();
        searched.push(Searched {
            ply: line.ply(),
            visits: stream.random_range(1..100),
            full: true,
            target: Searched::pack(&weights),
            root: Wdl { first, draw: 0.0, second: 1.0 - first },
            raw: Wdl { first: 0.25, draw: 0.5, second: 0.25 },
        });
        let action = legal[stream.random_range(0..legal.len())];
        actions.push(game.action_text(line.position(), action));
        line.play(action);
    }
    let end = line.outcome().map_or(End::Cut, |outcome| End::Finished {
        winner: outcome.winner,
        margin: outcome.margin,
        reason: outcome.reason.to_string(),
    });
    GameRecord {
        format: FORMAT,
        game: game.name().to_string(),
        rules: RulesHash::of(&game),
        index,
        generation: index / 4,
        seed: stream.random(),
        opening_plies: 0,
        start: None,
        actions,
        searched,
        end,
        counters: Counters { simulations: 100, ..Counters::default() },
    }
}
