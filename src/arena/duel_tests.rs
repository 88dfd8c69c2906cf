//! Duels of the baselines at the toy game.

use super::*;
use crate::arena::alphabeta::AlphaBeta;
use crate::arena::baseline::{Greedy, Random};
use crate::arena::player::Choice;
use crate::arena::toy::{Toy, ToyAction};

type Made = Result<Box<dyn Player<Toy>>, PlayerError>;

fn random() -> Made {
    Ok(Box::new(Random::default()))
}

fn greedy() -> Made {
    Ok(Box::new(Greedy::default()))
}

fn deep() -> Made {
    Ok(Box::new(AlphaBeta::new(3)))
}

fn settings(games: u32, threads: usize) -> ArenaSettings {
    ArenaSettings {
        games,
        threads,
        opening_plies_min: 2,
        opening_plies_max: 5,
        ..ArenaSettings::default()
    }
}

fn play(a: &Factory<Toy>, b: &Factory<Toy>, settings: &ArenaSettings, plan: &DuelPlan) -> Duel {
    let mut duel = duel(&Toy::default(), a, b, settings, plan, &()).unwrap();
    duel.ms_per_move = [0.0; 2]; // The one thing that depends on the machine.
    duel
}

#[test]
fn the_result_does_not_depend_on_the_threads() {
    let plan = DuelPlan { seed: 5, keep_games: true, ..DuelPlan::default() };
    let one = play(&deep, &random, &settings(40, 1), &plan);
    assert_eq!(one, play(&deep, &random, &settings(40, 3), &plan));
    assert_ne!(one, play(&deep, &random, &settings(40, 1), &DuelPlan { seed: 6, ..plan }));
    assert_eq!(one.games, 40);
    assert_eq!(one.wins + one.draws + one.losses, 40);
    assert_eq!(one.pairs.iter().sum::<u32>(), 20);
    assert!(one.estimate.score > 0.8, "{}", one.summary());
}

#[test]
fn openings_are_played_twice_with_sides_swapped() {
    let plan = DuelPlan { seed: 1, keep_games: true, ..DuelPlan::default() };
    let result = play(&greedy, &random, &settings(20, 2), &plan);
    assert_eq!(result.records.len(), 20);
    for (index, two) in result.records.chunks(2).enumerate() {
        assert_eq!((two[0].pair, two[1].pair), (index as u32, index as u32));
        assert_eq!((two[0].a_plays, two[1].a_plays), (Side::First, Side::Second));
        let plies = two[0].opening_plies as usize;
        assert_eq!(two[0].actions[..plies], two[1].actions[..plies]);
    }
    let swapped = play(&random, &greedy, &settings(20, 2), &plan);
    assert!(result.estimate.score > 0.5 && swapped.estimate.score < 0.5);
    let text = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<Duel>(&text).unwrap(), result);
}

#[test]
fn a_game_that_is_too_long_is_a_draw_and_counted_apart() {
    let settings = ArenaSettings { max_plies: 3, opening_plies_max: 2, ..settings(10, 2) };
    let result = play(&random, &random, &settings, &DuelPlan::default());
    assert_eq!((result.draws, result.cut), (10, 10));
    assert_eq!(result.mean_plies, 3.0);
    assert_eq!(result.pairs, [0, 0, 5, 0, 0]);
    assert!(result.summary().ends_with(", 10 of the draws cut at the ply limit"));
}

#[test]
fn a_clear_test_ends_the_duel_early_and_alike() {
    let sprt = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };
    let plan = DuelPlan { seed: 2, sprt: Some(sprt), ..DuelPlan::default() };
    let one = play(&deep, &random, &settings(200, 1), &plan);
    assert_eq!(one.verdict, Some(Verdict::Accepted));
    assert!(one.games < 200);
    assert!(!one.interrupted);
    assert_eq!(one, play(&deep, &random, &settings(200, 3), &plan));
}

#[test]
fn stopped_from_outside() {
    let stop = AtomicBool::new(true);
    let plan = DuelPlan { stop: Some(&stop), ..DuelPlan::default() };
    let result = play(&greedy, &random, &settings(20, 2), &plan);
    assert!(result.interrupted);
    assert_eq!((result.games, result.estimate.elo), (0, None));
}

struct Cheat;

impl Player<Toy> for Cheat {
    fn name(&self) -> String {
        String::from("cheat")
    }

    fn begin(&mut self, _seed: u64) {}

    fn choose(&mut self, _line: &Line<Toy>) -> Result<Choice<ToyAction>, PlayerError> {
        Ok(Choice::plain(ToyAction { from: 0, to: 19 }))
    }
}

#[test]
fn an_illegal_action_and_a_missing_player_are_errors() {
    let cheat = || -> Made { Ok(Box::new(Cheat)) };
    let settings = settings(10, 2);
    let play = |b: &Factory<Toy>| {
        let result = duel(&Toy::default(), &random, b, &settings, &DuelPlan::default(), &());
        result.unwrap_err().to_string()
    };
    let error = play(&cheat);
    assert!(error.starts_with("cheat chose an action that is not legal in ply "), "{error}");
    let reason = String::from("no such file");
    let missing = move || -> Made {
        Err(PlayerError::NotReady { name: String::from("m/x"), reason: reason.clone() })
    };
    assert_eq!(play(&missing), "m/x could not be made ready: no such file");
}
