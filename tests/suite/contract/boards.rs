//! Random boards and set-ups of Jungle: any size up to 64 squares, any ground, any animals.

use menagerie::rng::Stream;
use rand::RngExt;

/// Widths and heights: the common ones, the narrowest, the widest, 64 squares in three ways.
const SIZES: [(usize, usize); 14] = [
    (7, 9),
    (7, 9),
    (8, 8),
    (5, 5),
    (4, 16),
    (16, 4),
    (64, 1),
    (1, 40),
    (3, 3),
    (9, 7),
    (6, 8),
    (2, 2),
    (31, 2),
    (5, 7),
];

/// A board in the option's form, rows from the far rank.
pub fn board(random: &mut Stream) -> String {
    let (width, height) = SIZES[random.random_range(0..SIZES.len())];
    let water = [0.0, 0.15, 0.4][random.random_range(0..3)];
    let special = [0.0, 0.05, 0.15][random.random_range(0..3)];
    let mut ground: Vec<Vec<char>> =
        (0..height).map(|_| (0..width).map(|_| letter(random, water, special)).collect()).collect();
    if random.random_bool(0.5) {
        // Both sides have the same ground before them.
        for rank in 0..height {
            for (file, here) in ground[rank].clone().into_iter().enumerate() {
                let facing = owner_exchanged(here);
                let middle = height % 2 == 1 && rank == height / 2;
                ground[height - 1 - rank][file] = match facing {
                    'd' | 'D' | 't' | 'T' if middle => '.',
                    facing => facing,
                };
            }
        }
    }
    if random.random_bool(0.5) {
        for row in &mut ground {
            for file in 0..width / 2 {
                row[width - 1 - file] = row[file];
            }
        }
    }
    ground.into_iter().map(String::from_iter).collect::<Vec<_>>().join("/")
}

fn letter(random: &mut Stream, water: f64, special: f64) -> char {
    if random.random_bool(water) {
        '~'
    } else if random.random_bool(special) {
        ['D', 'd', 'T', 't'][random.random_range(0..4)]
    } else {
        '.'
    }
}

fn owner_exchanged(ground: char) -> char {
    match ground {
        'D' => 'd',
        'd' => 'D',
        'T' => 't',
        't' => 'T',
        other => other,
    }
}

/// Animals anywhere but on their own dens, on water seldom; then side to move and counts.
pub fn setup(random: &mut Stream, board: &str) -> String {
    let density = [0.1, 0.3, 0.6][random.random_range(0..3)];
    let mut rows = Vec::new();
    for row in board.split('/') {
        let mut text = String::new();
        let mut run = 0;
        for ground in row.chars() {
            let stands = random.random_bool(if ground == '~' { density / 8.0 } else { density });
            let mut animal = b"RCDWPTLErcdwptle"[random.random_range(0..16)] as char;
            if ground == 'D' || ground == 'd' {
                // Not on its own den, and on the other one the game would have ended.
                animal = '-';
            }
            if (!stands || animal == '-') && run < 9 {
                run += 1;
                continue;
            }
            if run > 0 {
                text.push_str(&run.to_string());
                run = 0;
            }
            match stands && animal != '-' {
                true => text.push(animal),
                false => run = 1,
            }
        }
        if run > 0 {
            text.push_str(&run.to_string());
        }
        rows.push(text);
    }
    let side = ["w", "b"][random.random_range(0..2)];
    let quiet = if random.random_bool(0.8) { 0 } else { random.random_range(0..9) };
    let number = if random.random_bool(0.8) { 1 } else { random.random_range(1..9) };
    format!("{} {side} {quiet} {number}", rows.join("/"))
}
