//! What the signs of a board mean, for people at the terminal. Draws nothing.

use super::board::{BoardStyle, Pieces};
use super::play::Seat;
use super::style::Colour;
use crate::game::{Ground, Notation, Side};

/// Whose animals are whose, in half a sentence: `you are white, whose animals are capital letters`.
pub fn seat_text<G: Notation>(game: &G, seat: Seat, style: BoardStyle) -> String {
    let [first, second] = Side::BOTH.map(|side| marks(side, style));
    match seat {
        Seat::One(side) => {
            let (name, own) = (game.side_name(side), marks(side, style));
            format!("You are {name}: {own}")
        }
        Seat::Both | Seat::Nobody => {
            let who = if seat == Seat::Both { "You play both sides" } else { "You watch" };
            let names = Side::BOTH.map(|side| game.side_name(side));
            format!("{who}: {} has {first}, {} {second}", names[0], names[1])
        }
    }
}

/// How a side's animals are told apart.
fn marks(side: Side, style: BoardStyle) -> &'static str {
    match (style.pieces, side) {
        (Pieces::Letters, Side::First) => "capital letters",
        (Pieces::Letters, Side::Second) => "small letters",
        (Pieces::Emoji, Side::First) => "the animals with '",
        (Pieces::Emoji, Side::Second) => "the animals with ,",
    }
}

/// The letters, the signs of the ground, and what the player's figures mean.
pub fn legend<G: Notation>(game: &G, seat: Seat, style: BoardStyle) -> String {
    let letters = game.animals().into_iter().map(|(letter, name)| format!("{letter} {name}"));
    let sketch = game.sketch(&game.start());
    let has = |wanted: fn(&Ground) -> bool| sketch.cells.iter().any(|cell| wanted(&cell.ground));
    let mut signs = vec![String::from(". free")];
    if has(|ground| *ground == Ground::Water) {
        signs.push(String::from("~ water"));
    }
    if has(|ground| matches!(ground, Ground::Trap(_))) {
        signs.push(String::from("^ trap"));
    }
    if has(|ground| matches!(ground, Ground::Den(_))) {
        signs.push(format!("* {}", game.den_name()));
    }
    let last = match style.colour {
        Colour::Plain => "[ ] the last action",
        Colour::Ansi => "inverse: the last action",
    };
    signs.push(String::from(last));
    format!(
        "{}.\n  animals      {}\n  ground       {}\n  value        what the side that acts expects: \
         -1 it loses, 0 a draw, +1 it wins\n  score        the same by rule of thumb, in hundredths; \
         above 0 the side that acts is ahead\n",
        seat_text(game, seat, style),
        letters.collect::<Vec<_>>().join(", "),
        signs.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::celestial::Celestial;
    use crate::game::registry;
    use crate::with_game;

    const LETTERS: BoardStyle = BoardStyle { pieces: Pieces::Letters, colour: Colour::Plain };

    #[test]
    fn every_animal_and_ground_of_a_game_is_told() {
        for (name, words) in [
            ("jungle", &["R rat, C cat,", "E elephant\n", "~ water, ^ trap, * den, [ ]"][..]),
            ("celestial", &["X ox", "R rat", "ground       . free, [ ]"]),
            ("shengxiao", &["K rooster", "* goal rank"]),
        ] {
            let any = registry::build(name, None, &serde_json::Map::new()).unwrap();
            let text = with_game!(&any, game => legend(game, Seat::Both, LETTERS));
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
        let checkers = registry::build("jungle", Some("animal-checkers"), &Default::default());
        let text = with_game!(&checkers.unwrap(), game => legend(game, Seat::Nobody, LETTERS));
        assert!(text.contains("animals      R rat, D dog, T tiger, E elephant\n"), "{text}");
        assert!(!text.contains('~') && text.starts_with("You watch: white has capital letters, "));
    }

    #[test]
    fn a_seat_says_which_animals_are_ones_own() {
        let of = |seat, style| seat_text(&Celestial::default(), seat, style);
        let second = Seat::One(Side::Second);
        assert_eq!(of(second, LETTERS), "You are North: small letters");
        let emoji = BoardStyle { pieces: Pieces::Emoji, ..LETTERS };
        assert_eq!(of(second, emoji), "You are North: the animals with ,");
    }
}
