//! How a self-play game begins: with some random plies, so that games differ.

use super::settings::SelfplaySettings;
use crate::game::{Game, Line};
use crate::rng::Stream;
use rand::RngExt;

/// Tries before giving up on a random opening that neither ends the game nor leads to a reserved
/// position.
const TRIES: u32 = 100;

/// A game after its random plies, with the actions played. It has not ended; where no try
/// serves the line is at its start.
pub fn open<G: Game>(
    game: &G,
    settings: &SelfplaySettings,
    stream: &mut Stream,
) -> (Line<G>, Vec<G::Action>) {
    let random = stream.random::<f64>() < settings.opening_share;
    let plies = if random { stream.random_range(0..=settings.opening_plies) } else { 0 };
    random_plies(game, plies, stream)
}

/// Plays `plies` uniformly random plies; tries anew when the game ends on the way, or where
/// they lead to a position that is reserved for measuring.
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
        if line.outcome().is_none() && !game.is_reserved(line.position()) {
            return (line, played);
        }
    }
    (Line::start(game), Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::jungle::{Jungle, Rules};
    use crate::rng;

    #[test]
    fn no_opening_ends_at_a_reserved_position() {
        let setup = "4r2/7/3l3/7/7/7/3L3/7/2R4 w 0 1";
        let game = Jungle::new(Rules { setup: setup.into(), ..Rules::default() }).unwrap();
        let mut passed = 0;
        for index in 0..400 {
            let mut stream = rng::stream(2, "opening test", index);
            let (line, played) = random_plies(&game, 6, &mut stream);
            assert!(played.len() == 6 && !game.is_reserved(line.position()));
            let mut line = Line::start(&game);
            for action in played {
                line.play(action);
                passed += u32::from(game.is_reserved(line.position()));
            }
        }
        // They are played through all the same.
        assert!(passed > 50, "{passed}");
    }
}
