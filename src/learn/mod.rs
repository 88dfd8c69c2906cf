//! The learner: batches in, better weights out.
