//! The learner: batches in, better weights out. It knows nothing of games being played.

mod adamw;
pub mod flat;
mod loss;
mod schedule;
mod state;
mod trainer;

pub use adamw::{OptimiserSettings, Stepped, Weights};
pub use loss::LossSettings;
pub use schedule::{ScheduleSettings, factor};
pub use state::{State, StateError};
pub use trainer::{LearnSettings, Losses, Trainer};
