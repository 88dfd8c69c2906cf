//! What a tree keeps of a position and of its actions. Knows no game.

use super::Wdl;
use super::proven::Proof;
use crate::game::Side;

/// The node of the root position.
pub const ROOT: u32 = 0;
/// No node: the parent of the root, the child of an action not yet followed.
pub const NONE: u32 = u32::MAX;

/// An action of a node.
#[derive(Clone, Copy, Debug)]
pub struct Edge<A> {
    pub action: A,
    /// The node after the action, or [`NONE`].
    pub child: u32,
    /// Log-probability less that of the likeliest action, from -60 to 0.
    pub logit: f32,
    /// What the search takes as the action's probability (at the root perhaps with noise).
    pub prior: f32,
}

/// What has been seen at and below a position.
#[derive(Clone, Debug)]
pub struct Node {
    pub turn: Side,
    pub parent: u32,
    pub proof: Option<Proof>,
    /// Simulations that came through here and are backed up, the node's own evaluation included.
    pub visits: u32,
    /// Simulations below that wait for their evaluation.
    pub pending: u32,
    /// The evaluator's opinion of the position.
    pub raw: Wdl,
    pub evaluated: bool,
    pub edges_from: u32,
    pub edges_to: u32,
    sums: Sums,
}

/// Sums over a node's visits; double precision, so that millions of visits add up.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    first: f64,
    draw: f64,
    second: f64,
    plies: f64,
}

impl Node {
    /// A node without edges and visits.
    pub fn new(turn: Side, parent: u32, proof: Option<Proof>, edges: u32) -> Self {
        Self {
            turn,
            parent,
            proof,
            visits: 0,
            pending: 0,
            raw: proof.map_or(Wdl::default(), Proof::wdl),
            evaluated: false,
            edges_from: edges,
            edges_to: edges,
            sums: Sums::default(),
        }
    }

    /// Adds a visit that ended with this result, so many plies away.
    pub fn add(&mut self, value: Wdl, plies: f32) {
        self.visits += 1;
        self.sums.first += f64::from(value.first);
        self.sums.draw += f64::from(value.draw);
        self.sums.second += f64::from(value.second);
        self.sums.plies += f64::from(plies);
    }

    /// The proven or the mean result; `None` without visits.
    pub fn wdl(&self) -> Option<Wdl> {
        if let Some(proof) = self.proof {
            return Some(proof.wdl());
        }
        let visits = f64::from(self.visits);
        (self.visits > 0).then(|| Wdl {
            first: (self.sums.first / visits) as f32,
            draw: (self.sums.draw / visits) as f32,
            second: (self.sums.second / visits) as f32,
        })
    }

    /// Visits begun: done and waiting.
    pub fn begun(&self) -> u32 {
        self.visits + self.pending
    }

    /// The mean of the plies left until the end, guessed or proven.
    pub fn mean_plies(&self) -> f32 {
        (self.sums.plies / f64::from(self.visits.max(1))) as f32
    }
}
