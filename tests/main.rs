//! The one integration test binary: what the house does as a whole, seen from outside.

#[path = "suite/architecture.rs"]
mod architecture;
#[path = "suite/bench.rs"]
mod bench;
#[path = "suite/cases.rs"]
mod cases;
#[path = "suite/checks.rs"]
mod checks;
#[path = "suite/contract.rs"]
mod contract;
#[path = "suite/duels.rs"]
mod duels;
#[path = "suite/full_disk.rs"]
mod full_disk;
#[path = "suite/kills.rs"]
mod kills;
#[path = "suite/models.rs"]
mod models;
#[path = "suite/perft.rs"]
mod perft;
#[path = "suite/trainer.rs"]
mod trainer;
#[path = "suite/rules.rs"]
mod rules;
#[path = "suite/program.rs"]
mod program;
#[path = "suite/run.rs"]
mod run;
#[path = "suite/sessions.rs"]
mod sessions;
#[path = "suite/settings.rs"]
mod settings;
#[path = "suite/shipped.rs"]
mod shipped;
#[path = "suite/strangers.rs"]
mod strangers;
#[path = "suite/truth.rs"]
mod truth;
#[path = "suite/yardstick.rs"]
mod yardstick;
