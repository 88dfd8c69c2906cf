//! The window of games that the learner samples from.
