//! A game for the tests of the searches: a graph written as text. Any side may act several times
//! in a row, and cycles, draws and forbidden repetitions are as the text has them.

use crate::game::{ActionList, Game, History, Occurrence, Outcome, Side};
use std::sync::Arc;

/// One node to a line: `name 1: next next`, `name 2: next`, `name = 1`, `name = 2`, `name = draw`
/// (who acts and where to, or who has won). The first line is the start; an action is the number
/// of the node it leads to.
#[derive(Clone, Debug)]
pub struct Toy {
    graph: Arc<Vec<Spot>>,
    /// The n-th occurrence is a draw.
    pub draw_at: Option<u32>,
    /// The n-th occurrence is illegal.
    pub forbid_at: Option<u32>,
    /// A name that begins with `.` has no occurrence, as in mid-turn.
    names: Arc<Vec<String>>,
}

#[derive(Clone, Debug)]
enum Spot {
    Open(Side, Vec<u16>),
    Ended(Option<Side>),
}

fn side(word: &str) -> Side {
    match word {
        "1" => Side::First,
        "2" => Side::Second,
        other => panic!("{other} is no side"),
    }
}

impl Toy {
    pub fn new(text: &str) -> Self {
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let name_of = |line: &&str| line.split_whitespace().next().unwrap().to_string();
        let names: Vec<String> = lines.iter().map(name_of).collect();
        let number = |name: &str| {
            let found = names.iter().position(|known| known == name);
            found.unwrap_or_else(|| panic!("no node {name}")) as u16
        };
        let graph = lines
            .iter()
            .map(|line| match line.split_once(':') {
                Some((head, next)) => {
                    let mut next: Vec<u16> = next.split_whitespace().map(number).collect();
                    next.sort_unstable();
                    Spot::Open(side(head.split_whitespace().nth(1).unwrap()), next)
                }
                None => match line.split_once('=').unwrap().1.trim() {
                    "draw" => Spot::Ended(None),
                    winner => Spot::Ended(Some(side(winner))),
                },
            })
            .collect();
        Self { graph: Arc::new(graph), draw_at: None, forbid_at: None, names: Arc::new(names) }
    }

    /// `nodes` nodes with `width` actions each to random nodes, one in `ends` of them an end.
    pub fn random(seed: u64, nodes: u16, width: usize, ends: u64) -> Self {
        use rand::Rng;
        let mut stream = crate::rng::stream(seed, "toy", 0);
        let graph = (0..nodes)
            .map(|node| {
                let roll = stream.next_u64() % (3 * ends);
                if roll < 3 && node > 0 {
                    return Spot::Ended(
                        [None, Some(Side::First), Some(Side::Second)][roll as usize],
                    );
                }
                let mut next: Vec<u16> =
                    (0..width).map(|_| (stream.next_u32() % u32::from(nodes)) as u16).collect();
                next.sort_unstable();
                next.dedup();
                Spot::Open(Side::BOTH[stream.next_u32() as usize % 2], next)
            })
            .collect();
        let names = (0..nodes).map(|node| format!("n{node}")).collect();
        Self { graph: Arc::new(graph), draw_at: Some(3), forbid_at: None, names: Arc::new(names) }
    }

    pub fn with_draw_at(mut self, occurrence: u32) -> Self {
        self.draw_at = Some(occurrence);
        self
    }

    pub fn with_forbid_at(mut self, occurrence: u32) -> Self {
        self.forbid_at = Some(occurrence);
        self
    }

    pub fn name_of(&self, node: u16) -> &str {
        &self.names[node as usize]
    }

    pub fn number(&self, name: &str) -> u16 {
        self.names.iter().position(|known| known == name).unwrap() as u16
    }
}

impl Game for Toy {
    type Position = u16;
    type Action = u16;

    fn name(&self) -> &'static str {
        "toy"
    }

    fn rules(&self) -> serde_json::Value {
        serde_json::json!({})
    }

    fn start(&self) -> u16 {
        0
    }

    fn turn(&self, position: &u16) -> Side {
        match &self.graph[*position as usize] {
            Spot::Open(side, _) => *side,
            Spot::Ended(_) => Side::First,
        }
    }

    fn actions(&self, position: &u16, out: &mut ActionList<u16>) {
        out.clear();
        if let Spot::Open(_, next) = &self.graph[*position as usize] {
            out.extend_from_slice(next);
        }
    }

    fn play(&self, position: &mut u16, action: u16) {
        *position = action;
    }

    fn occurrence(&self, position: &u16) -> Option<Occurrence> {
        let mid_turn = self.names[*position as usize].starts_with('.');
        (!mid_turn).then_some(Occurrence { key: u64::from(*position), fresh: false, note: 0 })
    }

    fn forbidden_occurrence(&self) -> Option<u32> {
        self.forbid_at
    }

    fn outcome(&self, position: &u16, history: &History) -> Option<Outcome> {
        let spot = &self.graph[*position as usize];
        if let Spot::Ended(winner) = spot {
            return Some(Outcome { winner: *winner, margin: 0, reason: "the end was reached" });
        }
        let repeated = self.draw_at.is_some_and(|limit| {
            self.occurrence(position).is_some() && history.repetitions() + 1 >= limit
        });
        repeated.then(|| Outcome::draw("the position occurred too often"))
    }
}
