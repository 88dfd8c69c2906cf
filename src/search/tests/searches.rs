//! Visits, targets, budgets, virtual loss and determinism.

use super::*;
use crate::search::evaluator::Uniform;
use crate::search::{Round, Status};

#[test]
fn visits_sum_to_the_plan() {
    let toy = Toy::random(5, 400, 20, 1000);
    for kind in KINDS {
        for visits in [0, 1, 2, 3, 7, 16, 33, 200] {
            for explore in [false, true] {
                for leaves in [1, 2, 8] {
                    let plan = Plan { visits, leaves, explore, seed: 3 };
                    let report = search(&toy, &settings(kind), &plan, Fixed);
                    assert_eq!(report.visits, visits, "{kind:?} {plan:?}");
                }
            }
        }
    }
}

#[test]
fn without_visits_the_likeliest_action_is_played() {
    let toy = Toy::random(5, 400, 20, 1000);
    for kind in KINDS {
        for visits in [0, 1] {
            let report = search(&toy, &settings(kind), &plan(visits), Fixed);
            let likeliest = report.actions.iter().map(|action| action.prior).fold(0.0, f32::max);
            assert_eq!(report.actions[report.best].prior, likeliest);
            if visits == 0 {
                assert!(report.actions.iter().all(|a| (a.target - a.prior).abs() < 1e-6));
                assert!((report.root.value() - report.raw.value()).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn one_legal_action_is_not_searched_unless_exploring() {
    let toy = Toy::new("s 1: a\n a 2: s b\n b 1: s a");
    for kind in KINDS {
        let report = search(&toy, &settings(kind), &plan(50), Fixed);
        assert_eq!((report.visits, report.best), (0, 0));
        assert_eq!(report.root, report.raw);
        let explore = Plan { explore: true, ..plan(50) };
        let report = search(&toy, &settings(kind), &explore, Fixed);
        assert_eq!((report.visits, report.actions[0].target), (50, 1.0));
    }
}

const LEAVES: &[(&str, f32)] = &[("a", 0.5), ("b", -0.25), ("c", 0.0)];

/// Values by a node's name, as the first side sees them; 0.1 for the others.
struct ByName(Toy, &'static [(&'static str, f32)]);

impl Evaluator<Toy> for ByName {
    fn evaluate(
        &mut self,
        leaves: &[Leaf<Toy>],
        out: &mut Vec<Evaluation>,
    ) -> Result<(), EvalError> {
        out.clear();
        for leaf in leaves {
            let name = self.0.name_of(leaf.position);
            let value = self.1.iter().find(|(known, _)| *known == name).map_or(0.1, |leaf| leaf.1);
            let value = if self.0.turn(&leaf.position) == Side::First { value } else { -value };
            let (win, loss) = (value.max(0.0), (-value).max(0.0));
            out.push(Evaluation {
                value: WdlPov { win, draw: 1.0 - win - loss, loss },
                plies_left: 10.0,
                margin: 0.0,
                logits: if name == "s" {
                    [0.5f32, 0.3, 0.2].iter().map(|prior| prior.ln()).collect()
                } else {
                    vec![0.0; leaf.actions.len()]
                },
            });
        }
        Ok(())
    }
}

/// Two visits over three actions with priors .5 .3 .2, worked out by hand: a (0.5) and b (-0.25)
/// are visited, so v_mix = (0.1 + 2 · (.5 · .5 − .3 · .25) / .8) / 3 = 0.179167. σ with c_visit 5,
/// c_scale 0.5 and one visit at most is 3 · (q + 1) / 2: 2.25, 1.125, 1.768750. The odds are
/// .5 · e^2.25, .3 · e^1.125, .2 · e^1.76875 = 4.743868, 0.924065, 1.172703.
#[test]
fn the_improved_policy_is_that_worked_out_by_hand() {
    let toy = Toy::new(
        "s 1: a b c
         a 2: s t
         b 1: s t
         c 2: s t
         t 1: s a",
    );
    let settings = SearchSettings { c_visit: 5.0, c_scale: 0.5, ..settings(SearchKind::Gumbel) };
    let report = search(&toy, &settings, &plan(2), ByName(toy.clone(), LEAVES));
    let visits: Vec<u32> = report.actions.iter().map(|action| action.visits).collect();
    assert_eq!(visits, [1, 1, 0]);
    let total = 4.743868 + 0.924065 + 1.172703;
    for (action, odds) in report.actions.iter().zip([4.743868, 0.924065, 1.172703]) {
        assert!((action.target - odds / total).abs() < 1e-5, "{report:?}");
    }
    // The value of that policy: Σ π' · q, with v_mix for the third.
    let value = (4.743868 * 0.5 - 0.924065 * 0.25 + 1.172703 * 0.179167) / total;
    assert!((report.root.value() - value).abs() < 1e-5, "{report:?}");
    assert!((report.raw.value() - 0.1).abs() < 1e-6);
    assert_eq!(report.best, 0);
}

/// The reply e is far better than d. With hundreds of visits the odds between them leave what a
/// number can hold, and must still say the same: the reply to b stays e.
#[test]
fn a_reply_far_better_than_all_others_is_visited_for_good() {
    let toy = Toy::new(
        "s 1: b c
         b 2: d e
         c 2: c1
         c1 1: c
         d 1: d1
         d1 2: d
         e 1: e1
         e1 2: e",
    );
    const VALUES: &[(&str, f32)] = &[
        ("b", -0.5),
        ("c", -0.9),
        ("c1", -0.9),
        ("d", 0.8),
        ("d1", 0.8),
        ("e", -0.6),
        ("e1", -0.6),
    ];
    for kind in KINDS {
        let report = search(&toy, &settings(kind), &plan(3000), ByName(toy.clone(), VALUES));
        let b = &report.actions[0];
        assert!(b.visits > 1000, "{kind:?} {report:?}");
        assert!(b.value.unwrap().value() < -0.55, "{kind:?} {report:?}");
    }
}

#[test]
fn puct_reports_the_distribution_of_visits() {
    let toy = Toy::random(8, 400, 20, 1000);
    let report = search(&toy, &settings(SearchKind::Puct), &plan(100), Fixed);
    for action in &report.actions {
        assert!((action.target - action.visits as f32 / 100.0).abs() < 1e-6);
    }
    let most = report.actions.iter().map(|action| action.visits).max().unwrap();
    assert_eq!(report.actions[report.best].visits, most);
}

#[test]
fn noise_is_drawn_from_the_seed_and_only_when_exploring() {
    let toy = Toy::random(5, 400, 20, 1000);
    for kind in KINDS {
        let text = |explore, seed| {
            let plan = Plan { explore, seed, ..plan(24) };
            brief(&toy, &search(&toy, &settings(kind), &plan, Fixed))
        };
        assert_eq!(text(false, 1), text(false, 2));
        assert_eq!(text(true, 1), text(true, 1));
        assert!((2..6).any(|seed| text(true, 1) != text(true, seed)));
    }
}

#[test]
fn sequential_halving_spreads_the_visits_as_planned() {
    let toy = Toy::random(5, 400, 24, 1000);
    let report = search(&toy, &settings(SearchKind::Gumbel), &plan(32), Fixed);
    let mut visits: Vec<u32> = report.actions.iter().map(|action| action.visits).collect();
    visits.sort_unstable_by(|left, right| right.cmp(left));
    visits.truncate(17);
    // 16 actions once, 8 twice, 4 four times.
    assert_eq!(visits, [4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
}

#[test]
fn a_memory_that_was_used_before_changes_nothing() {
    let toy = Toy::random(5, 400, 20, 1000);
    let mut later = Line::start(&toy);
    later.play(later.legal()[3]);
    for kind in KINDS {
        let mut used = make::<Toy>(&settings(kind));
        search_once(&mut used, &later, &plan(150), &mut Fixed).unwrap();
        let again = search_once(&mut used, &Line::start(&toy), &plan(60), &mut Fixed).unwrap();
        let fresh = search(&toy, &settings(kind), &plan(60), Fixed);
        assert_eq!(brief(&toy, &again), brief(&toy, &fresh));
    }
}

#[test]
fn several_leaves_at_a_time_are_different_nodes() {
    let toy = Toy::random(5, 400, 20, 1000);
    for kind in KINDS {
        let mut search = make::<Toy>(&settings(kind));
        search.begin(&Line::start(&toy), &Plan { leaves: 4, ..plan(64) });
        let mut leaves = Vec::new();
        let mut out = Vec::new();
        let mut largest = 0;
        while let Status::Waiting(count) = search.gather(&mut leaves) {
            assert_eq!(leaves.len(), count);
            assert!((1..=4).contains(&count));
            largest = largest.max(count);
            Fixed.evaluate(&leaves, &mut out).unwrap();
            search.apply(&out);
            leaves.clear();
        }
        assert_eq!(largest, 4, "{kind:?}");
        assert_eq!(search.report().visits, 64);
    }
}

#[test]
fn many_searches_in_one_batch_find_what_each_finds_alone() {
    let toy = Toy::random(5, 400, 20, 200);
    let line = Line::start(&toy);
    for kind in KINDS {
        let plans: Vec<Plan> = (0..9u32)
            .map(|index| Plan {
                visits: 5 * index,
                leaves: 1 + index % 3,
                explore: index % 2 == 0,
                seed: index.into(),
            })
            .collect();
        let mut searches: Vec<_> = plans
            .iter()
            .map(|plan| {
                let mut search = make::<Toy>(&settings(kind));
                search.begin(&line, plan);
                search
            })
            .collect();
        let (mut round, mut evaluated) = (Round::default(), 0);
        loop {
            round.clear();
            for (slot, search) in searches.iter_mut().enumerate() {
                if let Status::Waiting(count) = search.gather(round.leaves()) {
                    round.asked(slot, count);
                }
            }
            match round.evaluate(&mut Fixed).unwrap() {
                0 => break,
                count => evaluated += count,
            }
            for (slot, evaluations) in round.shares() {
                searches[slot].apply(evaluations);
            }
        }
        assert!(evaluated > 9);
        for (together, plan) in searches.iter().zip(&plans) {
            let alone = search(&toy, &settings(kind), plan, Fixed);
            assert_eq!(brief(&toy, &together.report()), brief(&toy, &alone));
        }
    }
}

#[test]
fn an_answer_of_the_wrong_length_is_an_error() {
    struct Short;
    impl Evaluator<Toy> for Short {
        fn evaluate(
            &mut self,
            _leaves: &[Leaf<Toy>],
            out: &mut Vec<Evaluation>,
        ) -> Result<(), EvalError> {
            out.clear();
            Ok(())
        }
    }
    let toy = Toy::random(5, 400, 20, 200);
    let mut search = make::<Toy>(&settings(SearchKind::Puct));
    search.begin(&Line::start(&toy), &plan(3));
    let mut round = Round::default();
    assert_eq!(search.gather(round.leaves()), Status::Waiting(1));
    let error = round.evaluate(&mut Short).unwrap_err();
    assert!(error.to_string().contains("0 evaluations came for 1 positions"));
}

#[test]
fn an_ended_root_is_reported_as_it_is() {
    let toy = Toy::new("s = 2");
    for kind in KINDS {
        let mut search = make::<Toy>(&settings(kind));
        assert!(search.report().actions.is_empty());
        let report = search_once(&mut search, &Line::start(&toy), &plan(5), &mut Uniform).unwrap();
        assert!(report.actions.is_empty() && report.expected.is_empty());
        // An ended position has First as its actor here, and Second has won.
        assert_eq!(report.root, WdlPov::LOSS);
    }
}

/// A won position with a quick and a slow way, neither of them proven: the guessed length decides.
#[test]
fn of_two_won_actions_the_quicker_is_preferred() {
    struct Won(Toy);
    impl Evaluator<Toy> for Won {
        fn evaluate(
            &mut self,
            leaves: &[Leaf<Toy>],
            out: &mut Vec<Evaluation>,
        ) -> Result<(), EvalError> {
            out.clear();
            out.extend(leaves.iter().map(|leaf| Evaluation {
                value: WdlPov { win: 0.98, draw: 0.01, loss: 0.01 },
                plies_left: if self.0.name_of(leaf.position).starts_with('q') { 4.0 } else { 40.0 },
                margin: 0.0,
                logits: vec![0.0; leaf.actions.len()],
            }));
            Ok(())
        }
    }
    let toy = Toy::new(
        "s 1: w1 q1
         w1 1: w2
         w2 1: w1
         q1 1: q2
         q2 1: q1",
    );
    for kind in KINDS {
        let report = search(&toy, &settings(kind), &plan(60), Won(toy.clone()));
        let target = |index: usize| report.actions[index].target;
        assert_eq!(toy.name_of(report.actions[report.best].action), "q1");
        assert!(target(1) > target(0));
        let off = SearchSettings { quick_win: 0.0, ..settings(kind) };
        let report = search(&toy, &off, &plan(60), Won(toy.clone()));
        assert!((report.actions[0].target - report.actions[1].target).abs() < 0.02, "{report:?}");
    }
}
