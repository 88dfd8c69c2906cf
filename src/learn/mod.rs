//! The learner: batches in, better weights out. It knows nothing of games being played.

mod adamw;
mod guard;
mod loss;
mod pace;
mod schedule;
mod state;
mod trainer;

pub use adamw::{OptimiserSettings, Stepped, Weights};
pub use guard::{Fault, Guard};
pub use loss::LossSettings;
pub use pace::{Budget, Done, Pace, Span, Spent};
pub use schedule::{ScheduleSettings, decays, factor};
pub use state::{Origin, State, StateError};
pub use trainer::{LearnSettings, Losses, Trainer};
