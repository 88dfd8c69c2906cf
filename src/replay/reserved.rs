//! Positions reserved for measuring are no samples, whoever recorded them: games of older runs may
//! hold some.

use crate::game::Notation;
use crate::record::Replayed;

/// Forgets the searches of positions that the game reserves for measuring.
pub fn forget_reserved<G: Notation>(game: &G, replayed: &mut Replayed<G>) {
    let mut line = replayed.line(game);
    let mut actions = replayed.actions.iter();
    replayed.searched.retain(|searched| {
        while line.ply() < searched.ply
            && let Some(&action) = actions.next()
        {
            line.play(action);
        }
        !game.is_reserved(line.position())
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::jungle::{Jungle, Rules};
    use crate::game::{Game, Line};
    use crate::record::{End, Searched};
    use crate::rng;
    use crate::search::Wdl;
    use rand::RngExt;

    #[test]
    fn only_reserved_positions_are_forgotten() {
        let setup = "4r2/7/3l3/7/7/7/3L3/7/2R4 w 0 1";
        let game = Jungle::new(Rules { setup: setup.into(), ..Rules::default() }).unwrap();
        let mut stream = rng::stream(3, "reserved test", 0);
        let (mut kept, mut gone) = (0, 0);
        for index in 0..40 {
            let mut line = Line::start(&game);
            let (mut actions, mut searched, mut free) = (Vec::new(), Vec::new(), Vec::new());
            while line.outcome().is_none() && line.ply() < 40 {
                let legal = line.legal();
                let (ply, root) = (line.ply(), Wdl::of(None));
                // One search in three is missing, as where moves are fast.
                if ply % 3 != 1 {
                    let target = vec![(0, u16::MAX)];
                    searched.push(Searched { ply, visits: 1, full: true, target, root, raw: root });
                    if !game.is_reserved(line.position()) {
                        free.push(ply);
                    }
                }
                let action = legal[stream.random_range(0..legal.len())];
                line.play(action);
                actions.push(action);
            }
            gone += searched.len() - free.len();
            let (start, end) = (game.start(), End::Cut);
            let mut replayed =
                Replayed { index, generation: 0, opening_plies: 0, start, actions, searched, end };
            forget_reserved(&game, &mut replayed);
            let plies: Vec<u32> = replayed.searched.iter().map(|searched| searched.ply).collect();
            assert_eq!(plies, free);
            kept += free.len();
        }
        assert!(gone > 20 && kept > 10 * gone, "{gone} of {kept}");
    }
}
