//! The rules as they are told: docs and command name every option and preset that there is.

use crate::program::Place;
use menagerie::game::registry;

#[test]
fn the_page_of_the_rules_names_every_option_and_preset() {
    let page = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md"),
    )
    .unwrap();
    for game in registry::names() {
        for option in registry::options(game).unwrap() {
            assert!(page.contains(&format!("`{}`", option.key)), "{game}: {}", option.key);
            // The words of an option: `enemy` or `all`.
            let words = option.allowed.split('`').skip(1).step_by(2);
            let is_word = |text: &&str| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            for word in words.filter(is_word) {
                assert!(page.contains(&word.to_string()), "{game}: {} = {word}", option.key);
            }
        }
        for preset in registry::presets(game).unwrap() {
            assert!(page.contains(&format!("`{preset}`")), "{game}: {preset}");
        }
    }
}

#[test]
fn the_command_tells_the_rules_that_were_asked_for() {
    let place = Place::new();
    place
        .run(&["rules", "--preset", "leiden", "--set", "rules.traps=all"])
        .expect(0, &["a set of its own", "max_plies = 512", "traps = \"all\"", "animal-checkers"]);
    place.run(&["rules", "--game", "celestial"]).expect(0, &["There is no option"]);
    place.run(&["rules", "--game", "shengxiao"]).expect(0, &["goal_south = 8", "1 to 10000"]);
    let record = place.run(&["rules", "--preset", "misty", "--json"]).expect(0, &[]).out;
    let file = place.write("house.json", &record);
    place.run(&["rules", "--rules", &file]).expect(0, &["the preset misty"]);
    place.run(&["rules", "--set", "rules.traps=alll"]).expect(3, &["`alll`; right is `enemy` or"]);
}
