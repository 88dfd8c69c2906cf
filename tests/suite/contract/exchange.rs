//! What the suite must be told of each game. Above all, the same position with the sides exchanged: what `First` has, `Second` has, and the board is
//! turned. Rules that treat both sides alike must not tell the two apart.

use menagerie::game::celestial::Celestial;
use menagerie::game::jungle::Jungle;
use menagerie::game::shengxiao::Shengxiao;
use menagerie::game::{Game, Notation, Side};

pub trait Exchange: Game {
    /// The position with the sides exchanged; `None` where the rules or the position's counts tell
    /// the sides apart.
    fn exchanged(&self, position: &Self::Position) -> Option<Self::Position>;

    /// Do the rules accept the position's own text?
    fn has_text(&self, _position: &Self::Position) -> bool {
        true
    }
}

impl Exchange for Jungle {
    fn exchanged(&self, position: &Self::Position) -> Option<Self::Position> {
        let board = self.board();
        let turned = |set: u64| {
            let squares = (0..board.squares()).filter(|&square| set >> square & 1 != 0);
            squares.fold(0, |all, square| all | 1u64 << board.turned(square))
        };
        let alike = turned(board.water) == board.water
            && turned(board.dens[0]) == board.dens[1]
            && turned(board.traps[0]) == board.traps[1];
        // The number of half-moves says whose turn it is, so it cannot stay the same.
        if !alike || self.options().max_plies.0.is_some() {
            return None;
        }
        let ply = match position.turn() {
            Side::First => position.ply() + 1,
            Side::Second => position.ply() - 1,
        };
        let animals = Side::BOTH.into_iter().flat_map(|side| {
            let animals = position.animals(side);
            animals.map(move |(kind, square)| (side.other(), kind, board.turned(square)))
        });
        Some(self.assemble(animals, position.no_capture(), ply))
    }

    /// The last two animals may leave the board together; texts without animals are refused.
    fn has_text(&self, position: &Self::Position) -> bool {
        Side::BOTH.into_iter().any(|side| position.squares(side) != 0)
    }
}

impl Exchange for Celestial {
    fn exchanged(&self, position: &Self::Position) -> Option<Self::Position> {
        let text = self.position_text(position);
        let mut fields: Vec<String> = text.split(' ').map(String::from).collect();
        fields[0] = turned_rows(&fields[0]);
        fields[1] = other_side(&fields[1])?;
        let (south, north) = fields[2].split_once('-')?;
        fields[2] = format!("{north}-{south}");
        if let [file, rank] = *fields[3].as_bytes() {
            fields[3] = format!("{}{}", (b'a' + b'h' - file) as char, b'9' - rank);
        }
        // While animals are being placed, South is never behind: most such texts are refused.
        self.parse_position(&fields.join(" ")).ok()
    }
}

impl Exchange for Shengxiao {
    fn exchanged(&self, position: &Self::Position) -> Option<Self::Position> {
        let rules = self.options();
        if rules.border * 2 != rules.height
            || rules.goal_north + rules.goal_south != rules.height + 1
        {
            return None;
        }
        let text = self.position_text(position);
        let mut fields: Vec<String> = text.split(' ').map(String::from).collect();
        fields[0] = turned_rows(&fields[0]);
        fields[1] = other_side(&fields[1])?;
        let marks: Option<Vec<String>> = fields[3].split(',').map(other_mark).collect();
        fields[3] = marks?.join(",");
        let exchanged = self.parse_position(&fields.join(" "));
        Some(exchanged.unwrap_or_else(|error| panic!("`{text}` exchanged: {error}")))
    }
}

/// Rows turned by 180°, with the animals' sides exchanged.
fn turned_rows(rows: &str) -> String {
    let row = |row: &str| -> String {
        // Runs of empty squares may have two digits, which keep their order.
        let mut parts: Vec<String> = Vec::new();
        for letter in row.chars() {
            match parts.last_mut() {
                Some(part) if letter.is_ascii_digit() && part.as_bytes()[0].is_ascii_digit() => {
                    part.push(letter);
                }
                _ => parts.push(other_case(letter).to_string()),
            }
        }
        parts.into_iter().rev().collect()
    };
    rows.split('/').rev().map(row).collect::<Vec<_>>().join("/")
}

fn other_case(letter: char) -> char {
    match letter.is_ascii_uppercase() {
        true => letter.to_ascii_lowercase(),
        false => letter.to_ascii_uppercase(),
    }
}

fn other_side(letter: &str) -> Option<String> {
    match letter {
        "s" => Some("n".into()),
        "n" => Some("s".into()),
        _ => None,
    }
}

/// A mark of shengxiao with the sides exchanged.
fn other_mark(mark: &str) -> Option<String> {
    let Some((name, value)) = mark.split_once(':') else { return Some(mark.into()) };
    let value = match name {
        "held" | "bitten" | "moved" => value.chars().map(other_case).collect(),
        "nobite" => {
            value.chars().rev().map(|side| other_side(&side.to_string())).collect::<Option<_>>()?
        }
        "over" => {
            let (side, why) = value.split_once('-')?;
            format!("{}-{why}", other_side(side)?)
        }
        _ => return None,
    };
    Some(format!("{name}:{value}"))
}
