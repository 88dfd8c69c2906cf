//! The map of the house. Rooms stand in the order of allowed imports: a room may use those
//! above it in this list, never one below.

#![deny(unsafe_code)]

#[macro_use]
pub mod settings;
pub mod rng;
pub mod memory;
pub mod disk;
pub mod metrics;
pub mod game;
pub mod codec;
pub mod endgame;
pub mod search;
pub mod record;
pub mod run;
pub mod nn;
pub mod selfplay;
pub mod replay;
pub mod learn;
pub mod arena;
pub mod train;
pub mod bench;
pub mod ui;
pub mod config;
pub mod cmd;
