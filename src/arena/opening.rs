//! Varied openings for paired games: short random playouts, all different.

use super::settings::ArenaSettings;
use crate::game::{Game, Line};
use crate::rng;
use rand::RngExt;
use rustc_hash::FxHashSet;

/// Tries for one opening before there are thought to be no more.
const TRIES: u32 = 200;

/// There are not enough different openings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "only {found} different openings of {min} to {max} plies were found where {wanted} are \
     needed; ask for fewer games, or raise `opening_plies_max`"
)]
pub struct TooFewOpenings {
    pub found: u32,
    pub wanted: u32,
    pub min: u32,
    pub max: u32,
}

/// Draws `settings.pairs()` openings: random legal playouts from the start that have not ended
/// and that lead to different positions. Opening k depends on the seed, k and those before it.
pub fn draw_openings<G: Game>(
    game: &G,
    settings: &ArenaSettings,
    seed: u64,
) -> Result<Vec<Vec<G::Action>>, TooFewOpenings> {
    let wanted = settings.pairs();
    let (min, max) = (settings.opening_plies_min, settings.opening_plies_max);
    let max = max.max(min);
    // A single game from the start itself is what an opening of no plies asks for.
    let mut seen: FxHashSet<G::Position> = FxHashSet::default();
    let mut openings = Vec::with_capacity(wanted as usize);
    for index in 0..wanted {
        let mut stream = rng::stream(seed, "arena/opening", u64::from(index));
        let opening = (0..TRIES).find_map(|_| {
            let plies = stream.random_range(min..=max);
            let (opening, line) = playout(game, plies, &mut stream)?;
            seen.insert(line.position().clone()).then_some(opening)
        });
        match opening {
            Some(opening) => openings.push(opening),
            None => return Err(TooFewOpenings { found: index, wanted, min, max }),
        }
    }
    Ok(openings)
}

/// A random playout of exactly `plies` actions; `None` if the game ends on the way.
fn playout<G: Game>(
    game: &G,
    plies: u32,
    stream: &mut rng::Stream,
) -> Option<(Vec<G::Action>, Line<G>)> {
    let mut line = Line::start(game);
    let (mut played, mut actions) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        line.actions(&mut actions);
        if actions.is_empty() {
            return None;
        }
        let action = actions[stream.random_range(0..actions.len())];
        line.play(action);
        played.push(action);
    }
    line.actions(&mut actions);
    (!actions.is_empty()).then_some((played, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::toy::Toy;

    #[test]
    fn openings_differ_and_have_not_ended() {
        let game = Toy::default();
        let settings = ArenaSettings { games: 60, ..ArenaSettings::default() };
        let openings = draw_openings(&game, &settings, 3).unwrap();
        let mut positions = std::collections::HashSet::new();
        for opening in &openings {
            assert!((4..=8).contains(&opening.len()));
            let mut line = Line::start(&game);
            for &action in opening {
                assert!(line.legal().contains(&action));
                line.play(action);
            }
            assert_eq!(line.outcome(), None);
            assert!(positions.insert(line.position().clone()));
        }
        assert_eq!(positions.len(), 30);
        let more = ArenaSettings { games: 80, ..settings };
        assert_eq!(draw_openings(&game, &more, 3).unwrap()[..30], openings[..]);
    }

    #[test]
    fn too_few_openings_are_an_error() {
        // After one ply there are ten positions: 4 straight steps and 6 diagonal ones.
        let one = ArenaSettings {
            games: 24,
            opening_plies_min: 1,
            opening_plies_max: 1,
            ..ArenaSettings::default()
        };
        let error = draw_openings(&Toy::default(), &one, 3).unwrap_err();
        assert_eq!(error, TooFewOpenings { found: 10, wanted: 12, min: 1, max: 1 });
        assert!(error.to_string().starts_with("only 10 different openings of 1 to 1 plies"));
    }
}
