//! Positions whose value tables prove: what they teach, and who has won.

use crate::endgame::{Exact, Oracle, Value};
use crate::game::{Game, Line, Side};
use crate::search::Wdl;

/// The truth about a position that a game has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// The policy target over the legal actions: even among the best ones (the quickest wins, the
    /// slowest losses, all that hold a draw).
    pub target: Vec<f32>,
    pub winner: Option<Side>,
}

impl Truth {
    /// The value of the position.
    pub fn value(&self) -> Wdl {
        Wdl::of(self.winner)
    }
}

/// What tables prove of the present position and of its actions; `None` where they prove too
/// little.
pub fn truth<G: Game>(oracle: &dyn Oracle<G>, line: &Line<G>) -> Option<Truth> {
    let proven = |line: &Line<G>| {
        oracle
            .ask(line.position(), line.history())
            .filter(|advice| advice.proven)
            .map(|advice| advice.exact)
    };
    let exact = proven(line)?;
    let after = |action| {
        let mut next = line.clone();
        next.play(action);
        match next.outcome() {
            None => proven(&next).map(Exact::before),
            Some(outcome) => {
                let value = match outcome.winner {
                    None => Value::Draw,
                    Some(winner) if winner == line.turn() => Value::Win,
                    Some(_) => Value::Loss,
                };
                Some(Exact { value, plies: u32::from(value != Value::Draw) })
            }
        }
    };
    let actions = line.legal();
    let best: Vec<bool> = actions.into_iter().map(|action| after(action) == Some(exact)).collect();
    let count = best.iter().filter(|&&best| best).count();
    let share = 1.0 / count.max(1) as f32;
    (count > 0).then(|| Truth {
        target: best.into_iter().map(|best| if best { share } else { 0.0 }).collect(),
        winner: exact.value.winner(line.turn()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::{Signature, Tables, solve};
    use crate::game::Notation;
    use crate::game::jungle::{Jungle, Rules};
    use crate::record::End;
    use crate::search::SearchSettings;
    use crate::search::evaluator::Uniform;
    use crate::selfplay::{Job, PlayedGame, SelfplaySettings, play};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    /// A game that begins with two animals a side.
    fn small() -> (Jungle, Arc<Tables>) {
        let setup = "4r2/7/3l3/7/7/7/3L3/7/2R4 w 0 1";
        let game = Jungle::new(Rules { setup: setup.into(), ..Rules::default() }).unwrap();
        let mut tables = Tables::new(&game).unwrap();
        let book = tables.book().clone();
        for count in 2..=3 {
            for signature in book.signatures(count) {
                tables.insert(solve::solve(&book, &signature, &tables, 1, &()).unwrap());
            }
        }
        assert_eq!(Signature::of(&game.start()).to_string(), "LRvlr");
        (game, Arc::new(tables))
    }

    #[test]
    fn targets_are_the_best_moves_of_the_tables() {
        let (game, tables) = small();
        let text = "7/7/7/3L3/7/7/7/r6/7 w 0 60";
        let line = Line::from_position(&game, game.parse_position(text).unwrap());
        let truth = truth(&*tables, &line).unwrap();
        assert_eq!(truth.winner, Some(Side::First));
        let best = tables.moves(line.position())[0];
        for (action, share) in line.legal().into_iter().zip(truth.target) {
            let exact = tables.moves(line.position()).into_iter().find(|m| m.0 == action);
            assert_eq!(share > 0.0, exact.unwrap().1 == best.1);
        }
        let full = Line::start(&game);
        assert_eq!(super::truth(&*tables, &full), None);
    }

    fn games(settings: &SelfplaySettings) -> Vec<(Jungle, PlayedGame<Jungle>)> {
        let (game, tables) = small();
        let next = AtomicU64::new(0);
        let job = Job {
            game: &game,
            settings,
            search: &SearchSettings::default(),
            seed: 5,
            visits: 4,
            claim: &|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < 12),
            oracle: Some(tables as Arc<dyn Oracle<Jungle>>),
            stop: &AtomicBool::new(false),
        };
        let mut games = Vec::new();
        let mut keep = |played| -> Result<(), crate::search::evaluator::EvalError> {
            games.push((game.clone(), played));
            Ok(())
        };
        play(&job, &mut Uniform, &mut keep).unwrap();
        games
    }

    #[test]
    fn games_are_adjudicated_and_taught_by_tables_when_asked() {
        let base = SelfplaySettings {
            opening_share: 0.0,
            stop_proven: false,
            ..SelfplaySettings::default()
        };
        let by_tables = |played: &PlayedGame<Jungle>| matches!(&played.end, End::Adjudicated { by, .. } if by == "tables");
        assert!(games(&base).iter().all(|(_, played)| !by_tables(played)));
        let judged = games(&SelfplaySettings { adjudicate_tables: true, ..base.clone() });
        assert!(judged.iter().any(|(_, played)| by_tables(played)));
        let (_, tables) = small();
        let mut taught = 0;
        for (game, played) in games(&SelfplaySettings { table_targets: true, ..base }) {
            let mut line = Line::start(&game);
            let mut searched = played.searched.iter().peekable();
            for &action in &played.actions {
                let truth = truth(&*tables, &line);
                if let Some(searched) = searched.next_if(|searched| searched.ply == line.ply()) {
                    if let Some(truth) = truth {
                        assert_eq!((searched.root, searched.visits), (truth.value(), 0));
                        taught += 1;
                        assert!(!game.is_reserved(line.position()));
                    }
                } else {
                    assert!(game.is_reserved(line.position()));
                }
                line.play(action);
            }
        }
        assert!(taught > 10, "{taught}");
    }
}
