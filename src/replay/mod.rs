//! The window of games that the learner samples from, and its samples.

mod reserved;
mod sampler;
mod window;

pub use reserved::forget_reserved;
pub use sampler::{Batch, Drawn, ILLEGAL, SamplePlan, batch, held_out, names};
pub use window::{ReplaySettings, Window};
