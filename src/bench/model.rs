//! A new network as a model folder, with some positions and its answers to them: for comparing
//! other programs that compute the same network.

use super::inputs::{encode, lines, network};
use super::{BenchError, Size};
use crate::codec::Encode;
use crate::disk::atomic;
use crate::nn::{Card, Engine, EngineWeights, Predictions, save};
use crate::search::SearchSettings;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The positions and answers in the folder.
pub const SAMPLE_FILE: &str = "sample.json";
/// How many of them.
const POSITIONS: usize = 16;

/// Positions as the network sees them, and its engine's answers, each flat.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// Positions, squares, planes.
    pub planes_shape: [usize; 3],
    pub planes: Vec<f32>,
    /// `[positions][globals]`
    pub globals: Vec<f32>,
    /// `[positions][codes]`, unnormalised log-probabilities.
    pub logits: Vec<f32>,
    /// `[positions][win, draw, loss]`, unnormalised log-probabilities.
    pub wdl: Vec<f32>,
    /// `[positions]`
    pub plies: Vec<f32>,
    /// `[positions]`; 0 where the game has no points.
    pub margin: Vec<f32>,
}

/// Writes model and sample into the folder `dir`; an existing model is refused, or replaced if
/// asked.
pub fn write<G: Encode>(game: &G, size: Size, dir: &Path, replace: bool) -> Result<(), BenchError> {
    let net = network(game, size)?;
    let mut card = Card::new(game, &size.settings(), &SearchSettings::default());
    card.note = String::from("a new network with noise on every weight, made by `bench network`");
    save(dir, &net, &card, replace)?;
    let sample = sample(game, EngineWeights::new(&net));
    let text = serde_json::to_string(&sample).map_err(BenchError::Json)?;
    Ok(atomic::write(&dir.join(SAMPLE_FILE), text.as_bytes())?)
}

fn sample<G: Encode>(game: &G, weights: EngineWeights) -> Sample {
    let shape = game.shape();
    let input = encode(game, &lines(game, POSITIONS));
    let mut found = Predictions::default();
    Engine::new(Arc::new(weights)).evaluate(&input.planes, &input.globals, &mut found);
    Sample {
        planes_shape: [POSITIONS, shape.squares(), shape.planes],
        planes: input.planes,
        globals: input.globals,
        logits: found.logits,
        wdl: found.wdl.concat(),
        plies: found.plies,
        margin: found.margin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::shengxiao::Shengxiao;
    use crate::nn::{cpu, load};

    #[test]
    fn the_folder_is_a_model_and_its_answers_tell_positions_apart() {
        let game = Shengxiao::new(Default::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("model");
        let size = Size { blocks: 1, channels: 8 };
        write(&game, size, &dir, false).unwrap();
        let (card, net) = load(&dir, &cpu()).unwrap();
        assert_eq!((card.game.as_str(), card.network), ("shengxiao", size.settings()));
        let text = std::fs::read_to_string(dir.join(SAMPLE_FILE)).unwrap();
        let sample = self::sample(&game, EngineWeights::new(&net));
        assert_eq!(text, serde_json::to_string(&sample).unwrap());
        assert_eq!(sample.planes.len(), sample.planes_shape.iter().product::<usize>());
        assert_eq!(sample.logits.len(), POSITIONS * game.shape().codes());
        assert_ne!(sample.wdl[..3], sample.wdl[3..6]);
        assert!(sample.logits.iter().any(|&logit| logit.abs() > 1e-3));
        let error = write(&game, size, &dir, false).unwrap_err().to_string();
        assert!(error.contains("exists already"), "{error}");
        write(&game, size, &dir, true).unwrap();
    }
}
