//! How a room declares its settings: one macro that makes the struct, its defaults, the
//! description of every key (for `config`, `--help` and the docs) and the check of its range.

/// What is known of one key of a settings struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key, without its section.
    pub key: &'static str,
    /// The default, as it would be written in TOML.
    pub default: String,
    /// What may be written: a range or a list of words.
    pub allowed: String,
    /// What the key means, in a sentence or two.
    pub doc: String,
}

/// A value outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{key}` is {value}; allowed: {allowed}")]
pub struct OutOfRange {
    pub key: &'static str,
    pub value: String,
    pub allowed: String,
}

/// Values that are allowed each for itself, but not together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The keys, without their section.
    pub keys: &'static [&'static str],
    /// What is wrong, and what would be right; goes after the first key.
    pub message: &'static str,
}

/// A room's settings: a serde struct whose keys describe and check themselves.
pub trait Settings: Default {
    /// Every key, in the order in which it is declared.
    fn fields() -> Vec<Field>;
    /// The first value that is out of its range.
    fn check(&self) -> Result<(), OutOfRange>;
    /// Values that do not go together, each of them in its range.
    fn conflict(&self) -> Option<Conflict>;
}

/// A number as TOML would write it (floats keep a point).
pub fn literal<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| String::from("?"))
}

/// A number in words of a message; JSON has none for those that are not finite.
pub fn number<T: serde::Serialize>(value: &T) -> String {
    match literal(value).as_str() {
        "null" => String::from("not a finite number"),
        text => text.to_string(),
    }
}

/// Declares a settings struct; after `conflicts` stands a function that finds values that do not go
/// together.
///
/// ```ignore
/// settings! {
///     /// How the learner works.
///     pub struct LearnSettings {
///         /// Samples in one step.
///         batch: usize = 256, in 1..=65536;
///         /// Who plays: `ema` (the averaged weights) or `raw`.
///         plays: Plays = Plays::Ema, words "`ema` or `raw`";
///     }
///     conflicts nothing_to_learn;
/// }
/// ```
#[macro_export]
macro_rules! settings {
    ($(#[doc = $struct_doc:literal])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ $key:ident : $type:ty = $default:expr $(, in $range:expr)? $(, words $words:literal)? ;)*
    } $(conflicts $conflict:path;)?) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $($(#[doc = $doc])+ pub $key: $type,)* }

        impl Default for $name {
            fn default() -> Self { Self { $($key: $default,)* } }
        }

        impl $crate::settings::Settings for $name {
            fn fields() -> Vec<$crate::settings::Field> {
                let default = Self::default();
                vec![$($crate::settings::Field {
                    key: stringify!($key),
                    default: $crate::settings::literal(&default.$key),
                    allowed: {
                        #[allow(unused_mut, unused_assignments)]
                        let mut allowed = String::new();
                        $(
                            let range: std::ops::RangeInclusive<$type> = $range;
                            allowed = $crate::settings::range_text(&range);
                        )?
                        $(allowed = $words.to_string();)?
                        if allowed.is_empty() { allowed = $crate::settings::type_text(stringify!($type)); }
                        allowed
                    },
                    doc: [$($doc.trim()),+].join(" "),
                }),*]
            }

            fn check(&self) -> Result<(), $crate::settings::OutOfRange> {
                $($(
                    let range: std::ops::RangeInclusive<$type> = $range;
                    if !range.contains(&self.$key) {
                        return Err($crate::settings::OutOfRange {
                            key: stringify!($key),
                            value: $crate::settings::number(&self.$key),
                            allowed: $crate::settings::range_text(&range),
                        });
                    }
                )?)*
                Ok(())
            }

            fn conflict(&self) -> Option<$crate::settings::Conflict> {
                let found: Vec<Option<$crate::settings::Conflict>> = vec![$($conflict(self))?];
                found.into_iter().flatten().next()
            }
        }
    };
}

/// What a value of a type may be, where nothing else is said.
pub fn type_text(name: &str) -> String {
    match name {
        "bool" => String::from("`true` or `false`"),
        name => name.to_string(),
    }
}

/// A range in words: `1 to 65536`.
pub fn range_text<T: serde::Serialize>(range: &std::ops::RangeInclusive<T>) -> String {
    format!("{} to {}", literal(range.start()), literal(range.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    settings! {
        /// An example.
        pub struct Example {
            /// Samples in one step.
            batch: usize = 256, in 1..=1024;
            /// Rate of learning.
            rate: f64 = 1.0, in 0.0..=1.0;
            /// Weight of a loss.
            weight: f32 = 0.1, in 0.0..=10.0;
            /// A name.
            name: String = String::from("x"), words "any word";
        }
    }

    #[test]
    fn keys_describe_and_check_themselves() {
        let fields = Example::fields();
        assert_eq!(fields[0].key, "batch");
        assert_eq!(fields[0].default, "256");
        assert_eq!(fields[0].allowed, "1 to 1024");
        assert_eq!(fields[0].doc, "Samples in one step.");
        assert_eq!(fields[1].default, "1.0");
        assert_eq!(fields[2].default, "0.1");
        assert_eq!(fields[3].allowed, "any word");
        assert_eq!(Example::default().check(), Ok(()));
        let wrong = Example { batch: 0, ..Example::default() };
        let error = wrong.check().unwrap_err();
        assert_eq!(error.to_string(), "`batch` is 0; allowed: 1 to 1024");
        let wrong = Example { rate: f64::NAN, ..Example::default() };
        let error = wrong.check().unwrap_err();
        assert_eq!(error.to_string(), "`rate` is not a finite number; allowed: 0.0 to 1.0");
        assert_eq!(Example::default().conflict(), None);
    }
}
