//! Models on disk: what is saved comes back, and what is wrong is said.

use super::*;
use std::fs;

fn walk_card(net: &Net) -> Card {
    let mut card = Card::new(&Walk, net.settings(), &Default::default());
    card.note = String::from("a \"test\"");
    card.training.insert(String::from("steps"), toml::Value::Integer(7));
    card
}

#[test]
fn a_model_folder_gives_back_what_was_saved() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("models").join("walk-1");
    let net = walker();
    let saved = save(&dir, &net, &walk_card(&net), false).unwrap();
    let (card, loaded) = load(&dir, &Device::flex()).unwrap();
    assert_eq!(card, saved);
    assert_eq!(card.rules, Walk.rules());
    assert_eq!(parameters(&loaded), parameters(&net));
    assert_eq!(net_to_bytes(&loaded).unwrap(), net_to_bytes(&net).unwrap());
    check_fits(&card, &Walk).unwrap();
    let names = |dir: &std::path::Path| {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&dir), ["card.toml", "model.bpk"]);
    assert_eq!(names(&temp.path().join("models")), ["walk-1"]);

    let error = save(&dir, &net, &walk_card(&net), false).unwrap_err();
    assert!(matches!(error, CheckpointError::Exists(_)), "{error}");
    let settings = NetworkSettings { blocks: 2, channels: 8, ..NetworkSettings::default() };
    let other = lively(Walk.shape(), &settings, &Device::flex());
    save(&dir, &other, &walk_card(&other), true).unwrap();
    let (card, loaded) = load(&dir, &Device::flex()).unwrap();
    assert_eq!(card.network.blocks, 2);
    assert_eq!(parameters(&loaded), parameters(&other));
    assert_eq!(names(&dir), ["card.toml", "model.bpk"]);
}

#[test]
fn a_card_is_replaced_alone_and_only_for_the_same_weights() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("walk");
    let net = walker();
    let old = save(&dir, &net, &walk_card(&net), false).unwrap();
    // Cards of before the truth was written down say nothing of it.
    let text = fs::read_to_string(dir.join(CARD_FILE)).unwrap();
    assert!(!text.contains("truth") && old.taught_by_tables().is_none());
    let mut card = old.clone();
    card.truth.insert(String::from("sign"), toml::Value::Float(0.75));
    card.training.insert(TAUGHT_BY_TABLES.into(), toml::Value::Boolean(true));
    replace_card(&dir, &card).unwrap();
    let (read, loaded) = load(&dir, &Device::flex()).unwrap();
    assert_eq!((read.taught_by_tables(), &read), (Some(true), &card));
    assert_eq!(parameters(&loaded), parameters(&net));
    let other = Card { hash: String::from("0"), ..card };
    let error = replace_card(&dir, &other).unwrap_err();
    assert!(matches!(error, CheckpointError::Replaced { .. }), "{error}");
    assert!(!error.is_data() && read_card(&dir).unwrap() == read);
}

#[test]
fn a_model_can_be_loaded_at_every_moment_of_its_replacement() {
    let temp = tempfile::tempdir().unwrap();
    let (old_dir, new_dir) = (temp.path().join("old"), temp.path().join("new"));
    let old = walker();
    let settings = NetworkSettings { blocks: 2, channels: 8, ..NetworkSettings::default() };
    let new = lively(Walk.shape(), &settings, &Device::flex());
    save(&old_dir, &old, &walk_card(&old), false).unwrap();
    save(&new_dir, &new, &walk_card(&new), false).unwrap();
    let loaded = || parameters(&load(&old_dir, &Device::flex()).unwrap().1);
    fs::copy(new_dir.join(MODEL_FILE), old_dir.join("model.next.bpk")).unwrap();
    assert_eq!(loaded(), parameters(&old));
    fs::copy(new_dir.join(CARD_FILE), old_dir.join(CARD_FILE)).unwrap();
    assert_eq!(loaded(), parameters(&new));
    fs::copy(new_dir.join(MODEL_FILE), old_dir.join(MODEL_FILE)).unwrap();
    assert_eq!(loaded(), parameters(&new));
    fs::remove_file(old_dir.join("model.next.bpk")).unwrap();
    assert_eq!(loaded(), parameters(&new));
}

#[test]
fn a_damaged_model_says_what_is_wrong() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("walk");
    let net = walker();
    save(&dir, &net, &walk_card(&net), false).unwrap();
    let (model, card) = (dir.join(MODEL_FILE), dir.join(CARD_FILE));
    let (bytes, text) = (fs::read(&model).unwrap(), fs::read_to_string(&card).unwrap());
    let error = || load(&dir, &Device::flex()).unwrap_err();

    fs::write(&model, &bytes[..bytes.len() - 1]).unwrap();
    let cut = error();
    assert!(matches!(cut, CheckpointError::Size { .. }), "{cut}");
    assert!(cut.to_string().contains("model.bpk"), "{cut}");

    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    fs::write(&model, &flipped).unwrap();
    let flip = error();
    assert!(matches!(flip, CheckpointError::Hash { .. }), "{flip}");

    fs::remove_file(&model).unwrap();
    let gone = error();
    assert!(matches!(&gone, CheckpointError::Missing(file) if *file == model), "{gone}");
    fs::write(&model, &bytes).unwrap();

    fs::write(&card, text.replace("channels = 8", "channels = \"wide\"")).unwrap();
    let typed = error().to_string();
    assert!(typed.contains("card.toml") && typed.contains("channels = \"wide\""), "{typed}");
    assert!(typed.contains("line"), "{typed}");

    fs::write(&card, text.replace("channels = 8", "channels = 12")).unwrap();
    let odd = error().to_string();
    assert!(odd.contains("a multiple of 8, such as 16"), "{odd}");

    fs::write(&card, text.replace("channels = 8", "channels = 16")).unwrap();
    let other = error();
    assert!(matches!(other, CheckpointError::Weights(_)), "{other}");

    fs::write(&card, text.replace("format = 1", "format = 9")).unwrap();
    let format = error();
    assert!(matches!(format, CheckpointError::Format { found: 9, .. }), "{format}");

    fs::write(&card, &text).unwrap();
    load(&dir, &Device::flex()).unwrap();
    let nowhere = load(&temp.path().join("none"), &Device::flex()).unwrap_err();
    assert!(matches!(nowhere, CheckpointError::Missing(_)), "{nowhere}");
}

#[test]
fn a_card_of_something_else_does_not_fit() {
    let net = walker();
    let card = walk_card(&net);
    check_fits(&card, &Walk).unwrap();
    let game = Card { game: String::from("run"), ..card.clone() };
    let error = check_fits(&game, &Walk).unwrap_err().to_string();
    assert_eq!(error, "this model plays run, not walk");
    let codec = Card { codec_version: 9, ..card.clone() };
    let error = check_fits(&codec, &Walk).unwrap_err();
    assert!(matches!(error, CheckpointError::OtherCodec { expected: 1, found: 9, .. }), "{error}");
    let shape = Card { shape: Shape { planes: 3, ..card.shape }, ..card };
    let error = check_fits(&shape, &Walk).unwrap_err();
    assert!(matches!(error, CheckpointError::OtherShape { .. }), "{error}");
}

#[test]
fn weights_cut_at_any_place_are_an_error() {
    let net = walker();
    let bytes = net_to_bytes(&net).unwrap();
    let read = |bytes: &[u8]| net_from_bytes(Walk.shape(), net.settings(), bytes, &Device::flex());
    assert_eq!(parameters(&read(&bytes).unwrap()), parameters(&net));
    for cut in (0..bytes.len()).step_by(97) {
        let error = read(&bytes[..cut]).unwrap_err();
        assert!(matches!(error, CheckpointError::Weights(_)), "cut at {cut}: {error}");
    }
}
