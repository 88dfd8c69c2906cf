//! What is measured: a position with the truth about it.

use super::band_name;
use crate::endgame::{Exact, Value};
use crate::game::Game;

/// A position with the truth about it.
#[derive(Clone, Debug)]
pub struct Sample<G: Game> {
    pub position: G::Position,
    pub exact: Exact,
    /// The actions that keep the result.
    pub keeping: Vec<G::Action>,
    /// How many actions there are.
    pub actions: usize,
    /// Groups of its own, beside those of all samples: place in the table, and name.
    pub groups: Vec<(u8, String)>,
}

impl<G: Game> Sample<G> {
    /// Does an action keep the result?
    pub fn keeps(&self, action: G::Action) -> bool {
        self.keeping.contains(&action)
    }

    /// The groups in which the sample counts: their place in the table, and their names.
    pub(super) fn counted_in(&self) -> Vec<(u8, String)> {
        let Exact { value, plies } = self.exact;
        let mut groups = vec![(0, String::from("all")), (2, String::from(value.word()))];
        if value != Value::Draw && plies > 0 {
            groups.push((3, band_name(plies)));
        }
        groups.extend(self.groups.iter().cloned());
        groups
    }
}
