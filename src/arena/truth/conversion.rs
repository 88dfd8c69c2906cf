//! Won positions played out against a perfect defender.

use super::TruthError;
use super::measure::in_shares;
use super::sample::Sample;
use crate::arena::player::{Player, PlayerError};
use crate::endgame::{Tables, Value};
use crate::game::Line;
use crate::game::jungle::Jungle;
use serde::Serialize;

/// Plies beyond the shortest way within which a win counts as quick.
const QUICK: u32 = 10;
/// Plies beyond the shortest way after which a game is given up.
const GIVEN_UP: u32 = 100;

/// How won positions ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Conversion {
    pub games: u64,
    /// Won within the shortest way and 10 plies more.
    pub quick: u64,
    /// Won at all, within 100 plies more.
    pub won: u64,
}

/// Plays the won ones among the samples, at most `most` of them evenly chosen, with the player
/// against a defender who holds out as long as the tables allow. Rules and counts are those of
/// `game`.
pub fn convert(
    game: &Jungle,
    tables: &Tables,
    samples: &[Sample<Jungle>],
    most: usize,
    make: &(dyn Fn() -> Result<Box<dyn Player<Jungle>>, PlayerError> + Sync),
    threads: usize,
) -> Result<Conversion, TruthError> {
    let won: Vec<Sample<Jungle>> =
        samples.iter().filter(|sample| sample.exact.value == Value::Win).cloned().collect();
    let step = won.len().div_ceil(most.max(1)).max(1);
    let chosen: Vec<Sample<Jungle>> = won.into_iter().step_by(step).collect();
    let share = |samples: &[Sample<Jungle>]| -> Result<Vec<Option<u32>>, TruthError> {
        let mut player = make()?;
        samples.iter().map(|sample| play(game, tables, sample, player.as_mut())).collect()
    };
    let ends = in_shares(&chosen, threads, share)?;
    let quick = |(sample, end): &(&Sample<Jungle>, &Option<u32>)| {
        end.is_some_and(|plies| plies <= sample.exact.plies + QUICK)
    };
    Ok(Conversion {
        games: ends.len() as u64,
        quick: chosen.iter().zip(&ends).filter(quick).count() as u64,
        won: ends.iter().flatten().count() as u64,
    })
}

/// Plies after which the player has won; `None` if it has not.
fn play(
    game: &Jungle,
    tables: &Tables,
    sample: &Sample<Jungle>,
    player: &mut dyn Player<Jungle>,
) -> Result<Option<u32>, TruthError> {
    let mut line = Line::from_position(game, sample.position.clone());
    let attacker = line.turn();
    player.begin(0);
    loop {
        if let Some(outcome) = line.outcome() {
            return Ok((outcome.winner == Some(attacker)).then_some(line.ply()));
        }
        if line.ply() >= sample.exact.plies + GIVEN_UP {
            return Ok(None);
        }
        let action = if line.turn() == attacker {
            player.choose(&line)?.action
        } else {
            match tables.moves(line.position()).first() {
                Some((action, _)) => *action,
                None => return Ok(None),
            }
        };
        line.play(action);
    }
}
