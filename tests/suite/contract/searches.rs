//! Both searches on positions met in random play, with an evaluator that knows nothing: the report
//! is whole, its numbers are sound, and the same plan finds the same.

use super::{Whole, place};
use menagerie::game::Line;
use menagerie::rng::Stream;
use menagerie::search::evaluator::Uniform;
use menagerie::search::{
    Plan, Proven, Report, SearchKind, SearchSettings, WdlPov, make, search_once,
};
use rand::RngExt;

/// Plays at random for up to `plies` and searches at about every twelfth; says how many searches
/// there were.
pub fn check<G: Whole>(game: &G, random: &mut Stream, plies: u32) -> u64 {
    let mut line = Line::start(game);
    let mut searched = 0;
    while line.outcome().is_none() && line.ply() < plies {
        if random.random_bool(1.0 / 12.0) || line.ply() == 0 {
            for kind in [SearchKind::Gumbel, SearchKind::Puct] {
                let plan = Plan {
                    visits: [0, 1, 5, 16, 40][random.random_range(0..5)],
                    leaves: [1, 1, 3][random.random_range(0..3)],
                    explore: random.random_bool(0.5),
                    seed: random.random(),
                };
                check_search(&line, kind, &plan);
                searched += 1;
            }
        }
        let legal = line.legal();
        line.play(legal[random.random_range(0..legal.len())]);
    }
    searched
}

fn search<G: Whole>(line: &Line<G>, kind: SearchKind, plan: &Plan) -> Report<G> {
    let settings = SearchSettings { kind, ..SearchSettings::default() };
    let mut search = make::<G>(&settings);
    let report = search_once(&mut search, line, plan, &mut Uniform).unwrap();
    assert_eq!(search.fallbacks(), 0, "{kind:?} {plan:?} {}", place(line));
    report
}

fn check_search<G: Whole>(line: &Line<G>, kind: SearchKind, plan: &Plan) {
    let report = search(line, kind, plan);
    let here = || format!("{kind:?} {plan:?} {}", place(line));
    let legal = line.legal();
    let reported: Vec<G::Action> = report.actions.iter().map(|entry| entry.action).collect();
    assert_eq!(reported, legal, "{}", here());
    assert!(report.best < legal.len(), "{}", here());

    let visits: u32 = report.actions.iter().map(|entry| entry.visits).sum();
    assert_eq!(visits, report.visits, "{}", here());
    assert!(visits <= plan.visits, "{visits} visits: {}", here());
    let stopped = report.proven.is_some() || legal.len() == 1;
    assert!(visits == plan.visits || stopped, "{visits} visits: {}", here());

    for (name, shares) in [
        ("targets", report.actions.iter().map(|entry| entry.target).collect::<Vec<f32>>()),
        ("priors", report.actions.iter().map(|entry| entry.prior).collect()),
    ] {
        assert!(shares.iter().all(|share| (0.0..=1.0001).contains(share)), "{name}: {}", here());
        let sum: f32 = shares.iter().sum();
        assert!((sum - 1.0).abs() < 1e-3, "{name} sum to {sum}: {}", here());
    }
    let values = report.actions.iter().filter_map(|entry| entry.value);
    for value in values.chain([report.root, report.raw]) {
        check_chances(value, &here);
    }
    assert!(report.plies_left.is_finite(), "{}", here());
    for entry in &report.actions {
        let known = entry.value.is_some();
        assert!(known || entry.visits == 0, "visited without a value: {}", here());
    }
    if report.proven == Some(Proven::Win) {
        assert_eq!(report.actions[report.best].proven, Some(Proven::Win), "{}", here());
    }

    let mut expected = line.clone();
    for &action in &report.expected {
        assert!(expected.legal().contains(&action), "the expected line: {}", here());
        expected.play(action);
    }

    let again = search(line, kind, plan);
    assert_eq!(format!("{report:?}"), format!("{again:?}"), "searched twice: {}", here());
}

fn check_chances(value: WdlPov, here: &impl Fn() -> String) {
    let chances = [value.win, value.draw, value.loss];
    let sound = chances.iter().all(|chance| (-1e-4..=1.0001).contains(chance));
    let sum: f32 = chances.iter().sum();
    assert!(sound && (sum - 1.0).abs() < 1e-3, "{value:?}: {}", here());
}
