//! The opinion of random play: an evaluator that plays games to the end by chance. No network, no
//! preference among actions.

use super::WdlPov;
use super::evaluator::{EvalError, Evaluation, Evaluator, Leaf};
use crate::game::{Game, Line};
use crate::rng;
use rand::Rng;

/// Evaluates a position by random games from it. The randomness is drawn from the position, so
/// the opinion depends on the leaf alone. The games know no history before the leaf.
#[derive(Clone, Debug)]
pub struct Rollout<G: Game> {
    game: G,
    games: u32,
    max_plies: u32,
    seed: u64,
    actions: Vec<G::Action>,
}

impl<G: Game> Rollout<G> {
    /// `games` random games for each position (at least 1), each counted as drawn after
    /// `max_plies` actions.
    pub fn new(game: &G, games: u32, max_plies: u32, seed: u64) -> Self {
        Self { game: game.clone(), games: games.max(1), max_plies, seed, actions: Vec::new() }
    }

    fn opinion(&mut self, leaf: &Leaf<G>) -> Evaluation {
        let mut stream = rng::stream(self.seed, "rollout", self.game.hash(&leaf.position));
        let actor = self.game.turn(&leaf.position);
        let start = Line::from_position(&self.game, leaf.position.clone());
        let (mut wins, mut losses, mut plies, mut margin) = (0u32, 0u32, 0u64, 0i64);
        for _ in 0..self.games {
            let mut line = start.clone();
            while line.outcome().is_none() && line.ply() < self.max_plies {
                line.actions(&mut self.actions);
                if self.actions.is_empty() {
                    break;
                }
                // A product instead of a remainder, so that the stream keeps its meaning.
                let pick = (u64::from(stream.next_u32()) * self.actions.len() as u64) >> 32;
                line.play(self.actions[pick as usize]);
            }
            plies += u64::from(line.ply());
            if let Some(outcome) = line.outcome() {
                let points = i64::from(outcome.margin);
                margin += if actor == crate::game::Side::First { points } else { -points };
                wins += u32::from(outcome.winner == Some(actor));
                losses += u32::from(outcome.winner == Some(actor.other()));
            }
        }
        let games = self.games as f32;
        Evaluation {
            value: WdlPov {
                win: wins as f32 / games,
                draw: (self.games - wins - losses) as f32 / games,
                loss: losses as f32 / games,
            },
            plies_left: plies as f32 / games,
            margin: margin as f32 / games,
            logits: vec![0.0; leaf.actions.len()],
        }
    }
}

impl<G: Game> Evaluator<G> for Rollout<G> {
    fn evaluate(&mut self, leaves: &[Leaf<G>], out: &mut Vec<Evaluation>) -> Result<(), EvalError> {
        out.clear();
        out.extend(leaves.iter().map(|leaf| self.opinion(leaf)));
        Ok(())
    }
}
