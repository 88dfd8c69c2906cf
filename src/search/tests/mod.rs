//! The searches on a toy game: what they find, what they must never do.

mod evaluators;
mod golden;
mod history;
mod oracle;
mod proofs;
mod searches;

use super::evaluator::{EvalError, Evaluation, Evaluator, Leaf};
use super::node::ROOT;
use super::simulate::{Rule, Simulator};
use super::toy::Toy;
use super::tree::Tree;
use super::{
    LookAhead, Plan, Report, Search, SearchKind, SearchSettings, WdlPov, make, search_once,
};
use crate::game::{Game, Line, Side};
use std::fmt::Write;

/// An opinion made up from the number of the position: some value, some logits, always the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

impl Evaluator<Toy> for Fixed {
    fn evaluate(
        &mut self,
        leaves: &[Leaf<Toy>],
        out: &mut Vec<Evaluation>,
    ) -> Result<(), EvalError> {
        out.clear();
        out.extend(leaves.iter().map(|leaf| {
            let number = u32::from(leaf.position);
            let win = ((number * 37 + 5) % 11) as f32 / 16.0;
            let draw = 0.25 * (1.0 - win);
            Evaluation {
                value: WdlPov { win, draw, loss: 1.0 - win - draw },
                plies_left: (number % 7) as f32,
                margin: 0.0,
                logits: leaf
                    .actions
                    .iter()
                    .map(|&action| ((u32::from(action) * 7 + number * 3) % 5) as f32 * 0.5)
                    .collect(),
            }
        }));
        Ok(())
    }
}

pub fn plan(visits: u32) -> Plan {
    Plan { visits, leaves: 1, explore: false, seed: 1 }
}

pub fn settings(kind: SearchKind) -> SearchSettings {
    SearchSettings { kind, ..SearchSettings::default() }
}

pub const KINDS: [SearchKind; 2] = [SearchKind::Gumbel, SearchKind::Puct];

/// Searches the start of a toy.
pub fn search<E: Evaluator<Toy>>(
    toy: &Toy,
    settings: &SearchSettings,
    plan: &Plan,
    mut evaluator: E,
) -> Report<Toy> {
    let mut search = make::<Toy>(settings);
    let report = search_once(&mut search, &Line::start(toy), plan, &mut evaluator).unwrap();
    check(&report);
    report
}

/// What holds of every report.
pub fn check(report: &Report<Toy>) {
    let close = |sum: f32| (sum - 1.0).abs() < 1e-4;
    assert!(close(report.actions.iter().map(|action| action.target).sum()), "{report:?}");
    assert!(close(report.actions.iter().map(|action| action.prior).sum()), "{report:?}");
    for value in report.actions.iter().filter_map(|action| action.value).chain([report.root]) {
        assert!(close(value.win + value.draw + value.loss), "{report:?}");
    }
    let visits: u32 = report.actions.iter().map(|action| action.visits).sum();
    assert_eq!(visits, report.visits);
    assert_eq!(report.expected[0], report.actions[report.best].action);
}

/// A report in one line: `action:visits:target` and what was found.
pub fn brief(toy: &Toy, report: &Report<Toy>) -> String {
    let mut text = String::new();
    for action in &report.actions {
        let name = toy.name_of(action.action);
        write!(text, "{name}:{}:{:.3} ", action.visits, action.target).unwrap();
    }
    let best = toy.name_of(report.actions[report.best].action);
    write!(text, "best {best} value {:.3}", report.root.value()).unwrap();
    text
}

/// The tree as text, a node to a line: name, visits, value for the first side, proof.
pub fn picture<R: Rule>(toy: &Toy, search: &Simulator<Toy, R>) -> String {
    let tree = search.tree();
    let mut text = String::new();
    // Node, name, depth.
    let mut open = vec![(ROOT, 0u16, 0usize)];
    while let Some((node, number, depth)) = open.pop() {
        line_of(&mut text, toy, tree, node, number, depth);
        let edges: Vec<_> = tree.edges_of(node).map(|edge| *tree.edge(edge)).collect();
        for edge in edges.iter().rev().filter(|edge| edge.child != super::node::NONE) {
            open.push((edge.child, edge.action, depth + 1));
        }
    }
    text
}

fn line_of(text: &mut String, toy: &Toy, tree: &Tree<Toy>, node: u32, number: u16, depth: usize) {
    let node = tree.node(node);
    let value = node.wdl().map_or(0.0, |wdl| wdl.pov(Side::First).value());
    write!(text, "{:depth$}{} {} {value:+.3}", "", toy.name_of(number), node.visits).unwrap();
    if let Some(proof) = node.proof {
        let result = match proof.winner {
            Some(Side::First) => "1",
            Some(Side::Second) => "2",
            None => "draw",
        };
        write!(text, " = {result} in {}", proof.plies).unwrap();
    }
    text.push('\n');
}
