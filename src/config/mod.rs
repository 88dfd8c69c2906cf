//! The rooms' settings composed into one file, loaded with errors that name key and line.
//!
//! A key is declared in the room that uses it, and nowhere else: this room only composes, loads
//! and describes.

pub mod compose;
mod document;
pub mod game;
pub mod load;
pub mod problem;
pub mod text;

pub use compose::{Compose, Config, Section};
pub use game::GameSettings;
pub use load::{Loaded, Sources, load};
pub use problem::{ConfigError, Origin, Problem};
pub use text::{describe, to_toml};
