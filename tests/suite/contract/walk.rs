//! A game played at random through its `Line`, with everything that the rules, the texts and the
//! history promise asked at every ply.

use super::{Whole, place, sight, texts};
use menagerie::game::{Game, History, Line, Outcome};
use menagerie::rng::Stream;
use rand::RngExt;
use std::collections::HashMap;

/// What was met, so that a test can tell that it met enough.
#[derive(Debug, Default)]
pub struct Tally {
    pub games: u64,
    pub ended: u64,
    pub plies: u64,
    /// Plies at which the forcing action was chosen.
    pub captures: u64,
    /// Positions compared with their mirror image.
    pub mirrored: u64,
    /// Positions compared with the sides exchanged.
    pub exchanged: u64,
    /// Rule records that made no game.
    pub refused: u64,
}

/// A game that was played.
pub struct Played<G: Game> {
    pub actions: Vec<G::Action>,
    /// The positions before each action and at the end.
    pub positions: Vec<G::Position>,
    pub outcome: Option<Outcome>,
}

/// Plays from the start until the end, or for `most_plies`.
pub fn play_out<G: Whole>(
    game: &G,
    random: &mut Stream,
    most_plies: u32,
    tally: &mut Tally,
) -> Played<G> {
    let mut line = Line::start(game);
    assert_eq!(line.position(), &game.start());
    let mut mirror = sight::Mirror::new(game);
    let mut played = Played { actions: Vec::new(), positions: Vec::new(), outcome: None };
    let mut by_hash = HashMap::new();
    // Some games are all captures, some have few: ends of both kinds are met.
    let greed = [0.0, 0.3, 0.9][random.random_range(0..3)];
    loop {
        let legal = check_actions(&line);
        check_position(&line, &mut by_hash);
        texts::texts_read_back(&line, &legal);
        sight::check_codes(&line, &legal);
        sight::check_evaluation(&line);
        tally.mirrored += u64::from(mirror.check(&line, &legal));
        tally.exchanged += u64::from(sight::check_exchanged(&line, &legal));
        played.positions.push(line.position().clone());
        if legal.is_empty() || line.ply() >= most_plies {
            break;
        }
        let forcing: Vec<G::Action> = legal
            .iter()
            .copied()
            .filter(|&action| game.is_forcing(line.position(), action))
            .collect();
        let choice = if !forcing.is_empty() && random.random_bool(greed) {
            tally.captures += 1;
            forcing[random.random_range(0..forcing.len())]
        } else {
            legal[random.random_range(0..legal.len())]
        };
        played.actions.push(choice);
        line.play(choice);
        mirror.play(choice);
        tally.plies += 1;
    }
    if let Some(longest) = game.longest() {
        assert!(line.ply() <= longest, "longer than {longest} plies: {}", place(&line));
        let may_go_on = line.outcome().is_none() && line.ply() >= longest;
        assert!(!may_go_on, "not ended after {longest} plies: {}", place(&line));
    }
    forcing_actions_run_out(&line, &played);
    played.outcome = line.outcome();
    tally.games += 1;
    tally.ended += u64::from(played.outcome.is_some());
    played
}

/// The actions are sorted, unique, counted right, agree with the end of the game.
fn check_actions<G: Whole>(line: &Line<G>) -> Vec<G::Action> {
    let (game, position) = (line.game(), line.position());
    let legal = line.legal();
    assert_eq!(legal.is_empty(), line.outcome().is_some(), "{}: {:?}", place(line), line.outcome());
    let mut open = vec![];
    game.actions(position, &mut open);
    assert!(open.windows(2).all(|pair| pair[0] < pair[1]), "not sorted: {}", place(line));
    assert_eq!(game.count_actions(position), open.len() as u64, "{}", place(line));
    // History only takes actions away, and only where a repetition is forbidden.
    if line.outcome().is_none() {
        assert!(legal.iter().all(|action| open.binary_search(action).is_ok()), "{}", place(line));
        assert!(legal == open || game.forbidden_occurrence().is_some(), "{}", place(line));
    }
    let ended = game.outcome(position, &History::default());
    assert_eq!(open.is_empty(), ended.is_some(), "history aside: {}: {ended:?}", place(line));
    if let Some(outcome) = line.outcome() {
        assert!(!outcome.reason.is_empty());
        if let (Some(winner), true) = (outcome.winner, outcome.margin != 0) {
            let won_by = if winner.index() == 0 { outcome.margin } else { -outcome.margin };
            assert!(won_by > 0, "{}: {outcome:?}", place(line));
        }
    }
    legal
}

/// Equal positions have equal hashes, different ones of one game have different hashes.
fn check_position<G: Whole>(line: &Line<G>, by_hash: &mut HashMap<u64, G::Position>) {
    let (game, position) = (line.game(), line.position());
    assert_eq!(game.hash(position), game.hash(&position.clone()));
    let known = by_hash.entry(game.hash(position)).or_insert_with(|| position.clone());
    assert_eq!(known, position, "one hash, two positions: {}", place(line));
    if let Some(occurrence) = game.occurrence(position) {
        assert_eq!(line.history().counted().last(), Some(&occurrence), "{}", place(line));
        assert_eq!(line.repetitions() + 1, line.history().count(occurrence.key));
    }
}

/// From any position of the game, forcing actions cannot follow each other for ever.
fn forcing_actions_run_out<G: Whole>(line: &Line<G>, played: &Played<G>) {
    for position in played.positions.iter().step_by(16) {
        let mut forced = Line::from_position(line.game(), position.clone());
        while let Some(action) = forced
            .legal()
            .into_iter()
            .find(|&action| line.game().is_forcing(forced.position(), action))
        {
            forced.play(action);
            assert!(forced.ply() < 200, "forcing actions go on and on: {}", place(&forced));
        }
    }
}
