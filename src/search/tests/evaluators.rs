//! Cache, rollouts, and evaluators that misbehave.

use super::*;
use crate::search::cache::CachedEvaluator;
use crate::search::rollout::Rollout;

fn leaf(toy: &Toy, position: u16, repetitions: u32) -> Leaf<Toy> {
    let mut actions = Vec::new();
    toy.actions(&position, &mut actions);
    Leaf { position, repetitions, actions }
}

#[test]
fn a_search_is_the_same_with_and_without_the_cache() {
    // With 40 actions the ring of logits is overwritten before the entries are.
    for (kind, width) in KINDS.into_iter().flat_map(|kind| [(kind, 8), (kind, 40)]) {
        let toy = Toy::random(9, 60, width, 100);
        // From far too small (evicting all the time) to ample.
        for entries in [0, 2, 8, 1000] {
            let bytes = entries * CachedEvaluator::<Toy, Fixed>::bytes_per_entry();
            let mut cached = CachedEvaluator::new(&toy, Fixed, bytes);
            assert_eq!(cached.capacity(), entries);
            assert_eq!(cached.bytes(), bytes);
            let mut hits = 0;
            for seed in 0..3 {
                let plan = Plan { leaves: 3, explore: true, seed, ..plan(120) };
                let plain = search(&toy, &settings(kind), &plan, Fixed);
                let mut search = make::<Toy>(&settings(kind));
                let with =
                    search_once(&mut search, &Line::start(&toy), &plan, &mut cached).unwrap();
                assert_eq!(format!("{plain:?}"), format!("{with:?}"));
                hits = cached.hits().0;
            }
            assert_eq!(hits > 0, entries > 0);
        }
    }
}

/// Counts what it is asked, and shows the repetitions in its opinion.
#[derive(Default)]
struct Counting(usize);

impl Evaluator<Toy> for Counting {
    fn evaluate(
        &mut self,
        leaves: &[Leaf<Toy>],
        out: &mut Vec<Evaluation>,
    ) -> Result<(), EvalError> {
        self.0 += leaves.len();
        Fixed.evaluate(leaves, out)?;
        for (evaluation, leaf) in out.iter_mut().zip(leaves) {
            evaluation.plies_left = leaf.repetitions as f32;
        }
        Ok(())
    }
}

#[test]
fn the_cache_asks_once_and_tells_repetitions_apart() {
    let toy = Toy::random(9, 60, 8, 100);
    let mut cached = CachedEvaluator::new(&toy, Counting::default(), 1 << 20);
    let mut out = Vec::new();
    let leaves = [leaf(&toy, 0, 0), leaf(&toy, 0, 1), leaf(&toy, 3, 0)];
    cached.evaluate(&leaves, &mut out).unwrap();
    let first = out.clone();
    cached.evaluate(&leaves, &mut out).unwrap();
    assert_eq!(out, first);
    assert_eq!((out[0].plies_left, out[1].plies_left), (0.0, 1.0));
    assert_eq!(cached.inner_mut().0, 3);
    // A part from memory, a part asked, in order.
    let mixed = [leaf(&toy, 7, 0), leaves[1].clone(), leaf(&toy, 8, 0)];
    cached.evaluate(&mixed, &mut out).unwrap();
    let mut plain = Vec::new();
    Counting::default().evaluate(&mixed, &mut plain).unwrap();
    assert_eq!(out, plain);
    assert_eq!(cached.hits(), (4, 9));
    cached.forget();
    cached.evaluate(&leaves[..1], &mut out).unwrap();
    assert_eq!(cached.inner_mut().0, 6);
}

#[test]
fn rollouts_depend_on_the_leaf_alone_and_know_the_ends() {
    let toy = Toy::new(
        "s 1: a
         a 2: won
         won = 1
         r 2: r2
         r2 1: r",
    );
    let mut rollout = Rollout::new(&toy, 20, 50, 1);
    let mut out = Vec::new();
    rollout.evaluate(&[leaf(&toy, 0, 0), leaf(&toy, 1, 0), leaf(&toy, 3, 0)], &mut out).unwrap();
    assert_eq!((out[0].value, out[0].plies_left), (WdlPov::WIN, 2.0));
    assert_eq!((out[1].value, out[1].plies_left), (WdlPov::LOSS, 1.0));
    // An endless circle is cut off, and drawn.
    assert_eq!((out[2].value, out[2].plies_left), (WdlPov::DRAW, 50.0));

    let toy = Toy::random(4, 200, 6, 20);
    let mut rollout = Rollout::new(&toy, 20, 50, 1);
    let leaves: Vec<_> = [0, 5, 9].into_iter().map(|node| leaf(&toy, node, 0)).collect();
    rollout.evaluate(&leaves, &mut out).unwrap();
    let together = out.clone();
    for (leaf, together) in leaves.iter().zip(&together).rev() {
        rollout.evaluate(std::slice::from_ref(leaf), &mut out).unwrap();
        assert_eq!(&out[0], together);
    }
    let report = search(&toy, &settings(SearchKind::Puct), &plan(30), rollout);
    assert!(report.actions.iter().any(|action| action.visits > 0));
}

/// Breaks the answers in one way.
struct Broken(fn(&mut Evaluation));

impl Evaluator<Toy> for Broken {
    fn evaluate(
        &mut self,
        leaves: &[Leaf<Toy>],
        out: &mut Vec<Evaluation>,
    ) -> Result<(), EvalError> {
        Fixed.evaluate(leaves, out)?;
        out.iter_mut().for_each(self.0);
        Ok(())
    }
}

#[test]
fn unusable_answers_become_uniform_or_even_and_are_counted() {
    let ways: [fn(&mut Evaluation); 8] = [
        |evaluation| evaluation.logits.fill(f32::NAN),
        |evaluation| evaluation.logits.fill(f32::NEG_INFINITY),
        |evaluation| evaluation.logits[0] = f32::INFINITY,
        |evaluation| evaluation.logits[0] = f32::NAN,
        |evaluation| evaluation.logits.clear(),
        |evaluation| evaluation.value.win = f32::NAN,
        |evaluation| evaluation.value = WdlPov::default(),
        |evaluation| evaluation.value.loss = -1.0,
    ];
    let toy = Toy::random(9, 60, 8, 100);
    for kind in KINDS {
        for (number, way) in ways.into_iter().enumerate() {
            let mut search = make::<Toy>(&settings(kind));
            let explore = Plan { explore: true, ..plan(40) };
            let line = Line::start(&toy);
            let report = search_once(&mut search, &line, &explore, &mut Broken(way)).unwrap();
            check(&report);
            assert!(search.fallbacks() > 10, "{kind:?} {number}");
            if number < 5 {
                let even = 1.0 / report.actions.len() as f32;
                assert!(report.actions.iter().all(|a| (a.prior - even).abs() < 1e-6));
            } else {
                assert_eq!(report.raw, WdlPov { win: 0.25, draw: 0.5, loss: 0.25 });
            }
        }
        // Lengths that make no sense are no reason to count, but never enter.
        let mut search = make::<Toy>(&settings(kind));
        let mut odd = Broken(|evaluation| evaluation.plies_left = f32::NAN);
        let report = search_once(&mut search, &Line::start(&toy), &plan(40), &mut odd).unwrap();
        assert_eq!((report.plies_left, search.fallbacks()), (0.0, 0));
    }
}

#[test]
fn an_action_masked_by_the_evaluator_stays_within_reach() {
    // All but the masked action lose, which only a search can find out.
    let toy = Toy::new(
        "s 1: a b c
         a 2: lost
         b 2: lost
         c 2: s
         lost = 2",
    )
    .with_draw_at(2);
    for kind in KINDS {
        let mask = Broken(|evaluation| {
            if evaluation.logits.len() == 3 {
                evaluation.logits = vec![0.0, 0.0, f32::NEG_INFINITY];
            }
        });
        let report = search(&toy, &settings(kind), &plan(40), mask);
        assert_eq!(toy.name_of(report.actions[report.best].action), "c");
        assert_eq!(report.actions[report.best].target, 1.0);
    }
}
