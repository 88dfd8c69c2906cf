//! The one integration test binary: what the house does as a whole, seen from outside.

#[path = "suite/cases.rs"]
mod cases;
#[path = "suite/kills.rs"]
mod kills;
#[path = "suite/perft.rs"]
mod perft;
