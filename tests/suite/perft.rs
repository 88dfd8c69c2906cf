//! Published and agreed counts of leaves.

use menagerie::game::jungle::{Jungle, Rules};
use menagerie::game::{Game, perft::perft};

fn jungle(preset: &str) -> Jungle {
    Jungle::new(Rules::preset(preset).unwrap()).unwrap()
}

#[test]
fn standard_and_wikipedia_from_the_start() {
    for preset in ["standard", "wikipedia"] {
        let game = jungle(preset);
        for (depth, leaves) in (1..).zip([24, 576, 12_240, 260_099, 5_111_620]) {
            assert_eq!(perft(&game, &game.start(), depth), leaves, "{preset} at depth {depth}");
        }
    }
    let game = jungle("standard");
    assert_eq!(perft(&game, &game.start(), 6), 100_453_636);
}

#[test]
fn animal_checkers_from_the_start() {
    let game = jungle("animal-checkers");
    for (depth, leaves) in (0..).zip([1, 10, 99, 953, 9_143]) {
        assert_eq!(perft(&game, &game.start(), depth), leaves, "at depth {depth}");
    }
}
