//! Wins, draws and losses that are proven: found, preferred, passed up by who acts.

use super::*;
use crate::search::Proven;
use crate::search::evaluator::Uniform;

/// A wide choice with one win in one.
fn win_in_one() -> Toy {
    let mut text = String::from("s 1:");
    for number in 0..24 {
        write!(text, " a{number}").unwrap();
    }
    for number in 0..24 {
        if number == 17 {
            text.push_str("\na17 = 1");
        } else {
            write!(text, "\na{number} 2: s").unwrap();
        }
    }
    Toy::new(&text)
}

#[test]
fn a_win_in_one_is_found_with_any_number_of_visits() {
    let toy = win_in_one();
    for kind in KINDS {
        for visits in 0..=64 {
            for explore in [false, true] {
                let plan = Plan { explore, ..plan(visits) };
                let report = search(&toy, &settings(kind), &plan, Uniform);
                assert_eq!(toy.name_of(report.actions[report.best].action), "a17");
                assert_eq!(report.actions[report.best].target, 1.0);
                assert_eq!(report.proven, Some(Proven::Win));
                assert_eq!(report.root, WdlPov::WIN);
                // The evaluator was asked all the same.
                assert_eq!(report.raw, WdlPov { win: 0.25, draw: 0.5, loss: 0.25 });
            }
        }
    }
}

/// First acts three times in a row; the second of its actions already decides. Then Second acts
/// twice, and the turn changes in the middle of every path.
const THRICE: &str = "
    s 1: .p .q
    .p 1: .p2 lost
    .p2 1: r won
    .q 1: lost lost2
    r 2: .r2
    .r2 2: lost2 draw
    lost = 2
    lost2 = 2
    won = 1
    draw = draw
";

#[test]
fn proofs_follow_who_acts_not_the_parity_of_plies() {
    let toy = Toy::new(THRICE);
    for kind in KINDS {
        let report = search(&toy, &settings(kind), &plan(64), Uniform);
        assert_eq!(report.proven, Some(Proven::Win), "{report:?}");
        let line: Vec<&str> = report.expected.iter().map(|&action| toy.name_of(action)).collect();
        assert_eq!(line, [".p", ".p2", "won"]);
        assert!(report.visits < 64);
    }
}

#[test]
fn a_tree_of_losses_prefers_the_slowest() {
    let toy = Toy::new(
        "s 1: quick slow
         quick 2: won2
         slow 2: mid
         mid 1: end
         end 2: won2
         won2 = 2",
    );
    for kind in KINDS {
        let report = search(&toy, &settings(kind), &plan(40), Uniform);
        assert_eq!(report.proven, Some(Proven::Loss));
        assert_eq!(toy.name_of(report.actions[report.best].action), "slow");
        assert_eq!(report.actions[report.best].target, 1.0);
        assert_eq!(report.root, WdlPov::LOSS);
    }
}

#[test]
fn the_shortest_of_two_wins_takes_the_target() {
    let toy = Toy::new(
        "s 1: slow quick
         slow 1: mid
         mid 1: won
         quick 1: won
         won = 1",
    );
    for look_ahead in [LookAhead::Root, LookAhead::Every] {
        let settings = SearchSettings { look_ahead, ..settings(SearchKind::Puct) };
        let report = search(&toy, &settings, &plan(40), Uniform);
        assert_eq!(report.proven, Some(Proven::Win));
        assert_eq!(toy.name_of(report.actions[report.best].action), "quick");
        assert_eq!(report.actions[report.best].target, 1.0);
    }
}

#[test]
fn lost_actions_get_no_target_and_no_more_visits() {
    let toy = Toy::new(
        "s 1: bad1 open bad2
         bad1 = 2
         bad2 2: lost s
         lost = 2
         open 2: s t
         t 1: open s",
    );
    for kind in KINDS {
        let report = search(&toy, &settings(kind), &plan(48), Fixed);
        let of = |name: &str| {
            *report.actions.iter().find(|action| toy.name_of(action.action) == name).unwrap()
        };
        assert_eq!(report.proven, None);
        assert_eq!(of("bad1").visits, 0);
        for name in ["bad1", "bad2"] {
            assert_eq!(of(name).proven, Some(Proven::Loss), "{name}");
            assert_eq!(of(name).target, 0.0, "{name}");
        }
        assert!(of("bad2").visits <= 3, "{report:?}");
        assert!((of("open").target - 1.0).abs() < 1e-6);
        assert_eq!(report.visits, 48);
    }
}

#[test]
fn a_draw_is_worth_exactly_nothing_to_both_sides() {
    for side in [1, 2] {
        let toy = Toy::new(&format!(
            "s {side}: a b
             a {}: d
             b {side}: d l
             d = draw
             l = {}",
            3 - side,
            3 - side
        ));
        for kind in KINDS {
            let report = search(&toy, &settings(kind), &plan(50), Uniform);
            assert_eq!(report.proven, Some(Proven::Draw));
            assert_eq!(report.root, WdlPov::DRAW);
            assert_eq!(report.root.value(), 0.0);
            for action in &report.actions {
                assert_eq!(action.value.unwrap(), WdlPov::DRAW);
            }
        }
    }
}

#[test]
fn looking_ahead_everywhere_saves_visits_and_finds_the_same() {
    let toy = Toy::new(THRICE);
    for kind in KINDS {
        let every = SearchSettings { look_ahead: LookAhead::Every, ..settings(kind) };
        let report = search(&toy, &every, &plan(64), Uniform);
        assert_eq!(report.proven, Some(Proven::Win));
        let root_only = search(&toy, &settings(kind), &plan(64), Uniform);
        assert!(report.visits < root_only.visits, "{} {}", report.visits, root_only.visits);
    }
}

#[test]
fn a_draw_at_hand_is_taken_when_the_visited_actions_look_lost() {
    struct Lost;
    impl Evaluator<Toy> for Lost {
        fn evaluate(
            &mut self,
            leaves: &[Leaf<Toy>],
            out: &mut Vec<Evaluation>,
        ) -> Result<(), EvalError> {
            Fixed.evaluate(leaves, out)?;
            for evaluation in out.iter_mut() {
                evaluation.value = WdlPov { win: 0.0, draw: 0.1, loss: 0.9 };
            }
            Ok(())
        }
    }
    let toy = Toy::new(
        "s 1: a b c d
         a 1: s b
         b 1: s c
         c 1: s a
         d = draw",
    );
    for visits in [0, 1, 2, 3, 8] {
        let report = search(&toy, &settings(SearchKind::Gumbel), &plan(visits), Lost);
        let best = report.actions[report.best];
        assert_eq!((toy.name_of(best.action), best.visits), ("d", 0));
        assert!(best.target > 0.9, "{report:?}");
        assert_eq!(report.visits, visits);
    }
}

/// The result of best play, by trying everything. Finite, as repetition ends the game.
fn solve(line: &Line<Toy>) -> Option<Side> {
    if let Some(outcome) = line.outcome() {
        return outcome.winner;
    }
    let actor = line.turn();
    let mut best = Some(actor.other());
    let actions = line.legal();
    if actions.is_empty() {
        return None;
    }
    for action in actions {
        let mut next = line.clone();
        next.play(action);
        match solve(&next) {
            Some(winner) if winner == actor => return Some(actor),
            None => best = None,
            Some(_) => {}
        }
    }
    best
}

#[test]
fn proofs_agree_with_trying_everything() {
    let (mut proofs, mut unknown) = ([0; 3], 0);
    for seed in 0..120 {
        let mut toy = Toy::random(seed, 9, 2, 3).with_draw_at(2);
        if seed % 2 == 0 {
            toy.draw_at = None;
            toy.forbid_at = Some(2);
        }
        let line = Line::start(&toy);
        let truth = match solve(&line) {
            None => Proven::Draw,
            Some(winner) if winner == line.turn() => Proven::Win,
            Some(_) => Proven::Loss,
        };
        for kind in KINDS {
            for leaves in [1, 3] {
                for look_ahead in [LookAhead::Root, LookAhead::Every] {
                    let settings = SearchSettings { look_ahead, ..settings(kind) };
                    let plan = Plan { leaves, explore: true, seed, ..plan(3000) };
                    let report = search(&toy, &settings, &plan, Fixed);
                    // Beside a proven draw that looks better, an action may stay unknown.
                    let Some(proven) = report.proven else {
                        unknown += 1;
                        continue;
                    };
                    assert_eq!(proven, truth, "{seed} {kind:?} {toy:?}");
                    assert_eq!(report.actions[report.best].proven, Some(truth));
                    proofs[truth as usize] += 1;
                }
            }
        }
    }
    assert!(proofs.iter().all(|&count| count > 50) && unknown < 120, "{proofs:?} {unknown}");
}
