//! The one integration test binary: what the house does as a whole, seen from outside.

#[path = "suite/architecture.rs"]
mod architecture;
#[path = "suite/cases.rs"]
mod cases;
#[path = "suite/contract.rs"]
mod contract;
#[path = "suite/kills.rs"]
mod kills;
#[path = "suite/perft.rs"]
mod perft;
#[path = "suite/trainer.rs"]
mod trainer;
