//! The window of games that the learner samples from, and its samples.

mod sampler;
mod window;

pub use sampler::{Batch, ILLEGAL, SamplePlan, batch};
pub use window::{ReplaySettings, Window};
