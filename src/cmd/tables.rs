//! What the commands around endgame tables share: the one game that has any, and which errors are
//! whose fault.

use super::exit::{Unusable, Usage};
use crate::endgame::probe::OpenError;
use crate::endgame::store::StoreError;
use crate::endgame::sweep::SweepError;
use crate::endgame::{Rulebook, Tables, coverage};
use crate::game::Game;
use crate::game::jungle::Jungle;
use crate::game::registry::AnyGame;
use crate::with_game;

/// The game, if it is the one that has tables.
pub fn jungle(game: AnyGame) -> Result<Jungle, Usage> {
    match game {
        AnyGame::Jungle(game) => Ok(game),
        other => {
            let name = with_game!(&other, game => game.name());
            Err(Usage(format!("only jungle has endgame tables; {name} has none")))
        }
    }
}

/// The rules as tables see them; refused where values rest on history.
pub fn rulebook(game: &Jungle) -> Result<Rulebook, Usage> {
    Rulebook::new(game).map_err(|error| Usage(error.to_string()))
}

/// What was asked, in words, and how the rest is made; and whether nothing is missing.
pub fn asked(tables: &Tables, game: &Jungle, most: usize) -> (String, bool) {
    let coverage = tables.coverage(most);
    let (mut text, complete) = (coverage::in_words(&coverage), coverage::is_complete(&coverage));
    if !complete {
        let flags = game.options().table_flags();
        text += &format!("; `solve --pieces {most}{flags}` makes the others");
    }
    (text, complete)
}

/// Why tables could not be opened, with its exit code.
pub fn opened(error: OpenError) -> anyhow::Error {
    match error {
        OpenError::Rules(error) => Usage(error.to_string()).into(),
        OpenError::OtherGame { .. } => Usage(error.to_string()).into(),
        OpenError::Store(StoreError::Disk(error)) => error.into(),
        error => Unusable(error.to_string()).into(),
    }
}

/// Why a sweep ended, with its exit code.
pub fn swept(error: SweepError) -> anyhow::Error {
    match error {
        SweepError::Store(StoreError::Disk(error)) | SweepError::Disk(error) => error.into(),
        SweepError::Store(error) => Unusable(error.to_string()).into(),
        error => error.into(),
    }
}
