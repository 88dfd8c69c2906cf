//! Who plays better: players, paired games, ratings.
//!
//! Never imports burn: a network comes in as an [`crate::search::evaluator::Evaluator`].

pub mod evaluation;
