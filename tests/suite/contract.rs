//! The contract of a game: what the traits promise, asked of every game, of every preset and of
//! many random rule records. A new game is done when it passes here.
//!
//! Every case is drawn from its number alone. A failure prints the number, the rules and how to
//! run that case again.

#[path = "contract/boards.rs"]
mod boards;
#[path = "contract/case.rs"]
mod case;
#[path = "contract/exchange.rs"]
mod exchange;
#[path = "contract/mixes.rs"]
mod mixes;
#[path = "contract/records.rs"]
mod records;
#[path = "contract/searches.rs"]
mod searches;
#[path = "contract/sight.rs"]
mod sight;
#[path = "contract/texts.rs"]
mod texts;
#[path = "contract/walk.rs"]
mod walk;

use case::{Case, numbers};
use exchange::Exchange;
use menagerie::arena::evaluation::StaticEvaluation;
use menagerie::codec::Encode;
use menagerie::game::registry::{self, AnyGame};
use menagerie::game::{Game, Line, Notation, Side};
use menagerie::rng::Stream;
use menagerie::search::{Wdl, WdlPov};
use menagerie::with_game;
use rand::RngExt;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use walk::Tally;

/// Everything that a game must have.
pub trait Whole: Notation + Encode + StaticEvaluation + Exchange {}

impl<G: Notation + Encode + StaticEvaluation + Exchange> Whole for G {}

/// Rule records drawn at random.
const JUNGLE_MIXES: u64 = 2_000;
const SHENGXIAO_MIXES: u64 = 250;
/// Whole games of each game, shared out among its presets.
const PRESET_GAMES: u64 = 60;

/// Every game with each of its presets.
fn presets() -> Vec<(String, AnyGame)> {
    let of = |game: &'static str| {
        registry::presets(game).unwrap().iter().map(move |preset| {
            let any = registry::build(game, Some(preset), &Map::new()).unwrap();
            (format!("{game}, preset {preset}"), any)
        })
    };
    registry::names().into_iter().flat_map(of).collect()
}

/// Plays the case's game and asks everything of it.
fn check_game<G: Whole>(game: &G, random: &mut Stream, most_plies: u32, tally: &mut Tally) {
    texts::rules_read_back(game);
    let played = walk::play_out(game, random, most_plies, tally);
    records::a_record_replays(game, &played);
    texts::damaged_texts_are_refused_or_understood(game, &played, random);
}

#[test]
fn every_preset_keeps_the_contract() {
    let mut exchanged = 0;
    for (name, any) in presets() {
        let game = with_game!(&any, game => game.name());
        let games = PRESET_GAMES.div_ceil(registry::presets(game).unwrap().len() as u64);
        let mut tally = Tally::default();
        for number in numbers(games) {
            let mut case = Case::new("every_preset_keeps_the_contract", &name, number);
            with_game!(&any, game => {
                case.tell(format!("rules {}", game.rules()));
                let most = game.longest().unwrap_or(1_000).min(2_000);
                check_game(game, &mut case.random, most, &mut tally);
            });
        }
        println!("{name}: {tally:?}");
        assert!(tally.ended > 0 || case::is_chosen(), "no game of {name} ended: {tally:?}");
        exchanged += tally.exchanged;
    }
    assert!(exchanged > 5_000 || case::is_chosen(), "{exchanged}");
}

/// Runs the cases of a test over random rule records; gives what was counted and the records.
fn check_mixes(
    test: &str,
    game: &str,
    count: u64,
    most_plies: u32,
    draw: impl Fn(&mut Stream) -> Map<String, Value>,
) -> (Tally, BTreeSet<String>) {
    let (mut tally, mut values) = (Tally::default(), BTreeSet::new());
    for number in numbers(count) {
        let mut case = Case::new(test, game, number);
        // A record that makes no game is refused with a reason, and another one is drawn.
        let any = loop {
            let rules = draw(&mut case.random);
            case.tell(format!("rules {}", Value::Object(rules.clone())));
            match registry::build(game, None, &rules) {
                Ok(any) => {
                    values.extend(rules.iter().map(|(key, value)| format!("{key}={value}")));
                    break any;
                }
                Err(error) => {
                    let message = error.to_string();
                    assert!(message.contains("`setup`"), "a sound record was refused: {message}");
                    tally.refused += 1;
                }
            }
        };
        with_game!(&any, game => check_game(game, &mut case.random, most_plies, &mut tally));
    }
    println!("{game}: {tally:?}");
    (tally, values)
}

#[test]
fn random_rules_of_jungle_keep_the_contract() {
    let test = "random_rules_of_jungle_keep_the_contract";
    let (tally, values) = check_mixes(test, "jungle", JUNGLE_MIXES, 120, mixes::jungle);
    if case::is_chosen() {
        return;
    }
    for (key, words) in mixes::JUNGLE_WORDS {
        for word in *words {
            let drawn =
                values.iter().any(|value| value == &format!("{key}={}", mixes::value(word)));
            assert!(drawn, "{key}={word} was never played");
        }
    }
    assert!(tally.ended > 300 && tally.mirrored > 5_000 && tally.exchanged > 5_000, "{tally:?}");
    assert!(tally.captures > 3_000, "{tally:?}");
}

#[test]
fn random_rules_of_shengxiao_keep_the_contract() {
    let test = "random_rules_of_shengxiao_keep_the_contract";
    let (tally, _) = check_mixes(test, "shengxiao", SHENGXIAO_MIXES, 150, mixes::shengxiao);
    if case::is_chosen() {
        return;
    }
    assert!(tally.ended > 10 && tally.mirrored > 1_000 && tally.exchanged > 200, "{tally:?}");
}

#[test]
fn both_searches_report_as_planned() {
    let mut searched = 0;
    for (name, any) in presets() {
        for number in numbers(4) {
            let mut case = Case::new("both_searches_report_as_planned", &name, number);
            with_game!(&any, game => searched += searches::check(game, &mut case.random, 150));
        }
    }
    for number in numbers(150) {
        let mut case = Case::new("both_searches_report_as_planned", "jungle mixes", number);
        let rules = mixes::jungle(&mut case.random);
        case.tell(format!("rules {}", Value::Object(rules.clone())));
        // What makes no game is another test's subject.
        let Ok(any) = registry::build("jungle", None, &rules) else { continue };
        with_game!(&any, game => searched += searches::check(game, &mut case.random, 60));
    }
    println!("{searched} searches");
    assert!(searched > 1_000 || case::is_chosen(), "{searched}");
}

#[test]
fn turning_chances_to_a_side_and_back_changes_nothing() {
    let mut case = Case::new("turning_chances_to_a_side_and_back_changes_nothing", "chances", 0);
    for _ in 0..100 {
        let (first, rest): (f32, f32) = (case.random.random(), case.random.random());
        let draw = (1.0 - first) * rest;
        let fixed = Wdl { first, draw, second: 1.0 - first - draw };
        for side in Side::BOTH {
            let seen = fixed.pov(side);
            assert_eq!(seen.fixed(side), fixed);
            assert_eq!(seen.value(), -fixed.pov(side.other()).value());
            assert_eq!(seen.draw, draw);
            let turned = WdlPov { win: seen.loss, draw: seen.draw, loss: seen.win };
            assert_eq!(turned, fixed.pov(side.other()));
        }
    }
    for side in Side::BOTH {
        assert_eq!(Wdl::of(Some(side)).pov(side), WdlPov::WIN);
        assert_eq!(Wdl::of(Some(side)).pov(side.other()), WdlPov::LOSS);
        assert_eq!(Wdl::of(None).pov(side), WdlPov::DRAW);
    }
}

/// Where a line stands, for messages.
fn place<G: Notation>(line: &Line<G>) -> String {
    format!("at ply {}, position `{}`", line.ply(), line.game().position_text(line.position()))
}
