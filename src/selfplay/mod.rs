//! Games that a network plays against itself.
