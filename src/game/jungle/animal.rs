//! The eight animals: their letters, names and pictures. Knows no rule.

/// A kind of animal, in the usual order of strength (the order in play is an option).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    Rat,
    Cat,
    Dog,
    Wolf,
    Leopard,
    Tiger,
    Lion,
    Elephant,
}

impl Kind {
    pub const ALL: [Kind; 8] = [
        Kind::Rat,
        Kind::Cat,
        Kind::Dog,
        Kind::Wolf,
        Kind::Leopard,
        Kind::Tiger,
        Kind::Lion,
        Kind::Elephant,
    ];

    /// 0 for the rat … 7 for the elephant.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The letter of texts, upper case: `R`.
    pub fn letter(self) -> char {
        ['R', 'C', 'D', 'W', 'P', 'T', 'L', 'E'][self.index()]
    }

    /// The kind of an upper-case letter of texts.
    pub fn from_letter(letter: char) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    /// The English name, lower case.
    pub fn name(self) -> &'static str {
        ["rat", "cat", "dog", "wolf", "leopard", "tiger", "lion", "elephant"][self.index()]
    }

    pub fn emoji(self) -> &'static str {
        ["🐀", "🐈", "🐕", "🐺", "🐆", "🐅", "🦁", "🐘"][self.index()]
    }
}
