//! A model on disk: a folder with the weights (`model.bpk`, burn's burnpack) and a card.
//!
//! A folder appears whole or not at all. When a model is replaced, the old one stays loadable until
//! the new one is: the new card is the moment of change, and until `model.bpk` has followed, the
//! weights that the card's hash names are found in `model.next.bpk`.

use super::card::{CARD_FORMAT, Card};
use super::{Net, NetError, NetworkSettings};
use crate::codec::{Encode, Shape};
use crate::disk::{DiskError, atomic};
use crate::settings::Settings;
use burn::module::Module;
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, Device};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The weights in a model folder.
pub const MODEL_FILE: &str = "model.bpk";
/// The card in a model folder.
pub const CARD_FILE: &str = "card.toml";
/// New weights whose turn has not quite come.
const NEXT_FILE: &str = "model.next.bpk";

/// Why a model could not be saved, loaded or used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("there is no `{0}`: a model is a folder with `card.toml` and `model.bpk`")]
    Missing(PathBuf),
    #[error("`{file}`: {source}")]
    Io { file: PathBuf, source: io::Error },
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("`{file}` is no card of a model: {message}")]
    Card { file: PathBuf, message: String },
    #[error("`{file}` has format {found}; this program reads format {CARD_FORMAT}")]
    Format { file: PathBuf, found: u32 },
    #[error("`{file}` has {found} bytes; its card says {expected}: it was cut short or replaced")]
    Size { file: PathBuf, expected: u64, found: u64 },
    #[error("`{file}` has hash {found}; its card says {expected}: it is damaged or replaced")]
    Hash { file: PathBuf, expected: String, found: String },
    #[error("the weights are not those of this network: {0}")]
    Weights(String),
    #[error(transparent)]
    Net(#[from] NetError),
    #[error("this model plays {found}, not {expected}")]
    OtherGame { expected: String, found: String },
    #[error(
        "this model knows codec version {found} of {game}; this program has version {expected}: \
         use the program that made it ({made_by}), or train it anew"
    )]
    OtherCodec { game: String, expected: u32, found: u32, made_by: String },
    #[error("this model was made for {found}; {game} with these rules has {expected}")]
    OtherShape { game: String, expected: Box<Shape>, found: Box<Shape> },
    #[error("`{dir}` was replaced by another model in the meantime: its card was left as it is")]
    Replaced { dir: PathBuf },
    #[error("`{0}` exists already: choose another name, or ask to replace it")]
    Exists(PathBuf),
}

impl CheckpointError {
    /// Is the model itself at fault (damaged, or not usable here), rather than the disk or the
    /// request?
    pub fn is_data(&self) -> bool {
        !matches!(self, Self::Io { .. } | Self::Disk(_) | Self::Exists(_) | Self::Replaced { .. })
    }
}

/// A network's weights as bytes; the same weights give the same bytes.
pub fn net_to_bytes(net: &Net) -> Result<Vec<u8>, CheckpointError> {
    let bytes = net.clone().into_record().into_bytes();
    match bytes {
        Ok(bytes) => Ok(bytes.to_vec()),
        Err(error) => Err(CheckpointError::Weights(error.to_string())),
    }
}

/// The network of this shape and size with these weights.
pub fn net_from_bytes(
    shape: Shape,
    settings: &NetworkSettings,
    bytes: &[u8],
    device: &Device,
) -> Result<Net, CheckpointError> {
    let unfit = |error: burn::store::RecordError| CheckpointError::Weights(error.to_string());
    let net = Net::init(shape, settings, 0, device)?;
    let record = ModuleRecord::from_bytes(Bytes::from_bytes_vec(bytes.to_vec())).map_err(unfit)?;
    net.try_load_record(record).map_err(unfit)
}

/// Saves a network as the model folder `dir`, with `card` whose hash and size are filled in.
/// Gives the card as it was written. An existing model is refused, or replaced if asked.
pub fn save(dir: &Path, net: &Net, card: &Card, replace: bool) -> Result<Card, CheckpointError> {
    let model = net_to_bytes(net)?;
    let mut card = card.clone();
    card.hash = blake3::hash(&model).to_hex().to_string();
    card.model_bytes = model.len() as u64;
    card.shape = *net.shape();
    card.network = net.settings().clone();
    let text = card_text(dir, &card)?;
    let (new, card_file, next) = (dir.join(MODEL_FILE), dir.join(CARD_FILE), dir.join(NEXT_FILE));
    if !dir.exists() {
        if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            atomic::create_dir_durable(parent)?;
        }
        atomic::publish_dir(dir, |dir| {
            atomic::write(&dir.join(MODEL_FILE), &model)?;
            atomic::write(&dir.join(CARD_FILE), text.as_bytes())
        })?;
    } else if replace {
        atomic::write(&next, &model)?;
        atomic::write(&card_file, text.as_bytes())?;
        atomic::write(&new, &model)?;
        fs::remove_file(&next).map_err(failed(&next))?;
    } else {
        return Err(CheckpointError::Exists(dir.to_path_buf()));
    }
    Ok(card)
}

fn card_text(dir: &Path, card: &Card) -> Result<String, CheckpointError> {
    toml::to_string(card).map_err(|error| CheckpointError::Card {
        file: dir.join(CARD_FILE),
        message: error.to_string(),
    })
}

/// Puts a new card of the same weights into the model folder `dir`; a reader finds the old one or
/// the new one. An error if another model stands there by now.
pub fn replace_card(dir: &Path, card: &Card) -> Result<(), CheckpointError> {
    if read_card(dir)?.hash != card.hash {
        return Err(CheckpointError::Replaced { dir: dir.to_path_buf() });
    }
    Ok(atomic::write(&dir.join(CARD_FILE), card_text(dir, card)?.as_bytes())?)
}

fn failed(file: &Path) -> impl FnOnce(io::Error) -> CheckpointError + use<> {
    let file = file.to_path_buf();
    move |source| match source.kind() {
        io::ErrorKind::NotFound => CheckpointError::Missing(file),
        _ => CheckpointError::Io { file, source },
    }
}

/// Loads the model folder `dir` onto a device. Whether it fits a game is for [`check_fits`] to say.
pub fn load(dir: &Path, device: &Device) -> Result<(Card, Net), CheckpointError> {
    let card = read_card(dir)?;
    let (card, bytes) = match read_model(dir, &card) {
        Ok(bytes) => (card, bytes),
        Err(error) => {
            // Was the model replaced between reading its card and its weights?
            let again = read_card(dir)?;
            if again.hash == card.hash {
                return Err(error);
            }
            let bytes = read_model(dir, &again)?;
            (again, bytes)
        }
    };
    let net = net_from_bytes(card.shape, &card.network, &bytes, device)?;
    Ok((card, net))
}

/// Reads the card of a model folder alone.
pub fn read_card(dir: &Path) -> Result<Card, CheckpointError> {
    #[derive(serde::Deserialize)]
    struct Version {
        format: u32,
    }
    let file = dir.join(CARD_FILE);
    let text = fs::read_to_string(&file).map_err(failed(&file))?;
    // The format first: a card of another format may well have other keys.
    let unreadable = |error: toml::de::Error| CheckpointError::Card {
        file: file.clone(),
        message: error.to_string(),
    };
    let version: Version = toml::from_str(&text).map_err(unreadable)?;
    if version.format != CARD_FORMAT {
        return Err(CheckpointError::Format { file, found: version.format });
    }
    let card: Card = toml::from_str(&text).map_err(unreadable)?;
    card.search.check().map_err(|wrong| CheckpointError::Card {
        file,
        message: format!("in [search], {wrong}"),
    })?;
    Ok(card)
}

/// The weights that the card names.
fn read_model(dir: &Path, card: &Card) -> Result<Vec<u8>, CheckpointError> {
    let file = dir.join(MODEL_FILE);
    let read = read_checked(&file, card);
    if read.is_err()
        && let Ok(next) = read_checked(&dir.join(NEXT_FILE), card)
    {
        return Ok(next);
    }
    read
}

fn read_checked(file: &Path, card: &Card) -> Result<Vec<u8>, CheckpointError> {
    let bytes = fs::read(file).map_err(failed(file))?;
    if bytes.len() as u64 != card.model_bytes {
        return Err(CheckpointError::Size {
            file: file.to_path_buf(),
            expected: card.model_bytes,
            found: bytes.len() as u64,
        });
    }
    let found = blake3::hash(&bytes).to_hex().to_string();
    if found != card.hash {
        let expected = card.hash.clone();
        return Err(CheckpointError::Hash { file: file.to_path_buf(), expected, found });
    }
    Ok(bytes)
}

/// Refuses weights that learnt to see positions by another version of the game's codec; `made_by` is
/// the program that they came from.
pub fn check_codec<G: Encode>(
    game: &str,
    version: u32,
    made_by: &str,
) -> Result<(), CheckpointError> {
    if version == G::CODEC_VERSION {
        return Ok(());
    }
    let (game, made_by) = (game.to_string(), made_by.to_string());
    let (expected, found) = (G::CODEC_VERSION, version);
    Err(CheckpointError::OtherCodec { game, expected, found, made_by })
}

/// Can this model play this game? Rule options are inputs of the network, so they may differ.
pub fn check_fits<G: Encode>(card: &Card, game: &G) -> Result<(), CheckpointError> {
    if card.game != game.name() {
        return Err(CheckpointError::OtherGame {
            expected: game.name().to_string(),
            found: card.game.clone(),
        });
    }
    check_codec::<G>(&card.game, card.codec_version, &card.made_by)?;
    if card.shape != game.shape() {
        return Err(CheckpointError::OtherShape {
            game: card.game.clone(),
            expected: Box::new(game.shape()),
            found: Box::new(card.shape),
        });
    }
    Ok(())
}
