//! A [`Sketch`] as text: letters or animals, with the names of files and ranks.

use super::style::{Colour, code};
use crate::game::{Cell, Ground, Side, Sketch};

/// How pieces are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// The letters of the position text: their case tells the side.
    Letters,
    /// Animals; a small letter mark tells the side.
    Emoji,
}

/// How a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardStyle {
    pub pieces: Pieces,
    pub colour: Colour,
}

/// The board as lines of text, notes to its right. `last` is the text of the last action, whose
/// squares are marked: in colour, or by brackets.
pub fn draw_board(sketch: &Sketch, style: BoardStyle, last: Option<&str>) -> String {
    let marked = last.map_or_else(Vec::new, |text| squares_in(text, sketch.width, sketch.height));
    let rank_width = sketch.height.to_string().len();
    let mut out = String::new();
    for row in 0..sketch.height {
        let rank = sketch.height - row;
        out.push_str(&style.colour.paint(code::DIM, &format!("{rank:>rank_width$}")));
        out.push(' ');
        for column in 0..sketch.width {
            let Some(cell) = sketch.cells.get(row * sketch.width + column) else { continue };
            let mark = marked.contains(&((rank - 1) * sketch.width + column));
            out.push_str(&cell_text(cell, style, mark));
        }
        if let Some(note) = sketch.notes.get(row) {
            out.push_str("   ");
            out.push_str(note);
        }
        end_line(&mut out);
    }
    let mut files = " ".repeat(rank_width + 1);
    for column in 0..sketch.width {
        let file = file_letter(column);
        match style.pieces {
            Pieces::Letters => files.push_str(&format!(" {file} ")),
            Pieces::Emoji => files.push_str(&format!(" {file}   ")),
        }
    }
    out.push_str(&style.colour.paint(code::DIM, files.trim_end()));
    out.push('\n');
    for note in sketch.notes.iter().skip(sketch.height) {
        out.push_str(note);
        out.push('\n');
    }
    out
}

fn end_line(out: &mut String) {
    out.truncate(out.trim_end().len());
    out.push('\n');
}

/// A cell with its margins: three columns with letters, five with animals.
fn cell_text(cell: &Cell, style: BoardStyle, marked: bool) -> String {
    let (ground, ground_code) = match cell.ground {
        Ground::Land => (".", code::DIM),
        Ground::Water => ("~", code::WATER),
        Ground::Trap(_) => ("^", code::TRAP),
        Ground::Den(_) => ("*", code::DEN),
        Ground::Void => (" ", ""),
    };
    let (body, mut codes) = match (&cell.piece, style.pieces) {
        (None, Pieces::Letters) => (ground.to_string(), String::from(ground_code)),
        (None, Pieces::Emoji) => (format!("{ground} "), String::from(ground_code)),
        (Some(piece), pieces) => {
            let side = if piece.side == Side::First { code::FIRST } else { code::SECOND };
            let body = match pieces {
                Pieces::Letters => piece.letter.to_string(),
                // Two columns wide; without colour the mark of the side is all there is.
                Pieces::Emoji => String::from(piece.emoji),
            };
            (body, String::from(side))
        }
    };
    let side_mark = match (&cell.piece, style.pieces) {
        (Some(piece), Pieces::Emoji) if piece.side == Side::First => "'",
        (Some(_), Pieces::Emoji) => ",",
        (None, Pieces::Emoji) => " ",
        (_, Pieces::Letters) => "",
    };
    let (open, close) = match (marked, style.colour) {
        (true, Colour::Plain) => ("[", "]"),
        _ => (" ", " "),
    };
    if marked && style.colour == Colour::Ansi {
        codes = if codes.is_empty() {
            String::from(code::LAST_ACTION)
        } else {
            format!("{codes};{}", code::LAST_ACTION)
        };
    }
    let body = style.colour.paint(&codes, &body);
    format!("{open}{body}{side_mark}{close}")
}

/// The letter of a file: `a` for column 0.
pub fn file_letter(column: usize) -> char {
    char::from(b'a' + (column % 26) as u8)
}

/// The squares named in an action's text (`a3a4`, `a10xb9`), as `(rank - 1) × width + column`.
/// What is no square of the board is passed over.
pub fn squares_in(text: &str, width: usize, height: usize) -> Vec<usize> {
    let letters: Vec<char> = text.chars().collect();
    let mut squares = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let column = (letters[at] as usize).wrapping_sub('a' as usize);
        let digits: String =
            letters[at + 1..].iter().take_while(|letter| letter.is_ascii_digit()).collect();
        // A square begins a word or follows one that ended in a digit: not the `x2` of `max2`.
        let begins = at == 0 || !letters[at - 1].is_ascii_lowercase() || letters[at - 1] == 'x';
        if begins
            && column < width
            && let Ok(rank) = digits.parse::<usize>()
            && (1..=height).contains(&rank)
        {
            squares.push((rank - 1) * width + column);
        }
        at += 1 + digits.len();
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::toy::Toy;
    use crate::game::{Game, Notation};

    const LETTERS: BoardStyle = BoardStyle { pieces: Pieces::Letters, colour: Colour::Plain };

    #[test]
    fn a_board_in_letters() {
        let toy = Toy::default();
        let sketch = toy.sketch(&toy.start());
        let text = "\
5  b  b  b  b    left 1
4  .  .  .  .
3  ~  .  .  ^
2  .  .  .  .
1  W  W  W  W
   a  b  c  d
";
        assert_eq!(draw_board(&sketch, LETTERS, None), text);
        let mut position = toy.start();
        let action = toy.parse_action(&position, "b1c2").unwrap();
        toy.play(&mut position, action);
        let text = "\
5  b  b  b  b    left 1
4  .  .  .  .
3  ~  .  .  ^
2  .  . [W] .
1  W [*] W  W
   a  b  c  d
";
        assert_eq!(draw_board(&toy.sketch(&position), LETTERS, Some("b1c2")), text);
    }

    #[test]
    fn a_board_in_animals_and_colours() {
        let toy = Toy::default();
        let sketch = toy.sketch(&toy.start());
        let style = BoardStyle { pieces: Pieces::Emoji, colour: Colour::Plain };
        let text = draw_board(&sketch, style, None);
        assert!(
            text.starts_with("5  🐘,  🐘,  🐘,  🐘,    left 1\n4  .    .    .    .\n"),
            "{text}"
        );
        assert!(text.ends_with("1  🐀'  🐀'  🐀'  🐀'\n   a    b    c    d\n"), "{text}");
        let text = draw_board(&sketch, style, Some("a1a2"));
        assert!(text.contains("\n2 [.  ] .    .    .\n1 [🐀'] 🐀'  🐀'  🐀'\n"), "{text}");
        let style = BoardStyle { colour: Colour::Ansi, ..LETTERS };
        let text = draw_board(&sketch, style, Some("a1a2"));
        assert!(text.contains("\u{1b}[1;34;7mW\u{1b}[0m"), "{text}");
    }

    #[test]
    fn squares_of_an_action() {
        assert_eq!(squares_in("a3a4", 7, 9), [14, 21]);
        assert_eq!(squares_in("a10xb9", 8, 10), [72, 65]);
        assert_eq!(squares_in("Rg9-h9", 7, 9), [62]);
        assert_eq!(squares_in("pass", 7, 9), Vec::<usize>::new());
        assert_eq!(squares_in("max2", 26, 9), Vec::<usize>::new());
    }
}
