//! An action as people type it: `A3A4`, `a3 a4`, `a3-a4` for `a3a4`. Never guesses between two.

use crate::game::{Notation, TextError};

/// The legal action that was meant. A text that means none gives the error of the game; one that
/// may mean several is told.
pub fn read<G: Notation>(
    game: &G,
    position: &G::Position,
    text: &str,
) -> Result<G::Action, TextError> {
    let exact = game.parse_action(position, text);
    if exact.is_ok() {
        return exact;
    }
    let meant = plain(text);
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let mut alike =
        actions.into_iter().filter(|action| plain(&game.action_text(position, *action)) == meant);
    match (alike.next(), alike.next()) {
        (Some(action), None) => Ok(action),
        (Some(one), Some(other)) => {
            let [one, other] = [one, other].map(|action| game.action_text(position, action));
            Err(TextError(format!("`{text}` may mean `{one}` or `{other}`")))
        }
        // The reason is better told of the text that was meant, in the usual letters.
        (None, _) => game.parse_action(position, &usual(&meant)),
    }
}

/// Small letters, without spaces, and without what stands between two squares.
pub fn plain(text: &str) -> String {
    let letters: Vec<char> = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    let joins = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(at + 1);
        matches!(letters[at], '-' | 'x' | '–')
            && before.is_some_and(char::is_ascii_digit)
            && after.is_some_and(char::is_ascii_lowercase)
    };
    (0..letters.len()).filter(|&at| !joins(at)).map(|at| letters[at]).collect()
}

/// The letter of an animal before `@` is a capital in every text.
fn usual(meant: &str) -> String {
    match meant.split_once('@') {
        Some((letter, square)) => format!("{}@{square}", letter.to_uppercase()),
        None => meant.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::celestial::Celestial;
    use crate::game::jungle::{Jungle, Rules};
    use crate::game::shengxiao::Shengxiao;

    fn told<G: Notation>(game: &G, text: &str) -> Result<String, String> {
        let start = game.start();
        let read = read(game, &start, text);
        read.map(|action| game.action_text(&start, action)).map_err(|error| error.to_string())
    }

    #[test]
    fn capitals_spaces_and_hyphens_are_read() {
        let jungle = Jungle::new(Rules::default()).unwrap();
        for text in ["a3a4", "A3A4", "a3 a4", "a3-a4", "A3 - a4", "a3xa4"] {
            assert_eq!(told(&jungle, text), Ok(String::from("a3a4")), "{text}");
        }
        let celestial = Celestial::default();
        for text in ["X@a1", "x@a1", "X @ A1"] {
            assert_eq!(told(&celestial, text), Ok(String::from("X@a1")), "{text}");
        }
        let shengxiao = Shengxiao::new(Default::default()).unwrap();
        let start = shengxiao.start();
        let mut actions = Vec::new();
        shengxiao.actions(&start, &mut actions);
        for action in actions {
            let text = shengxiao.action_text(&start, action);
            assert_eq!(told(&shengxiao, &text.to_uppercase()), Ok(text));
        }
    }

    #[test]
    fn a_direction_is_no_hyphen_between_squares() {
        assert_eq!(plain("ShiftW-3"), "shiftw-3");
        assert_eq!(plain("shifte+2x"), "shifte+2x");
        assert_eq!(plain("B9-b10"), "b9b10");
    }

    #[test]
    fn what_means_nothing_is_told_by_the_game() {
        let jungle = Jungle::new(Rules::default()).unwrap();
        let error = told(&jungle, "A3-a5").unwrap_err();
        assert!(error.starts_with("`a3a5` is not legal: "), "{error}");
        let error = told(&jungle, "garbage").unwrap_err();
        assert_eq!(error, "`garbage` is no move; a move is written as its two squares, `a3a4`");
        let error = told(&Celestial::default(), "x@b8").unwrap_err();
        assert!(error.contains("X@b8") && error.contains("South places on ranks"), "{error}");
        assert!(told(&jungle, "").is_err() && told(&jungle, "–").is_err());
    }
}
