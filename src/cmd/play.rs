//! `play`: a game at the terminal.

use super::exit::Usage;
use super::game::{GAME_OF_A_MODEL, HouseRules};
use super::players::{Contestant, common_game};
use crate::arena::StaticEvaluation;
use crate::codec::Encode;
use crate::game::{Line, Notation};
use crate::ui::board::{BoardStyle, Pieces};
use crate::ui::play::{PlayOptions, Seat, play};
use crate::ui::style::Colour;
use crate::with_game;
use std::io::IsTerminal;
use std::path::Path;

/// Play against a model or another player, at the keyboard or through a pipe. `help` in the game
/// lists its words.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("game", |arg| arg.help(GAME_OF_A_MODEL)))]
pub struct PlayArgs {
    /// A model folder or a run (`:visits=64` sets its level), `random`, `greedy`,
    /// `alphabeta:DEPTH`, `rollout:VISITS` or `uniform:VISITS`.
    pub opponent: String,
    /// Whom you play: `first`, `second`, `both` or `none`.
    #[arg(long, default_value = "first")]
    pub side: Seat,
    /// The opponent's level: simulations for a move.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub visits: Option<u32>,
    /// Begin with this position.
    #[arg(long, value_name = "TEXT")]
    pub position: Option<String>,
    /// Draw animals as emoji.
    #[arg(long)]
    pub emoji: bool,
    /// Names the opponent's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub house: HouseRules,
}

pub fn run(args: &PlayArgs, data: &Path) -> anyhow::Result<()> {
    let opponent = Contestant::load(&args.opponent, data)?;
    let game = common_game(args.house.build_if_given()?, &[&opponent])?;
    with_game!(&game, game => sit_down(game, &opponent, args))
}

fn sit_down<G: Encode + Notation + StaticEvaluation>(
    game: &G,
    opponent: &Contestant,
    args: &PlayArgs,
) -> anyhow::Result<()> {
    let line = match &args.position {
        Some(text) => Line::from_position(game, game.parse_position(text)?),
        None => Line::start(game),
    };
    let mut player = opponent.player(game)?;
    if let Some(visits) = args.visits
        && !player.set_visits(visits)
    {
        return Err(Usage(format!("{} has no visits to set", args.opponent)).into());
    }
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    let options = PlayOptions {
        seat: args.side,
        style: BoardStyle {
            pieces: if args.emoji { Pieces::Emoji } else { Pieces::Letters },
            colour: Colour::of(&stdout),
        },
        prompt: stdin.is_terminal() && stdout.is_terminal(),
        seed: args.seed,
    };
    Ok(play(&line, player, options, stdin.lock(), stdout)?)
}
