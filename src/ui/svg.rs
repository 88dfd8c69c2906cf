//! A [`Sketch`] as an SVG picture: for the docs, the report of a match, the browser.

use super::board::{file_letter, squares_in};
use crate::game::{Ground, Side, Sketch};
use std::fmt::Write;

/// Side of a square in pixels.
const SQUARE: usize = 56;
/// Room for the names of files and ranks, and around the board.
const MARGIN: usize = 28;
/// Height of a line of notes.
const LINE: usize = 20;

/// The picture as a whole file. `last` is the text of the last action, whose squares are marked.
pub fn svg_board(sketch: &Sketch, last: Option<&str>) -> String {
    let marked = last.map_or_else(Vec::new, |text| squares_in(text, sketch.width, sketch.height));
    let width = sketch.width * SQUARE + 2 * MARGIN;
    let board_end = sketch.height * SQUARE + 2 * MARGIN;
    let height = board_end + sketch.notes.len() * LINE;
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"system-ui, sans-serif\" \
         text-anchor=\"middle\" dominant-baseline=\"central\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fbfaf6\"/>\n"
    );
    for (index, cell) in sketch.cells.iter().enumerate() {
        let (row, column) = (index / sketch.width.max(1), index % sketch.width.max(1));
        let (x, y) = (MARGIN + column * SQUARE, MARGIN + row * SQUARE);
        let (cx, cy) = (x + SQUARE / 2, y + SQUARE / 2);
        let fill = match cell.ground {
            Ground::Land => "#e4ecd3",
            Ground::Water => "#b9d9ec",
            Ground::Trap(_) => "#eadfc4",
            Ground::Den(_) => "#f0cfc0",
            Ground::Void => "#f4f1e8",
        };
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\" \
             stroke=\"#8a9070\" stroke-width=\"1\"/>\n{}",
            ground_mark(cell.ground, cx, cy)
        );
        let square = (sketch.height.saturating_sub(row + 1)) * sketch.width + column;
        if marked.contains(&square) {
            let (x, y, inner) = (x + 2, y + 2, SQUARE - 4);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{inner}\" height=\"{inner}\" fill=\"none\" \
                 stroke=\"#e0a800\" stroke-width=\"3\"/>"
            );
        }
        if let Some(piece) = &cell.piece {
            let colour = side_colour(piece.side);
            let (radius, size) = (SQUARE * 2 / 5, SQUARE / 2);
            let _ = writeln!(
                out,
                "<g><title>{}</title><circle cx=\"{cx}\" cy=\"{cy}\" r=\"{radius}\" \
                 fill=\"#fffdf7\" stroke=\"{colour}\" stroke-width=\"4\"/>\
                 <text x=\"{cx}\" y=\"{cy}\" font-size=\"{size}\">{}</text></g>",
                escape(piece.name),
                escape(piece.emoji)
            );
        }
    }
    let label = |out: &mut String, x: usize, y: usize, text: &str| {
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"13\" fill=\"#6b705c\">{text}</text>"
        );
    };
    for column in 0..sketch.width {
        let x = MARGIN + column * SQUARE + SQUARE / 2;
        label(&mut out, x, board_end - MARGIN / 2, &file_letter(column).to_string());
    }
    for row in 0..sketch.height {
        let y = MARGIN + row * SQUARE + SQUARE / 2;
        label(&mut out, MARGIN / 2, y, &(sketch.height - row).to_string());
    }
    for (index, note) in sketch.notes.iter().enumerate() {
        label(&mut out, width / 2, board_end + index * LINE + LINE / 3, &escape(note));
    }
    out.push_str("</svg>\n");
    out
}

/// What tells traps and dens from land without colours.
fn ground_mark(ground: Ground, cx: usize, cy: usize) -> String {
    let (text, side) = match ground {
        Ground::Trap(side) => ("✕", side),
        Ground::Den(side) => ("⌂", side),
        _ => return String::new(),
    };
    let colour = side_colour(side);
    format!(
        "<text x=\"{cx}\" y=\"{cy}\" font-size=\"26\" fill=\"{colour}\" opacity=\"0.45\">\
         {text}</text>\n"
    )
}

fn side_colour(side: Side) -> &'static str {
    match side {
        Side::First => "#2b5c9e",
        Side::Second => "#b23a2e",
    }
}

/// Text that may stand in XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::toy::Toy;
    use crate::game::{Game, Notation};

    #[test]
    fn a_picture_holds_every_square_and_piece() {
        let toy = Toy::default();
        let mut sketch = toy.sketch(&toy.start());
        sketch.notes = vec![String::from("3 < 4 & more")];
        let svg = svg_board(&sketch, Some("b1b2"));
        assert!(
            svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 280 356\"")
        );
        assert!(svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<circle").count(), 8);
        assert_eq!(svg.matches("<rect").count(), 1 + 20 + 2);
        assert_eq!(svg.matches("#e0a800").count(), 2);
        assert!(svg.contains("3 &lt; 4 &amp; more"));
        // b2 is the square marked in the fourth row from above.
        assert!(svg.contains("<rect x=\"86\" y=\"198\" width=\"52\" height=\"52\" fill=\"none\""));
    }
}
