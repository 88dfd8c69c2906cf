//! The fixed static evaluation of celestial.
