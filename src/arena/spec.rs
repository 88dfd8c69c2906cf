//! How a player is written on the command line: `alphabeta:4`, `models/jungle-quick:visits=200`.
//!
//! Reads the text only; whether a model is really there is found out when it is loaded.

use super::alphabeta::AlphaBeta;
use super::baseline::{Greedy, Random};
use super::evaluation::StaticEvaluation;
use super::player::Player;
use crate::endgame::MOST_ANIMALS;
use std::fmt;
use std::str::FromStr;

/// What may be written, for messages and `--help`.
pub const PLAYERS: &str = "`random`, `greedy`, `alphabeta:DEPTH` (1 to 12), `rollout:VISITS`, \
    `uniform:VISITS`, or the path of a model, as in \
    `models/jungle-quick:visits=200:search=gumbel:tables=3`";

/// The kinds of search that a model may be played with.
pub const SEARCHES: [&str; 2] = ["puct", "gumbel"];

const DEEPEST: u32 = 12;
const MOST_VISITS: u32 = 10_000_000;
const FEWEST_ANIMALS: u32 = 2;
const WORDS: [&str; 5] = ["random", "greedy", "alphabeta", "rollout", "uniform"];

/// A player as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerSpec {
    Random,
    Greedy,
    /// Alpha-beta of this depth in actions.
    AlphaBeta {
        depth: u32,
    },
    /// Tree search that values leaves by playing them out at random.
    Rollout {
        visits: u32,
    },
    /// Tree search that knows nothing but the rules.
    Uniform {
        visits: u32,
    },
    /// A network; what is not given comes from the settings.
    Model {
        path: String,
        visits: Option<u32>,
        search: Option<String>,
        /// The search asks endgame tables of up to so many animals.
        tables: Option<u32>,
    },
}

/// A player's text that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("player `{text}`: {reason}; a player is {PLAYERS}")]
pub struct SpecError {
    pub text: String,
    pub reason: String,
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let wrong = |reason: String| SpecError { text: text.to_string(), reason };
        let (word, rest) = match text.split_once(':') {
            Some((word, rest)) => (word, Some(rest)),
            None => (text, None),
        };
        let number = |what: &str, most: u32| -> Result<u32, SpecError> {
            let rest = rest.ok_or_else(|| {
                wrong(format!("`{word}` needs {what}, as in `{word}:{}`", most.min(4)))
            })?;
            count(rest, most)
                .ok_or_else(|| wrong(format!("{what} `{rest}` is not a number from 1 to {most}")))
        };
        match word {
            "" => Err(wrong(String::from("nothing is written"))),
            "random" | "greedy" => match rest {
                Some(rest) => Err(wrong(format!("`{word}` takes no `:{rest}`"))),
                None if word == "random" => Ok(Self::Random),
                None => Ok(Self::Greedy),
            },
            "alphabeta" => Ok(Self::AlphaBeta { depth: number("a depth", DEEPEST)? }),
            "rollout" => Ok(Self::Rollout { visits: number("visits", MOST_VISITS)? }),
            "uniform" => Ok(Self::Uniform { visits: number("visits", MOST_VISITS)? }),
            _ => model(text).map_err(wrong),
        }
    }
}

fn count(text: &str, most: u32) -> Option<u32> {
    text.parse().ok().filter(|count| (1..=most).contains(count))
}

/// Options stand at the end, each with `=`; everything before them is the path, which may itself
/// hold colons.
fn model(text: &str) -> Result<PlayerSpec, String> {
    let (mut path, mut visits, mut search, mut tables) = (text, None, None, None);
    let most = MOST_ANIMALS as u32;
    while let Some((before, option)) = path.rsplit_once(':')
        && let Some((key, value)) = option.split_once('=')
    {
        path = before;
        match key {
            "visits" => {
                visits = Some(count(value, MOST_VISITS).ok_or_else(|| {
                    format!("visits `{value}` is not a number from 1 to {MOST_VISITS}")
                })?);
            }
            "search" if SEARCHES.contains(&value) => search = Some(value.to_string()),
            "search" => {
                return Err(format!("no search `{value}`; there are `{}`", SEARCHES.join("`, `")));
            }
            "tables" => {
                let animals = count(value, most).filter(|&animals| animals >= FEWEST_ANIMALS);
                tables = Some(animals.ok_or_else(|| {
                    format!("tables `{value}` is not a number from {FEWEST_ANIMALS} to {most}")
                })?);
            }
            _ => {
                return Err(format!(
                    "no option `{key}`; there are `visits`, `search` and `tables`"
                ));
            }
        }
    }
    if path.is_empty() {
        return Err(String::from("the path is empty"));
    }
    let word = path.split(':').next().unwrap_or(path);
    let near = WORDS.into_iter().find(|known| strsim::damerau_levenshtein(known, word) <= 2);
    match near.filter(|_| !word.contains(['/', '\\', '.'])) {
        Some(near) => Err(format!("no player `{word}`; did you mean `{near}`?")),
        None => Ok(PlayerSpec::Model { path: path.to_string(), visits, search, tables }),
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => write!(out, "random"),
            Self::Greedy => write!(out, "greedy"),
            Self::AlphaBeta { depth } => write!(out, "alphabeta:{depth}"),
            Self::Rollout { visits } => write!(out, "rollout:{visits}"),
            Self::Uniform { visits } => write!(out, "uniform:{visits}"),
            Self::Model { path, visits, search, tables } => {
                write!(out, "{path}")?;
                if let Some(visits) = visits {
                    write!(out, ":visits={visits}")?;
                }
                if let Some(search) = search {
                    write!(out, ":search={search}")?;
                }
                if let Some(tables) = tables {
                    write!(out, ":tables={tables}")?;
                }
                Ok(())
            }
        }
    }
}

/// The player, if it needs neither a search nor a model.
pub fn make_baseline<G: StaticEvaluation>(spec: &PlayerSpec) -> Option<Box<dyn Player<G>>> {
    match spec {
        PlayerSpec::Random => Some(Box::new(Random::default())),
        PlayerSpec::Greedy => Some(Box::new(Greedy::default())),
        PlayerSpec::AlphaBeta { depth } => Some(Box::new(AlphaBeta::new(*depth))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "random",
            "greedy",
            "alphabeta:4",
            "rollout:200",
            "uniform:64",
            "models/jungle-quick",
            "models/jungle-quick:visits=64",
            "models/jungle-quick:visits=64:search=gumbel",
            "models/jungle-quick:visits=64:search=puct:tables=3",
            "jungle-quick",
            "C:\\models\\jungle-quick:visits=3",
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap().to_string(), text);
        }
        assert_eq!(
            "m/x:search=puct:visits=9".parse(),
            Ok(PlayerSpec::Model {
                path: String::from("m/x"),
                visits: Some(9),
                search: Some(String::from("puct")),
                tables: None,
            })
        );
    }

    #[test]
    fn what_cannot_be_read_is_quoted() {
        for (text, reason) in [
            ("", "nothing is written"),
            ("random:3", "`random` takes no `:3`"),
            ("alphabeta", "`alphabeta` needs a depth, as in `alphabeta:4`"),
            ("alphabeta:13", "a depth `13` is not a number from 1 to 12"),
            ("rollout:x", "visits `x` is not a number from 1 to 10000000"),
            ("alfabeta:4", "no player `alfabeta`; did you mean `alphabeta`?"),
            ("gredy", "no player `gredy`; did you mean `greedy`?"),
            ("m/x:visits=0", "visits `0` is not a number from 1 to 10000000"),
            ("m/x:search=bfs", "no search `bfs`; there are `puct`, `gumbel`"),
            ("m/x:tables=1", "tables `1` is not a number from 2 to 5"),
            ("m/x:tables=6", "tables `6` is not a number from 2 to 5"),
            ("m/x:depth=3", "no option `depth`; there are `visits`, `search` and `tables`"),
            (":visits=3", "nothing is written"),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err();
            assert_eq!(error.reason, reason);
            let whole = error.to_string();
            assert!(whole.starts_with(&format!("player `{text}`: ")), "{whole}");
            assert!(whole.ends_with(PLAYERS), "{whole}");
        }
    }
}
