//! The options of Celestial Checkers: there are none. The empty record exists so that every game
//! is configured in the same way, and so that an option nobody knows is refused by name.

use serde::{Deserialize, Serialize};

/// The rule options; empty, and refuses every key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_is_refused_by_name() {
        assert_eq!(serde_json::from_str::<Rules>("{}").unwrap(), Rules {});
        let error = serde_json::from_str::<Rules>(r#"{"king":true}"#).unwrap_err();
        assert!(error.to_string().contains("`king`"), "{error}");
    }
}
