//! Which positions are reserved for measuring: of those with so few animals that tables can know
//! them, one in sixteen. A position and its images are reserved or free together; counts are of no
//! account. Owns no tables: a position is reserved whether anybody has solved it or not.

use super::{Jungle, Position};
use crate::game::Side;

/// Positions with more animals are never reserved.
pub const MOST_RESERVED: usize = 5;
/// Bits of the hash that must be 0.
const BITS: u64 = 15;

/// Is this position for measuring only?
pub fn is_reserved(game: &Jungle, position: &Position) -> bool {
    let [first, second] = position.sides();
    if (first | second).count_ones() as usize > MOST_RESERVED {
        return false;
    }
    let mut least = position.key();
    if game.is_mirrored() {
        least = least.min(image(game, position, true, false));
    }
    if game.is_turned() {
        least = least.min(image(game, position, false, true));
    }
    if game.is_mirrored() && game.is_turned() {
        least = least.min(image(game, position, true, true));
    }
    // The least of several keys is not evenly spread in its high bits; its low ones are.
    least & BITS == 0
}

/// The key of an image of a position.
fn image(game: &Jungle, position: &Position, mirrored: bool, turned: bool) -> u64 {
    let board = game.board();
    let animals = Side::BOTH.into_iter().flat_map(|side| {
        position.animals(side).map(move |(kind, square)| {
            let square = if mirrored { board.mirrored(square) } else { square };
            let square = if turned { board.turned(square) } else { square };
            (if turned { side.other() } else { side }, kind, square)
        })
    });
    let turn = position.turn();
    let turn = if turned { turn.other() } else { turn };
    game.assemble(animals, 0, turn.index() as u32).key()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::jungle::{Kind, Rules};
    use crate::game::{Game, Notation};
    use crate::rng;
    use rand::RngExt;

    #[test]
    fn one_in_sixteen_of_few_animals_and_none_of_more() {
        let game = Jungle::new(Rules::default()).unwrap();
        let board = game.board();
        let mut stream = rng::stream(1, "reserved test", 0);
        const EACH: u32 = 4000;
        for count in 2..=7 {
            let mut reserved = 0;
            for _ in 0..EACH {
                let mut animals = Vec::new();
                while animals.len() < count {
                    let square = stream.random_range(0..board.squares());
                    let taken = animals.iter().any(|&(_, _, other)| other == square);
                    if !taken && !board.is_water(square) {
                        let kind = Kind::ALL[stream.random_range(0..8)];
                        animals.push((Side::BOTH[animals.len() % 2], kind, square));
                    }
                }
                let turn = stream.random_range(0..2);
                let position = game.assemble(animals.clone(), 0, turn);
                let image = animals.into_iter().map(|(side, kind, square)| {
                    (side.other(), kind, board.mirrored(board.turned(square)))
                });
                let image = game.assemble(image, 3, turn + 41);
                assert_eq!(game.is_reserved(&position), game.is_reserved(&image));
                reserved += u32::from(game.is_reserved(&position));
            }
            let share = f64::from(reserved) / f64::from(EACH);
            let expected = if count <= MOST_RESERVED { 1.0 / 16.0 } else { 0.0 };
            assert!((share - expected).abs() < 0.015, "{count} animals: {share}");
        }
    }

    #[test]
    fn on_a_board_without_images_each_position_stands_alone() {
        let board = "..d../t.~../..~~./..DT.".to_string();
        let setup = "r3l/5/5/L3R w 0 1".to_string();
        let game = Jungle::new(Rules { board, setup, ..Rules::default() }).unwrap();
        assert!(!game.is_mirrored() && !game.is_turned());
        let position = game.parse_position("r3l/5/5/L3R w 0 1").unwrap();
        assert_eq!(game.is_reserved(&position), position.key() & BITS == 0);
    }
}
