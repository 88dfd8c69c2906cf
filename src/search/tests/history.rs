//! Repetition inside the search: drawn, forbidden, and never carried to another path.

use super::*;
use crate::search::Proven;
use crate::search::evaluator::Uniform;

/// Two sides that can only go in circles, or give up.
const CIRCLE: &str = "
    s 1: a lost
    a 2: b won
    b 1: c lost
    c 2: s won
    lost = 2
    won = 1
";

#[test]
fn a_circle_ends_in_a_draw_by_repetition() {
    let toy = Toy::new(CIRCLE).with_draw_at(3);
    for kind in KINDS {
        let report = search(&toy, &settings(kind), &plan(200), Uniform);
        assert_eq!(report.proven, Some(Proven::Draw), "{report:?}");
        // Twice around.
        assert_eq!(report.expected.len(), 8);
        assert!(report.visits < 200);
    }
}

#[test]
fn the_history_before_the_root_counts() {
    let toy = Toy::new(CIRCLE).with_draw_at(3);
    let mut line = Line::start(&toy);
    for name in ["a", "b", "c", "s", "a", "b", "c"] {
        line.play(toy.number(name));
    }
    assert_eq!(line.outcome(), None);
    for kind in KINDS {
        let mut search = make::<Toy>(&settings(kind));
        let report = search_once(&mut search, &line, &plan(8), &mut Uniform).unwrap();
        check(&report);
        // One action brings about the third occurrence of the start.
        assert_eq!(report.proven, Some(Proven::Draw));
        assert_eq!(report.visits, 0);
    }
}

#[test]
fn the_circle_is_broken_where_repetition_is_forbidden() {
    // The one who may not close the circle has to give up.
    for (limit, length) in [(2, 4), (3, 8)] {
        let toy = Toy::new(CIRCLE).with_forbid_at(limit);
        for kind in KINDS {
            let report = search(&toy, &settings(kind), &plan(200), Uniform);
            assert_eq!(report.proven, Some(Proven::Win), "{report:?}");
            assert_eq!(toy.name_of(*report.expected.last().unwrap()), "won");
            assert_eq!(report.expected.len(), length);
        }
    }
}

/// Asserts what a leaf shows, and that no evaluation is asked for an ended position.
struct Watching;

impl Evaluator<Toy> for Watching {
    fn evaluate(
        &mut self,
        leaves: &[Leaf<Toy>],
        out: &mut Vec<Evaluation>,
    ) -> Result<(), EvalError> {
        for leaf in leaves {
            // The circle's nodes have two actions, whatever is forbidden.
            assert_eq!(leaf.actions.len(), 2);
            assert!(leaf.repetitions <= 1);
        }
        Uniform.evaluate(leaves, out)
    }
}

#[test]
fn leaves_show_all_actions_and_the_report_the_legal_ones() {
    let toy = Toy::new(CIRCLE).with_forbid_at(3);
    let mut line = Line::start(&toy);
    for name in ["a", "b", "c", "s", "a", "b", "c"] {
        line.play(toy.number(name));
    }
    for kind in KINDS {
        let mut search = make::<Toy>(&settings(kind));
        let report = search_once(&mut search, &line, &plan(8), &mut Watching).unwrap();
        check(&report);
        let actions: Vec<u16> = report.actions.iter().map(|action| action.action).collect();
        assert_eq!(actions, line.legal());
        assert_eq!(actions, [toy.number("won")]);
        search_once(&mut search, &Line::start(&toy), &plan(200), &mut Watching).unwrap();
    }
}

#[test]
fn a_position_in_mid_turn_is_not_repeated() {
    // `.m` is passed each time around, and does not count.
    let toy = Toy::new(
        "s 1: .m
         .m 1: a
         a 2: s won
         won = 2",
    )
    .with_draw_at(2);
    for kind in KINDS {
        let explore = Plan { explore: true, ..plan(40) };
        let report = search(&toy, &settings(kind), &explore, Uniform);
        assert_eq!(report.proven, Some(Proven::Loss));
        assert_eq!(report.expected.len(), 3);
    }
}

#[test]
fn no_legal_action_and_no_result_is_a_draw_not_a_crash() {
    // Every way on from `a` closes the circle.
    let toy = Toy::new("s 1: a\n a 2: s").with_forbid_at(2);
    for kind in KINDS {
        let explore = Plan { explore: true, ..plan(9) };
        let report = search(&toy, &settings(kind), &explore, Uniform);
        assert_eq!(report.proven, Some(Proven::Draw));
    }
}

/// Forbidden actions are filtered only when some position is one short of the limit; the filter
/// must agree with the line's own at every node of a large tree.
#[test]
fn the_lazy_filter_agrees_with_the_line() {
    for limit in [2, 3, 4] {
        let mut toy =
            Toy::random(limit.into(), 8 * (5 - limit as u16), 3, 1000).with_forbid_at(limit);
        toy.draw_at = None;
        let mut search = crate::search::puct::Puct::<Toy>::new(&settings(SearchKind::Puct));
        search_once(&mut search, &Line::start(&toy), &plan(600), &mut Fixed).unwrap();
        let tree = search.tree();
        let mut open = vec![(ROOT, Line::start(&toy))];
        let mut compared = 0;
        let mut forbidden = 0;
        while let Some((node, line)) = open.pop() {
            let edges: Vec<_> = tree.edges_of(node).map(|edge| *tree.edge(edge)).collect();
            if !edges.is_empty() {
                let actions: Vec<u16> = edges.iter().map(|edge| edge.action).collect();
                assert_eq!(actions, line.legal());
                let mut all = Vec::new();
                toy.actions(line.position(), &mut all);
                forbidden += all.len() - actions.len();
                compared += 1;
            }
            for edge in edges.iter().filter(|edge| edge.child != crate::search::node::NONE) {
                let mut next = line.clone();
                next.play(edge.action);
                open.push((edge.child, next));
            }
        }
        assert!(compared > 50 && forbidden > 5, "{limit}: {compared} {forbidden}");
    }
}
