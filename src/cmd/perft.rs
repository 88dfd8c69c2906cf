//! `perft`: counts the leaves of the tree of actions and says how fast.

use super::game::HouseRules;
use crate::game::{Game, Notation, perft};
use crate::with_game;
use std::time::Instant;

/// Count the leaves of the tree of actions to a depth.
#[derive(Clone, Debug, clap::Args)]
pub struct PerftArgs {
    /// Half-moves to look ahead; all depths up to it are counted.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub depth: u32,
    /// The position; the start if absent.
    #[arg(long, value_name = "TEXT")]
    pub position: Option<String>,
    /// Show the leaves behind each action, at the full depth only.
    #[arg(long)]
    pub divide: bool,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Prints the counts with the time they took.
pub fn run(args: &PerftArgs) -> anyhow::Result<()> {
    with_game!(&args.house.build()?, game => count(game, args))
}

fn count<G: Game + Notation>(game: &G, args: &PerftArgs) -> anyhow::Result<()> {
    let position = match &args.position {
        Some(text) => game.parse_position(text)?,
        None => game.start(),
    };
    if args.divide {
        let parts = perft::divide(game, &position, args.depth);
        for (action, leaves) in &parts {
            tell!("{} {leaves}", game.action_text(&position, *action));
        }
        tell!("total {}", parts.iter().map(|part| part.1).sum::<u64>());
        return Ok(());
    }
    for depth in args.depth.min(1)..=args.depth {
        let begun = Instant::now();
        let leaves = perft::perft(game, &position, depth);
        let seconds = begun.elapsed().as_secs_f64();
        let millions = leaves as f64 / seconds.max(1e-9) / 1e6;
        let word = if leaves == 1 { "leaf" } else { "leaves" };
        tell!("depth {depth}: {leaves} {word}, {seconds:.3} s, {millions:.1} million/s");
    }
    Ok(())
}
