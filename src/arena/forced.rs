//! Wins by force within so many plies, by full-width search: what it proves holds for every
//! defence. Knows the rules of no game.

use crate::game::{Game, Line, Side};
use rustc_hash::FxHashMap;

/// The one action that wins by force within a horizon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnlyWin<A> {
    pub action: A,
    /// Plies to the end when the winner hurries and the loser holds out.
    pub plies: u32,
}

/// A search for the wins of one side.
struct Hunt<G: Game> {
    attacker: Side,
    /// Positions that may still be looked at.
    left: u64,
    /// By position: won within so many plies, and not won within so many. Empty where history
    /// decides.
    known: FxHashMap<G::Position, (u32, Option<u32>)>,
    /// By plies left: what last refuted an attempt, or won.
    killers: Vec<Option<G::Action>>,
}

/// The one action that wins by force within `horizon` less two plies, if every other action is
/// proven not to win within the whole `horizon`. `None` also where more than `nodes` positions
/// would have to be looked at.
pub fn only_win<G: Game>(line: &Line<G>, horizon: u32, nodes: u64) -> Option<OnlyWin<G::Action>> {
    let mut hunt = Hunt {
        attacker: line.turn(),
        left: nodes,
        known: FxHashMap::default(),
        killers: vec![None; horizon as usize + 1],
    };
    let after: Vec<(G::Action, Line<G>)> = line
        .legal()
        .into_iter()
        .map(|action| {
            let mut next = line.clone();
            next.play(action);
            (action, next)
        })
        .collect();
    for plies in 1..=horizon.saturating_sub(2) {
        let mut winning = Vec::new();
        for (index, (_, next)) in after.iter().enumerate() {
            if hunt.wins(next, plies - 1)? {
                winning.push(index);
            }
        }
        match winning[..] {
            [] => {}
            [best] => {
                for (index, (_, next)) in after.iter().enumerate() {
                    if index != best && hunt.wins(next, horizon - 1)? {
                        return None;
                    }
                }
                return Some(OnlyWin { action: after[best].0, plies });
            }
            _ => return None,
        }
    }
    None
}

impl<G: Game> Hunt<G> {
    /// Does the attacker win by force within `plies`? `None` if there are no nodes left.
    fn wins(&mut self, line: &Line<G>, plies: u32) -> Option<bool> {
        if let Some(outcome) = line.outcome() {
            return Some(outcome.winner == Some(self.attacker));
        }
        if plies == 0 {
            return Some(false);
        }
        self.left = self.left.checked_sub(1)?;
        // Where repetition counts, a position is not all that decides.
        let keeps = plies > 1 && line.game().occurrence(line.position()).is_none();
        let (won, open) =
            self.known.get(line.position()).filter(|_| keeps).copied().unwrap_or((u32::MAX, None));
        if won <= plies {
            return Some(true);
        }
        if open.is_some_and(|open| open >= plies) {
            return Some(false);
        }
        let wins = self.search(line, plies)?;
        if keeps {
            let known = if wins { (plies, open) } else { (won, Some(plies)) };
            self.known.insert(line.position().clone(), known);
        }
        Some(wins)
    }

    fn search(&mut self, line: &Line<G>, plies: u32) -> Option<bool> {
        // One action is enough: a win for the attacker, an escape for the defender.
        let enough = line.turn() == self.attacker;
        let mut actions = line.legal();
        let killer = self.killers[plies as usize];
        if let Some(place) = actions.iter().position(|&action| Some(action) == killer) {
            actions[..=place].rotate_right(1);
        }
        for action in actions {
            let mut next = line.clone();
            next.play(action);
            if self.wins(&next, plies - 1)? == enough {
                self.killers[plies as usize] = Some(action);
                return Some(enough);
            }
        }
        Some(!enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::{Rulebook, Signature, Tables, Value, solve};
    use crate::game::Notation;
    use crate::game::jungle::{Jungle, Rules};
    use crate::rng;
    use rand::RngExt;

    #[test]
    fn what_it_proves_the_tables_say() {
        let game = Jungle::new(Rules::default()).unwrap();
        let mut tables = Tables::new(&game).unwrap();
        let book = Rulebook::new(&game).unwrap();
        for name in ["Lvr", "Evr", "Evl", "ELvr"] {
            let signature = book.canonical(&Signature::parse(name).unwrap()).0;
            tables.insert(solve::solve(&book, &signature, &tables, 1, &()).unwrap());
        }
        let table = tables.held().pop().unwrap();
        let mut stream = rng::stream(4, "forced test", 0);
        const HORIZON: u32 = 7;
        let (mut found, mut none) = (0, 0);
        while found < 30 || none < 30 {
            let entry = stream.random_range(0..table.entries());
            let side = Side::BOTH[stream.random_range(0..2)];
            let Some(position) = table.position(&game, side, entry) else { continue };
            let line = Line::from_position(&game, position);
            if line.outcome().is_some() {
                continue;
            }
            let moves = tables.moves(line.position());
            let within = |plies: u32| {
                moves
                    .iter()
                    .filter(|(_, exact)| {
                        exact.is_some_and(|e| e.value == Value::Win && e.plies <= plies)
                    })
                    .count()
            };
            let best = moves[0];
            let plies = best.1.unwrap().plies;
            let only = within(HORIZON - 2) == 1 && within(HORIZON) == 1;
            if !only && none >= 30 {
                continue;
            }
            let expected = only.then_some(OnlyWin { action: best.0, plies });
            let text = game.position_text(line.position());
            assert_eq!(only_win(&line, HORIZON, u64::MAX), expected, "{text}");
            found += u32::from(only);
            none += u32::from(!only);
        }
    }

    #[test]
    fn it_gives_up_when_the_nodes_are_used_up() {
        let game = Jungle::new(Rules::default()).unwrap();
        // The lion enters the den in three plies, or is too slow.
        let text = "7/7/3L3/7/7/7/7/r6/7 w 0 1";
        let line = Line::from_position(&game, game.parse_position(text).unwrap());
        let found = only_win(&line, 5, u64::MAX).unwrap();
        assert_eq!(
            (game.action_text(line.position(), found.action), found.plies),
            ("d7d8".into(), 3)
        );
        assert_eq!(only_win(&line, 5, 3), None);
        assert_eq!(only_win(&Line::start(&game), 5, 1000), None);
    }
}
