//! A game that was played makes a record, and the record replays to the same game.

use super::Whole;
use super::walk::Played;
use menagerie::record::{Counters, End, FORMAT, GameRecord, RulesHash};

pub fn a_record_replays<G: Whole>(game: &G, played: &Played<G>) {
    let texts = played.positions.iter().zip(&played.actions);
    let mut record = GameRecord {
        format: FORMAT,
        game: game.name().into(),
        rules: RulesHash::of(game),
        index: 7,
        generation: 0,
        seed: 1,
        opening_plies: 0,
        start: None,
        actions: texts.map(|(position, &action)| game.action_text(position, action)).collect(),
        searched: Vec::new(),
        end: played.outcome.map_or(End::Cut, End::from),
        counters: Counters::default(),
    };
    for start in [None, Some(game.position_text(&game.start()))] {
        record.start = start;
        let replayed = record.replay(game).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(replayed.actions, played.actions);
        assert_eq!(replayed.end, record.end);
        let mut line = replayed.line(game);
        for &action in &replayed.actions {
            line.play(action);
        }
        assert_eq!(Some(line.position()), played.positions.last());
        assert_eq!(line.outcome(), played.outcome);
    }
    // One action less is another game, and so is one with another end.
    if record.actions.pop().is_some() {
        let shorter = record.replay(game);
        assert_eq!(shorter.is_err(), played.outcome.is_some(), "{shorter:?}");
    }
}
