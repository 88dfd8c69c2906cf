//! Exact knowledge of endgames: tables by retrograde analysis, and probing them.

pub mod celestial;
