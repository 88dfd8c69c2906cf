//! A toy game for the tests of this room and of `ui/`: pawns on four files and five ranks that
//! step forward, capture diagonally, and win on the far rank. With options for the cases that the
//! real games have: several actions in a turn, draws by repetition, forbidden repetition.

use super::evaluation::StaticEvaluation;
use crate::game::{
    ActionList, Cell, Game, Ground, History, Notation, Occurrence, Outcome, Piece, Side, Sketch,
    TextError,
};

pub const WIDTH: usize = 4;
pub const HEIGHT: usize = 5;

#[derive(Clone, Debug)]
pub struct Toy {
    /// Actions in a turn.
    pub acts: u8,
    /// May pawns step straight back? Then the third occurrence is a draw.
    pub retreat: bool,
    /// Instead of the draw: this occurrence is forbidden.
    pub forbidden: Option<u32>,
}

impl Default for Toy {
    fn default() -> Self {
        Self { acts: 1, retreat: false, forbidden: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToyPosition {
    cells: [Option<Side>; WIDTH * HEIGHT],
    turn: Side,
    left: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToyAction {
    pub from: u8,
    pub to: u8,
}

fn square_text(square: u8) -> String {
    let (rank, file) = (square as usize / WIDTH, square as usize % WIDTH);
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

impl Toy {
    fn moves(&self, position: &ToyPosition, out: &mut ActionList<ToyAction>) {
        let turn = position.turn;
        let forward: isize = if turn == Side::First { 1 } else { -1 };
        for from in 0..WIDTH * HEIGHT {
            if position.cells[from] != Some(turn) {
                continue;
            }
            let (rank, file) = ((from / WIDTH) as isize, (from % WIDTH) as isize);
            for (up, across) in [(forward, -1), (forward, 0), (forward, 1), (-forward, 0)] {
                let (rank, file) = (rank + up, file + across);
                if !(0..HEIGHT as isize).contains(&rank) || !(0..WIDTH as isize).contains(&file) {
                    continue;
                }
                let to = rank as usize * WIDTH + file as usize;
                let allowed = match position.cells[to] {
                    None => up == forward || self.retreat,
                    Some(side) => side != turn && across != 0,
                };
                if allowed {
                    out.push(ToyAction { from: from as u8, to: to as u8 });
                }
            }
        }
        out.sort_unstable();
    }

    fn won(&self, position: &ToyPosition) -> Option<Outcome> {
        for side in Side::BOTH {
            let far = if side == Side::First { HEIGHT - 1 } else { 0 };
            let row = &position.cells[far * WIDTH..(far + 1) * WIDTH];
            if row.contains(&Some(side)) {
                return Some(Outcome::win(side, "the far rank was reached"));
            }
            if !position.cells.contains(&Some(side.other())) {
                return Some(Outcome::win(side, "no enemy is left"));
            }
        }
        None
    }
}

impl Game for Toy {
    type Position = ToyPosition;
    type Action = ToyAction;

    fn name(&self) -> &'static str {
        "toy"
    }

    fn rules(&self) -> serde_json::Value {
        serde_json::json!({ "acts": self.acts, "retreat": self.retreat })
    }

    fn start(&self) -> ToyPosition {
        let mut cells = [None; WIDTH * HEIGHT];
        cells[..WIDTH].fill(Some(Side::First));
        cells[(HEIGHT - 1) * WIDTH..].fill(Some(Side::Second));
        ToyPosition { cells, turn: Side::First, left: self.acts }
    }

    fn turn(&self, position: &ToyPosition) -> Side {
        position.turn
    }

    fn actions(&self, position: &ToyPosition, out: &mut ActionList<ToyAction>) {
        out.clear();
        if self.won(position).is_none() {
            self.moves(position, out);
        }
    }

    fn play(&self, position: &mut ToyPosition, action: ToyAction) {
        position.cells[action.to as usize] = position.cells[action.from as usize].take();
        position.left -= 1;
        if position.left == 0 {
            position.left = self.acts;
            position.turn = position.turn.other();
        }
    }

    fn occurrence(&self, position: &ToyPosition) -> Option<Occurrence> {
        (self.retreat && position.left == self.acts).then(|| Occurrence {
            key: self.hash(position),
            fresh: false,
            note: 0,
        })
    }

    fn forbidden_occurrence(&self) -> Option<u32> {
        self.forbidden
    }

    fn outcome(&self, position: &ToyPosition, history: &History) -> Option<Outcome> {
        self.won(position).or_else(|| {
            let mut actions = Vec::new();
            self.moves(position, &mut actions);
            if self.forbidden.is_some() {
                actions.retain(|&action| !history.forbids(self, position, action));
            }
            if actions.is_empty() {
                return Some(Outcome::win(position.turn.other(), "no action is left"));
            }
            let drawn = self.occurrence(position).is_some()
                && self.forbidden.is_none()
                && history.repetitions() >= 2;
            drawn.then(|| Outcome::draw("the position occurred for the third time"))
        })
    }
}

impl StaticEvaluation for Toy {
    const EVALUATION_VERSION: u32 = 1;

    fn evaluate(&self, position: &ToyPosition) -> i32 {
        let mut score = 0;
        for (square, cell) in position.cells.iter().enumerate() {
            let rank = (square / WIDTH) as i32;
            match cell {
                Some(Side::First) => score += 100 + 10 * rank,
                Some(Side::Second) => score -= 100 + 10 * (HEIGHT as i32 - 1 - rank),
                None => {}
            }
        }
        if position.turn == Side::First { score } else { -score }
    }

    fn is_forcing(&self, position: &ToyPosition, action: ToyAction) -> bool {
        position.cells[action.to as usize].is_some()
    }
}

impl Notation for Toy {
    fn parse_position(&self, text: &str) -> Result<ToyPosition, TextError> {
        let wrong = || TextError::new(format!("`{text}` is no position of the toy game"));
        let mut fields = text.split(' ');
        let mut cells = [None; WIDTH * HEIGHT];
        let rows: Vec<&str> = fields.next().ok_or_else(wrong)?.split('/').collect();
        if rows.len() != HEIGHT || rows.iter().any(|row| row.len() != WIDTH) {
            return Err(wrong());
        }
        for (down, row) in rows.iter().enumerate() {
            for (file, letter) in row.chars().enumerate() {
                cells[(HEIGHT - 1 - down) * WIDTH + file] = match letter {
                    'W' => Some(Side::First),
                    'b' => Some(Side::Second),
                    _ => None,
                };
            }
        }
        let turn = match fields.next() {
            Some("f") => Side::First,
            Some("s") => Side::Second,
            _ => return Err(wrong()),
        };
        let left = fields.next().and_then(|left| left.parse().ok()).ok_or_else(wrong)?;
        Ok(ToyPosition { cells, turn, left })
    }

    fn position_text(&self, position: &ToyPosition) -> String {
        let rows: Vec<String> = position
            .cells
            .chunks(WIDTH)
            .rev()
            .map(|row| {
                row.iter()
                    .map(|cell| match cell {
                        Some(Side::First) => 'W',
                        Some(Side::Second) => 'b',
                        None => '.',
                    })
                    .collect()
            })
            .collect();
        format!("{} {} {}", rows.join("/"), self.side_letter(position.turn), position.left)
    }

    fn action_text(&self, _: &ToyPosition, action: ToyAction) -> String {
        format!("{}{}", square_text(action.from), square_text(action.to))
    }

    fn parse_action(&self, position: &ToyPosition, text: &str) -> Result<ToyAction, TextError> {
        let mut actions = Vec::new();
        self.actions(position, &mut actions);
        actions
            .into_iter()
            .find(|&action| self.action_text(position, action) == text)
            .ok_or_else(|| TextError::new(format!("`{text}` is not a legal action here")))
    }

    fn describe(&self, position: &ToyPosition, action: ToyAction) -> String {
        let (from, to) = (square_text(action.from), square_text(action.to));
        match position.cells[action.to as usize] {
            Some(_) => format!("the pawn on {from} captures on {to}"),
            None => format!("the pawn on {from} steps to {to}"),
        }
    }

    fn sketch(&self, position: &ToyPosition) -> Sketch {
        let cells = (0..HEIGHT)
            .rev()
            .flat_map(|rank| (0..WIDTH).map(move |file| (rank, file)))
            .map(|(rank, file)| Cell {
                ground: match (rank, file) {
                    (0, 1) => Ground::Den(Side::First),
                    (2, 0) => Ground::Water,
                    (2, 3) => Ground::Trap(Side::Second),
                    _ => Ground::Land,
                },
                piece: position.cells[rank * WIDTH + file].map(|side| Piece {
                    side,
                    letter: if side == Side::First { 'W' } else { 'b' },
                    emoji: if side == Side::First { "🐀" } else { "🐘" },
                    name: "pawn",
                }),
            })
            .collect();
        Sketch {
            width: WIDTH,
            height: HEIGHT,
            cells,
            notes: vec![format!("left {}", position.left)],
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "white",
            Side::Second => "black",
        }
    }

    fn side_letter(&self, side: Side) -> &'static str {
        match side {
            Side::First => "f",
            Side::Second => "s",
        }
    }
}
