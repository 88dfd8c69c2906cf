//! The config as a struct: one section for each room that has settings, one line for each
//! section.

use super::game::GameSettings;
use crate::arena::ArenaSettings;
use crate::learn::{LearnSettings, LossSettings, OptimiserSettings, ScheduleSettings};
use crate::nn::NetworkSettings;
use crate::replay::ReplaySettings;
use crate::search::SearchSettings;
use crate::selfplay::SelfplaySettings;
use crate::settings::{Conflict, Field, OutOfRange, Settings};
use crate::train::{AlarmSettings, TrainSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A section of the config: what its keys are about, and the keys.
#[derive(Clone, Debug)]
pub struct Section {
    pub name: &'static str,
    pub doc: String,
    pub fields: Vec<Field>,
}

/// Why a section does not take a key's value.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyFault {
    /// It has the wrong type, or is a word that is not offered.
    Type(String),
    Range(OutOfRange),
}

/// A config made of sections. Implemented by [`compose!`](crate::compose).
pub trait Compose: Clone + PartialEq + Default + Serialize {
    /// The sections in the order in which they are declared.
    fn sections() -> Vec<Section>;

    /// Would `section` take this value, everything else being at its default? Section and key
    /// exist.
    fn try_key(section: &str, key: &str, value: &toml::Value) -> Result<(), KeyFault>;

    /// The values that do not go together, by section.
    fn conflicts(&self) -> Vec<(&'static str, Conflict)>;

    /// The config with these sections; what is missing is at its default.
    fn from_table(table: toml::Table) -> Result<Self, toml::de::Error>;
}

/// Would the settings take this value, everything else being at its default?
pub fn try_key<S: Settings + DeserializeOwned>(
    key: &str,
    value: &toml::Value,
) -> Result<(), KeyFault> {
    let alone = toml::Table::from_iter([(key.to_string(), value.clone())]);
    let settings: S =
        alone.try_into().map_err(|error| KeyFault::Type(first_line(&error.to_string())))?;
    settings.check().map_err(KeyFault::Range)
}

/// The error's own words, without the place that serde appends on further lines.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

/// Declares a config: a struct with one field for each section.
///
/// ```ignore
/// compose! {
///     pub struct Config {
///         /// How the learner works.
///         learn: LearnSettings;
///     }
/// }
/// ```
#[macro_export]
macro_rules! compose {
    ($(#[doc = $struct_doc:literal])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ $section:ident : $settings:ty ;)*
    }) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $($(#[doc = $doc])+ pub $section: $settings,)* }

        impl $crate::config::compose::Compose for $name {
            fn sections() -> Vec<$crate::config::compose::Section> {
                vec![$($crate::config::compose::Section {
                    name: stringify!($section),
                    doc: [$($doc.trim()),+].join(" "),
                    fields: <$settings as $crate::settings::Settings>::fields(),
                }),*]
            }

            fn try_key(
                section: &str,
                key: &str,
                value: &toml::Value,
            ) -> Result<(), $crate::config::compose::KeyFault> {
                match section {
                    $(stringify!($section) => {
                        $crate::config::compose::try_key::<$settings>(key, value)
                    })*
                    _ => Ok(()),
                }
            }

            fn conflicts(&self) -> Vec<(&'static str, $crate::settings::Conflict)> {
                let sections =
                    [$((stringify!($section), $crate::settings::Settings::conflict(&self.$section))),*];
                let found = |(section, conflict): (_, Option<_>)| Some((section, conflict?));
                sections.into_iter().filter_map(found).collect()
            }

            fn from_table(table: toml::Table) -> Result<Self, toml::de::Error> {
                table.try_into()
            }
        }
    };
}

compose! {
    /// Everything that can be set.
    pub struct Config {
        /// Which game is played, and by which rules.
        game: GameSettings;
        /// The run as a whole: how long, how often it is measured, what is kept.
        train: TrainSettings;
        /// The size of the network.
        network: NetworkSettings;
        /// How actions are searched for.
        search: SearchSettings;
        /// Games that the network plays against itself.
        selfplay: SelfplaySettings;
        /// The games that the learner samples from.
        replay: ReplaySettings;
        /// How the learner works.
        learn: LearnSettings;
        /// What the terms of the loss weigh.
        loss: LossSettings;
        /// The optimiser.
        optimiser: OptimiserSettings;
        /// How the learning rate moves over the run.
        schedule: ScheduleSettings;
        /// How players are measured against each other.
        arena: ArenaSettings;
        /// When a run raises an alarm.
        alarms: AlarmSettings;
    }
}

/// A config with stand-in sections, for the tests of this room.
#[cfg(test)]
pub(super) mod example {
    use super::GameSettings;

    #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Plays {
        Ema,
        Raw,
    }

    settings! {
        /// How the learner works.
        pub struct LearnSettings {
            /// Samples in one step.
            batch: usize = 256, in 1..=65536;
            /// How fast it learns at first; it falls from there as the schedule below says, over
            /// the whole of the run, and this text is long enough to be broken into two lines.
            rate: f64 = 0.001, in 0.0..=1.0;
            /// Who plays.
            plays: Plays = Plays::Ema, words "`ema` or `raw`";
            /// Bounds of the schedule.
            bounds: Vec<u32> = vec![1, 2], words "a list of numbers";
        }
    }

    settings! {
        /// How much is searched.
        pub struct SearchSettings {
            /// Simulations of a full search.
            visits: u32 = 64, in 1..=100000;
            /// Name of the formula.
            formula: String = String::from("gumbel"), words "`gumbel` or `puct`";
            /// Reuse the tree?
            keep: bool = true;
        }
    }

    compose! {
        /// An example.
        pub struct Example {
            /// Which game.
            game: GameSettings;
            /// How much is searched.
            search: SearchSettings;
            /// How the learner works.
            learn: LearnSettings;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::example::Example;
    use super::*;

    #[test]
    fn sections_are_listed_and_try_their_keys() {
        let sections = Example::sections();
        let names: Vec<&str> = sections.iter().map(|section| section.name).collect();
        assert_eq!(names, ["game", "search", "learn"]);
        assert_eq!(sections[2].doc, "How the learner works.");
        assert_eq!(sections[2].fields[0].key, "batch");
        let try_batch = |value: i64| Example::try_key("learn", "batch", &value.into());
        assert_eq!(try_batch(1), Ok(()));
        assert!(matches!(try_batch(0), Err(KeyFault::Range(_))));
        assert!(matches!(try_batch(-1), Err(KeyFault::Type(_))));
        let one = toml::Value::Integer(1);
        assert_eq!(Example::try_key("learn", "rate", &one), Ok(()));
    }

    /// Loading checks a key with all others at their defaults, so these must be sound.
    #[test]
    fn the_defaults_are_in_range() {
        for section in Config::sections() {
            for field in section.fields {
                let Ok(default) = toml::from_str::<toml::Table>(&format!("x = {}", field.default))
                else {
                    assert_eq!(field.default, "null", "{}.{}", section.name, field.key);
                    continue;
                };
                let tried = Config::try_key(section.name, field.key, &default["x"]);
                assert_eq!(tried, Ok(()), "{}.{}", section.name, field.key);
            }
        }
    }
}
