//! The options of Jungle, their defaults and checks. A rule set is a record of options; nothing
//! of one is fixed elsewhere. Never asks how a rule works: that is `moves`.

use super::animal::Kind;
use super::board::Board;
use crate::settings::Settings;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The standard board, rows from the far rank.
pub const BOARD: &str = "..tdt../...t.../......./.~~.~~./.~~.~~./.~~.~~./......./...T.../..TDT..";
/// The standard set-up.
pub const SETUP: &str = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w 0 1";
/// The default order of strength, wolf over dog.
pub const WOLF_OVER_DOG: &str = "R<C<D<W<P<T<L<E";
/// The other common order, dog over wolf.
pub const DOG_OVER_WOLF: &str = "R<C<W<D<P<T<L<E";
/// Counts above this are refused: no game needs them, and they could not be told apart as inputs.
pub const LARGEST_LIMIT: u32 = 100_000;

macro_rules! words {
    ($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $word_doc:literal])* $word:ident),+ $(,)? }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[doc = $word_doc])* $word),+ }
    };
}

words! {
    /// When the elephant may take the rat.
    ElephantTakesRat {
        /// Only a rat that a trap weakens.
        OwnTrap,
        Never,
        Always,
    }
}
words! {
    /// Over which lines of water an animal jumps.
    Jump {
        Both,
        /// Along the files.
        Along,
        /// Across the files.
        Across,
        None,
    }
}
words! {
    /// Which swimmers in the water of its line stop a jump.
    JumpBlockers { AnyRat, EnemyRat, None }
}
words! {
    /// Whom a trap weakens.
    Traps {
        /// Only the opponent of its owner.
        Enemy,
        All,
    }
}
words! {
    /// What a capture of the same kind of animal does.
    Equal { Take, BothDie }
}
words! {
    /// Who may enter the enemy den.
    DenEntry { Any, Rat }
}
words! {
    /// The result for the side that cannot move.
    NoMove { Loss, Draw }
}
words! {
    /// What happens when a position occurs for the `repetition_count`-th time.
    Repetition {
        None,
        Draw,
        /// The side that brought it about loses.
        Loss,
        /// Such a move is illegal.
        Forbidden,
    }
}

impl Jump {
    /// Does it jump along the files?
    pub fn along(self) -> bool {
        matches!(self, Jump::Both | Jump::Along)
    }

    /// Does it jump across the files?
    pub fn across(self) -> bool {
        matches!(self, Jump::Both | Jump::Across)
    }
}

/// A number of half-moves, or no limit: written `null`, in TOML `"off"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<u32>);

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl serde::de::Visitor<'_> for Reader {
            type Value = Limit;

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(formatter, "a number from 1 to {LARGEST_LIMIT}, `null` or \"off\"")
            }

            fn visit_unit<E: serde::de::Error>(self) -> Result<Limit, E> {
                Ok(Limit(None))
            }

            fn visit_none<E: serde::de::Error>(self) -> Result<Limit, E> {
                Ok(Limit(None))
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Limit, E> {
                match u32::try_from(value) {
                    Ok(number @ 1..=LARGEST_LIMIT) => Ok(Limit(Some(number))),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Unsigned(value), &self)),
                }
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Limit, E> {
                match u64::try_from(value) {
                    Ok(value) => self.visit_u64(value),
                    Err(_) => Err(E::invalid_value(serde::de::Unexpected::Signed(value), &self)),
                }
            }

            fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Limit, E> {
                match value {
                    "off" => Ok(Limit(None)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(value), &self)),
                }
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

settings! {
    /// The options of Jungle. The defaults are the preset `standard`.
    pub struct Rules {
        /// The board, rows from the far rank with `/` between: `.` land, `~` water, `D` and `T` den and trap of the first player, `d` and `t` of the second; at most 64 squares, no den or trap needed.
        board: String = BOARD.into(), words "rows of `.~DTdt` with `/` between, all of one length, at most 64 squares";
        /// The position in which the game starts; it may have any number of animals.
        setup: String = SETUP.into(), words "a position text";
        /// The animals from weakest to strongest; an animal takes those of its own rank and below.
        ranks: String = WOLF_OVER_DOG.into(), words "the letters RCDWPTLE, each once, with `<` or `=` between";
        /// The animals that may enter water.
        swimmers: String = "R".into(), words "some of the letters RCDWPTLE, each at most once";
        /// When the elephant takes the rat: `own_trap` only a rat that a trap weakens (the elephant's; with `traps` `all` also the rat's own); `never` holds in traps too.
        elephant_takes_rat: ElephantTakesRat = ElephantTakesRat::OwnTrap, words "`own_trap`, `never` or `always`";
        /// May a rat in water take an elephant on land?
        water_rat_takes_elephant: bool = false, words "`true` or `false`";
        /// May a rat in water take a rat on land?
        water_rat_takes_land_rat: bool = false, words "`true` or `false`";
        /// May a rat on land take a rat in water?
        land_rat_takes_water_rat: bool = false, words "`true` or `false`";
        /// How the lion jumps over water: `along` the files (over three squares of the standard board), `across` them (over two), both ways or not at all.
        lion_jump: Jump = Jump::Both, words "`both`, `along`, `across` or `none`";
        /// How the tiger jumps over water; the words mean what they do for the lion.
        tiger_jump: Jump = Jump::Both, words "`both`, `along`, `across` or `none`";
        /// How the leopard jumps over water; the words mean what they do for the lion.
        leopard_jump: Jump = Jump::None, words "`none`, `both`, `along` or `across`";
        /// Whose rat (or other swimmer) in the water of its line stops a jump: anyone's, the enemy's, nobody's.
        jump_blockers: JumpBlockers = JumpBlockers::AnyRat, words "`any_rat`, `enemy_rat` or `none`";
        /// Whom a trap weakens: the opponent of its owner, or anyone.
        traps: Traps = Traps::Enemy, words "`enemy` or `all`";
        /// May an animal that stands weakened in a trap capture (with its own rank)?
        trapped_takes: bool = false, words "`true` or `false`";
        /// What a capture of the same kind of animal does: an ordinary capture, or both leave the board. Equal rank of different kinds is always an ordinary capture.
        equal: Equal = Equal::Take, words "`take` or `both_die`";
        /// Who may enter the enemy den: any animal, or the rat alone.
        den_entry: DenEntry = DenEntry::Any, words "`any` or `rat`";
        /// Does capturing the last enemy win? If not, only the no-move rule applies then.
        capture_all_wins: bool = true, words "`true` or `false`";
        /// The result for the side that cannot move.
        no_move: NoMove = NoMove::Loss, words "`loss` or `draw`";
        /// Half-moves without a capture until a draw; `null` is no limit.
        no_capture_limit: Limit = Limit(Some(100)), words "1 to 100000, or `null` (in TOML \"off\")";
        /// Half-moves of the whole game until a draw; `null` is no limit.
        max_plies: Limit = Limit(None), words "1 to 100000, or `null` (in TOML \"off\")";
        /// What happens when a position with the same side to move occurs for the `repetition_count`-th time since the last capture; `loss`: for the side that brought it about; `forbidden`: such a move is illegal.
        repetition: Repetition = Repetition::None, words "`none`, `draw`, `loss` or `forbidden`";
        /// The occurrence at which `repetition` applies.
        repetition_count: u32 = 3, in 2..=1000;
    }
}

/// An option with a value that makes no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is `{value}`: {problem}")]
pub struct RulesError {
    pub key: &'static str,
    pub value: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl RulesError {
    pub(super) fn new(
        key: &'static str,
        value: impl ToString,
        problem: impl Into<String>,
    ) -> RulesError {
        RulesError { key, value: value.to_string(), problem: problem.into() }
    }
}

impl Rules {
    /// Checks what can be checked without the set-up, and reads the board.
    pub(super) fn read_board(&self) -> Result<Board, RulesError> {
        self.check().map_err(|range| {
            RulesError::new(range.key, range.value, format!("allowed is {}", range.allowed))
        })?;
        for (key, limit) in
            [("no_capture_limit", self.no_capture_limit), ("max_plies", self.max_plies)]
        {
            if let Some(number) = limit.0
                && !(1..=LARGEST_LIMIT).contains(&number)
            {
                let problem = format!("a number from 1 to {LARGEST_LIMIT}, or no limit, is right");
                return Err(RulesError::new(key, number, problem));
            }
        }
        Board::parse(&self.board).map_err(|problem| RulesError::new("board", &self.board, problem))
    }

    /// The rank of each kind by [`Kind::index`]: 0 for the weakest; animals of equal rank share it.
    pub fn levels(&self) -> Result<[u8; 8], RulesError> {
        let wrong = |problem: String| RulesError::new("ranks", &self.ranks, problem);
        let mut levels = [None; 8];
        let mut level = 0;
        for (index, letter) in self.ranks.chars().enumerate() {
            match (index % 2, letter) {
                (1, '<') => level += 1,
                (1, '=') => {}
                (1, _) => {
                    return Err(wrong(format!("`{letter}` stands where `<` or `=` is expected")));
                }
                _ => {
                    let kind = Kind::from_letter(letter).ok_or_else(|| {
                        wrong(format!("`{letter}` is none of the animals RCDWPTLE"))
                    })?;
                    if levels[kind.index()].replace(level).is_some() {
                        return Err(wrong(format!("`{letter}` occurs twice")));
                    }
                }
            }
        }
        let mut out = [0; 8];
        for kind in Kind::ALL {
            out[kind.index()] = levels[kind.index()].ok_or_else(|| {
                wrong(format!("the {} (`{}`) is missing", kind.name(), kind.letter()))
            })?;
        }
        if self.ranks.len() != 15 {
            return Err(wrong(format!("it should end with an animal; `{WOLF_OVER_DOG}` is right")));
        }
        Ok(out)
    }

    /// Who swims, by [`Kind::index`].
    pub fn swimming(&self) -> Result<[bool; 8], RulesError> {
        let wrong = |problem: String| RulesError::new("swimmers", &self.swimmers, problem);
        let mut swims = [false; 8];
        for letter in self.swimmers.chars() {
            let kind = Kind::from_letter(letter)
                .ok_or_else(|| wrong(format!("`{letter}` is none of the animals RCDWPTLE")))?;
            if std::mem::replace(&mut swims[kind.index()], true) {
                return Err(wrong(format!("`{letter}` occurs twice")));
            }
        }
        Ok(swims)
    }

    /// How a kind jumps.
    pub fn jump(&self, kind: Kind) -> Jump {
        match kind {
            Kind::Lion => self.lion_jump,
            Kind::Tiger => self.tiger_jump,
            Kind::Leopard => self.leopard_jump,
            _ => Jump::None,
        }
    }
}
