//! Random rule records: every option of Jungle with every value, shengxiao on other boards.

use super::boards;
use menagerie::rng::Stream;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde_json::{Map, Value, json};

/// Options of Jungle that take a few words, with all of them.
pub const JUNGLE_WORDS: &[(&str, &[&str])] = &[
    ("elephant_takes_rat", &["own_trap", "never", "always"]),
    ("water_rat_takes_elephant", &["false", "true"]),
    ("water_rat_takes_land_rat", &["false", "true"]),
    ("land_rat_takes_water_rat", &["false", "true"]),
    ("lion_jump", &["both", "along", "across", "none"]),
    ("tiger_jump", &["both", "along", "across", "none"]),
    ("leopard_jump", &["none", "both", "along", "across"]),
    ("jump_blockers", &["any_rat", "enemy_rat", "none"]),
    ("traps", &["enemy", "all"]),
    ("trapped_takes", &["false", "true"]),
    ("equal", &["take", "both_die"]),
    ("den_entry", &["any", "rat"]),
    ("capture_all_wins", &["true", "false"]),
    ("no_move", &["loss", "draw"]),
    ("repetition", &["none", "draw", "loss", "forbidden"]),
];

/// A word as the rule record holds it.
pub fn value(word: &str) -> Value {
    match word {
        "true" => true.into(),
        "false" => false.into(),
        word => word.into(),
    }
}

/// A rule record of Jungle.
pub fn jungle(random: &mut Stream) -> Map<String, Value> {
    let mut rules = Map::new();
    for (key, words) in JUNGLE_WORDS {
        rules.insert((*key).into(), value(words[random.random_range(0..words.len())]));
    }
    let mut animals = *b"RCDWPTLE";
    if random.random_bool(0.5) {
        animals.shuffle(random);
    }
    let mut ranks = String::new();
    for animal in animals {
        if !ranks.is_empty() {
            ranks.push(if random.random_bool(0.2) { '=' } else { '<' });
        }
        ranks.push(animal as char);
    }
    rules.insert("ranks".into(), ranks.into());
    let swimmers: String = match random.random_range(0..3) {
        0 => "R".into(),
        1 => "RCDWPTLE".chars().filter(|_| random.random_bool(0.3)).collect(),
        _ => "RDTL".chars().filter(|_| random.random_bool(0.6)).collect(),
    };
    rules.insert("swimmers".into(), swimmers.into());
    rules.insert("no_capture_limit".into(), limit(random, &[1, 2, 7, 20, 100, 100_000]));
    rules.insert("max_plies".into(), limit(random, &[1, 12, 60, 150, 512]));
    rules.insert("repetition_count".into(), json!([2, 2, 3, 4, 1_000][random.random_range(0..5)]));
    if random.random_bool(0.6) {
        let board = boards::board(random);
        rules.insert("setup".into(), boards::setup(random, &board).into());
        rules.insert("board".into(), board.into());
    } else if random.random_bool(0.7) {
        let board = menagerie::game::jungle::Rules::default().board;
        rules.insert("setup".into(), boards::setup(random, &board).into());
    }
    rules
}

/// Mostly no limit, so that games have time.
fn limit(random: &mut Stream, limits: &[u32]) -> Value {
    match random.random_range(0..6) {
        0 => Value::Null,
        1..=3 => "off".into(),
        _ => limits[random.random_range(0..limits.len())].into(),
    }
}

/// A rule record of shengxiao: another board, other goals, another set-up.
pub fn shengxiao(random: &mut Stream) -> Map<String, Value> {
    const SIZES: [(u8, u8); 6] = [(6, 10), (8, 8), (5, 12), (7, 8), (4, 6), (6, 9)];
    let (width, height) = SIZES[random.random_range(0..SIZES.len())];
    let border =
        if random.random_bool(0.7) { height / 2 } else { random.random_range(2..height - 1) };
    let goal_south = random.random_range(border + 1..=height);
    let alike = random.random_bool(0.7) && height + 1 - goal_south <= border;
    let goal_north = if alike { height + 1 - goal_south } else { random.random_range(1..=border) };
    let mut rules = Map::new();
    for (key, number) in [
        ("width", u16::from(width)),
        ("height", u16::from(height)),
        ("border", u16::from(border)),
        ("goal_south", u16::from(goal_south)),
        ("goal_north", u16::from(goal_north)),
        ("repetitions", [2, 3, 5][random.random_range(0..3)]),
        ("quiet_turns", [3, 20, 100][random.random_range(0..3)]),
    ] {
        rules.insert(key.into(), number.into());
    }
    rules.insert("setup".into(), shengxiao_setup(random, width.into(), height.into()).into());
    rules
}

/// Some of the twelve animals of each side, the rats among them, on their own half.
fn shengxiao_setup(random: &mut Stream, width: usize, height: usize) -> String {
    let mut squares = vec!['.'; width * height];
    let half = width * (height / 2);
    let present = if random.random_bool(0.5) { 1.0 } else { 0.6 };
    for (letters, from) in [("RXTHNSOGMKDP", 0), ("rxthnsogmkdp", width * height - half)] {
        for letter in letters.chars() {
            if letter.eq_ignore_ascii_case(&'R') || random.random_bool(present) {
                // The half may be full; then the animal stays at home.
                let free: Vec<usize> =
                    (from..from + half).filter(|&square| squares[square] == '.').collect();
                if !free.is_empty() {
                    squares[free[random.random_range(0..free.len())]] = letter;
                }
            }
        }
    }
    let row = |row: &[char]| {
        let mut text = String::new();
        let mut run = 0;
        for &letter in row {
            if letter == '.' {
                run += 1;
                continue;
            }
            if run > 0 {
                text.push_str(&run.to_string());
            }
            run = 0;
            text.push(letter);
        }
        if run > 0 {
            text.push_str(&run.to_string());
        }
        text
    };
    let rows: Vec<String> = squares.chunks(width).rev().map(row).collect();
    format!("{} {}", rows.join("/"), ["s", "n"][random.random_range(0..2)])
}
