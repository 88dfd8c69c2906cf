//! How a network sees jungle.
