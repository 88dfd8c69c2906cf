//! BURN, here and in `learn/` only: the network, its kernels, inference, checkpoints.
//!
//! [`Net`] is the burn module that learns; [`Engine`] computes the same on a CPU without burn;
//! [`NetworkEvaluator`] lets a search ask it. This room knows no rules and no run.

pub mod board_conv;
mod card;
mod checkpoint;
mod device;
mod engine;
mod evaluator;
pub mod flat;
mod heads;
mod layers;
mod net;
mod replicas;
mod settings;
mod weights;

pub use card::{CARD_FORMAT, Card, TAUGHT_BY_TABLES, TrainingFacts};
pub use checkpoint::{
    CARD_FILE, CheckpointError, MODEL_FILE, check_codec, check_fits, load, net_from_bytes,
    net_to_bytes, read_card, replace_card, save,
};
pub use device::{DeviceError, DeviceWord, check_processor, cpu};
pub use engine::{Engine, Predictions};
pub use evaluator::{Counters, NetworkEvaluator, OtherShape};
pub use net::{MARGIN_SCALE, Net, Outputs, PLIES_SCALE};
pub use replicas::data_parallel;
pub use settings::{NetError, NetworkSettings, check as check_size, weight_count};
pub use weights::EngineWeights;

#[cfg(test)]
mod tests;
