//! Replaying case files against the engine.
