//! The rules of celestial.
