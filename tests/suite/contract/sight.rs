//! What a network and the static evaluation see: codes and inputs in their bounds, the mirror
//! image mirrored, both sides alike.

use super::{Whole, place};
use menagerie::codec::Shape;
use menagerie::game::{Game, History, Line, Side};
use std::collections::HashSet;

/// Inputs beyond this would drown the others.
const LARGEST_INPUT: f32 = 40.0;

/// Planes and globals as the actor sees them.
fn encoded<G: Whole>(game: &G, position: &G::Position, repetitions: u32) -> (Vec<f32>, Vec<f32>) {
    let shape = game.shape();
    let mut planes = vec![0.0; shape.plane_values()];
    let mut globals = vec![0.0; shape.globals];
    game.encode(position, repetitions, &mut planes, &mut globals);
    (planes, globals)
}

/// Codes are unique and in range, inputs finite and bounded.
pub fn check_codes<G: Whole>(line: &Line<G>, legal: &[G::Action]) {
    let (game, shape) = (line.game(), line.game().shape());
    let codes: HashSet<usize> =
        legal.iter().map(|&action| game.code(line.position(), action)).collect();
    assert_eq!(codes.len(), legal.len(), "two actions have one code: {}", place(line));
    let most = codes.iter().max().copied().unwrap_or(0);
    assert!(most < shape.codes(), "code {most} of {}: {}", shape.codes(), place(line));
    let (planes, globals) = encoded(game, line.position(), line.repetitions());
    for (index, value) in planes.iter().chain(&globals).enumerate() {
        let sound = value.is_finite() && value.abs() <= LARGEST_INPUT;
        assert!(sound, "input {index} is {value}: {}", place(line));
    }
}

/// The evaluation is in its bounds wherever the game goes on.
pub fn check_evaluation<G: Whole>(line: &Line<G>) {
    if line.outcome().is_none() {
        let score = line.game().evaluate(line.position());
        assert!(score.abs() <= 20_000, "score {score}: {}", place(line));
    }
}

/// Plays the game's mirror image beside the game, if the rules have one.
pub struct Mirror<G: Game>(Option<Line<G>>);

impl<G: Whole> Mirror<G> {
    pub fn new(game: &G) -> Mirror<G> {
        let has_mirror = game.symmetries() == 2;
        assert!(game.symmetries() <= 2, "the contract knows the identity and the mirror only");
        assert_eq!(game.transform(&game.start(), 0), game.start());
        Mirror(has_mirror.then(|| Line::from_position(game, game.transform(&game.start(), 1))))
    }

    pub fn play(&mut self, action: G::Action) {
        if let Some(line) = &mut self.0 {
            let action = line.game().transform_action(action, 1);
            line.play(action);
        }
    }

    /// Compares the line with its mirror image; `false` if there is none.
    pub fn check(&self, line: &Line<G>, legal: &[G::Action]) -> bool {
        let Some(mirror) = &self.0 else { return false };
        let (game, position) = (line.game(), line.position());
        let image = game.transform(position, 1);
        assert_eq!(&image, mirror.position(), "playing and mirroring: {}", place(line));
        assert_eq!(game.hash(&image), game.hash(mirror.position()), "{}", place(line));
        assert_eq!(&game.transform(&image, 1), position, "mirrored twice: {}", place(line));
        let mut images: Vec<G::Action> =
            legal.iter().map(|&action| game.transform_action(action, 1)).collect();
        for (&action, &image) in legal.iter().zip(&images) {
            assert_eq!(game.transform_action(image, 1), action, "{}", place(line));
            assert_eq!(game.transform_action(action, 0), action, "{}", place(line));
        }
        images.sort();
        assert_eq!(images, mirror.legal(), "actions of the mirror image: {}", place(line));
        assert_eq!(mirror.outcome(), line.outcome(), "{}", place(line));
        assert_eq!(mirror.repetitions(), line.repetitions(), "{}", place(line));
        let (planes, globals) = encoded(game, position, line.repetitions());
        let (seen, same) = encoded(game, &image, mirror.repetitions());
        assert_eq!(globals, same, "globals of the mirror image: {}", place(line));
        assert_eq!(mirrored(game.shape(), &planes), seen, "its planes: {}", place(line));
        if line.outcome().is_none() {
            assert_eq!(game.evaluate(position), game.evaluate(&image), "{}", place(line));
        }
        true
    }
}

/// Planes with the files of each row in the other order.
fn mirrored(shape: Shape, planes: &[f32]) -> Vec<f32> {
    let rows = planes.chunks(shape.width * shape.planes);
    rows.flat_map(|row| row.chunks(shape.planes).rev().flatten().copied()).collect()
}

/// With the sides exchanged, the actor sees the same, may do the same and is worth the same;
/// `false` if the position cannot be exchanged.
pub fn check_exchanged<G: Whole>(line: &Line<G>, legal: &[G::Action]) -> bool {
    let (game, position) = (line.game(), line.position());
    let Some(other) = game.exchanged(position) else { return false };
    let (here, there) = (place(line), game.position_text(&other));
    assert_eq!(game.turn(&other), line.turn().other(), "{here}, exchanged `{there}`");
    let same = encoded(game, position, 0) == encoded(game, &other, 0);
    assert!(same, "both sides should see the same: {here}, exchanged `{there}`");
    let mut open = Vec::new();
    let mut codes = |position: &G::Position| {
        game.actions(position, &mut open);
        let mut codes: Vec<usize> =
            open.iter().map(|&action| game.code(position, action)).collect();
        codes.sort_unstable();
        codes
    };
    assert_eq!(codes(position), codes(&other), "{here}, exchanged `{there}`");
    // The reason may name a side, so it is left aside.
    let end = |position: &G::Position| {
        let outcome = game.outcome(position, &History::default());
        outcome.map(|outcome| (outcome.winner, outcome.margin))
    };
    let exchanged = end(&other).map(|(winner, margin)| (winner.map(Side::other), -margin));
    assert_eq!(end(position), exchanged, "{here}, exchanged `{there}`");
    if !legal.is_empty() {
        assert_eq!(game.evaluate(position), game.evaluate(&other), "{here}, exchanged `{there}`");
    }
    true
}
