//! Colours for a terminal, and whether there is one to show them.

use std::io::IsTerminal;

/// Whether to colour what is written. Plain text holds no escape codes at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

/// The codes in use, as SGR parameters.
pub mod code {
    pub const BOLD: &str = "1";
    pub const DIM: &str = "2";
    pub const FIRST: &str = "1;34";
    pub const SECOND: &str = "1;31";
    pub const WATER: &str = "36";
    pub const TRAP: &str = "33";
    pub const DEN: &str = "35";
    pub const LAST_ACTION: &str = "7";
}

impl Colour {
    /// Colours if `stream` is a terminal that wants them (see <https://no-color.org>).
    pub fn of(stream: &impl IsTerminal) -> Self {
        let refused = |name: &str, value: &str| std::env::var_os(name).is_some_and(|v| v == value);
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self::when(stream.is_terminal(), no_color || refused("TERM", "dumb"))
    }

    /// Colours on a terminal, unless they are refused.
    pub fn when(terminal: bool, refused: bool) -> Self {
        if terminal && !refused { Colour::Ansi } else { Colour::Plain }
    }

    /// `text` in the given codes (joined by `;`), or as it is.
    pub fn paint(self, codes: &str, text: &str) -> String {
        match self {
            Colour::Ansi if !codes.is_empty() => format!("\u{1b}[{codes}m{text}\u{1b}[0m"),
            _ => text.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_only_where_they_are_wanted() {
        assert_eq!(Colour::when(true, false).paint("1;34", "x"), "\u{1b}[1;34mx\u{1b}[0m");
        assert_eq!(Colour::when(true, true).paint("1;34", "x"), "x");
        assert_eq!(Colour::when(false, false).paint("1;34", "x"), "x");
        assert_eq!(Colour::Ansi.paint("", "x"), "x");
    }
}
