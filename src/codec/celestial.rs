//! How a network sees celestial.
