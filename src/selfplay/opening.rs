//! How a self-play game begins: with some random plies, so that games differ.

use super::settings::SelfplaySettings;
use crate::game::{Game, Line};
use crate::rng::Stream;
use rand::RngExt;

/// Tries before giving up on a random opening that does not end the game.
const TRIES: u32 = 100;

/// A game after its random plies, with the actions played. It has not ended; where every try ends
/// the game the line is at its start.
pub fn open<G: Game>(
    game: &G,
    settings: &SelfplaySettings,
    stream: &mut Stream,
) -> (Line<G>, Vec<G::Action>) {
    let random = stream.random::<f64>() < settings.opening_share;
    let plies = if random { stream.random_range(0..=settings.opening_plies) } else { 0 };
    random_plies(game, plies, stream)
}

/// Plays `plies` uniformly random plies; tries anew when the game ends on the way.
pub fn random_plies<G: Game>(
    game: &G,
    plies: u32,
    stream: &mut Stream,
) -> (Line<G>, Vec<G::Action>) {
    let mut legal = Vec::new();
    for _ in 0..TRIES {
        let mut line = Line::start(game);
        let mut played = Vec::new();
        while line.outcome().is_none() && line.ply() < plies {
            line.actions(&mut legal);
            let action = legal[stream.random_range(0..legal.len())];
            line.play(action);
            played.push(action);
        }
        if line.outcome().is_none() {
            return (line, played);
        }
    }
    (Line::start(game), Vec::new())
}
