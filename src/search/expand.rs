//! How a tree grows: new nodes, their legal actions, and ends of the game just ahead. Values and
//! visits are not touched here.

use super::evaluator::Leaf;
use super::node::{Edge, NONE, Node, ROOT};
use super::proven::Proof;
use super::tree::{Place, Tree, Waiting};
use crate::game::{Game, History};

impl<G: Game> Tree<G> {
    /// Plays the action of `edge` at `node` and adds the node it leads to. History stands at
    /// `node` before and at the new node after.
    pub(super) fn follow(&mut self, node: u32, edge: usize) -> u32 {
        let parent = &self.places[node as usize];
        let mut position = parent.position.clone();
        let parent_most = parent.most_repeated;
        self.game.play(&mut position, self.edges[edge].action);
        let occurrence = self.game.occurrence(&position);
        self.history.push(occurrence);
        let most_repeated = match occurrence {
            None => parent_most,
            Some(occurrence) if occurrence.fresh => 1,
            Some(_) if self.game.forbidden_occurrence().is_some() => {
                parent_most.max(self.history.repetitions() + 1)
            }
            Some(_) => 0,
        };
        let (proof, hint) = self.known(&position);
        let child = self.add(node, Place { position, occurrence, most_repeated }, proof);
        if let Some(hint) = hint {
            self.hints.insert(child, hint);
        }
        self.edges[edge].child = child;
        child
    }

    pub(super) fn add(
        &mut self,
        parent: u32,
        place: Place<G::Position>,
        proof: Option<Proof>,
    ) -> u32 {
        let edges = self.edges.len() as u32;
        let node = self.nodes.len() as u32;
        let turn = self.game.turn(&place.position);
        self.nodes.push(Node::new(turn, parent, proof, edges));
        self.places.push(place);
        node
    }

    /// Gives a node its edges and asks for its evaluation. `false`, and proven, if none is needed.
    /// History stands at the node.
    pub(super) fn expand(&mut self, node: u32, leaves: &mut Vec<Leaf<G>>) -> bool {
        let place = &self.places[node as usize];
        self.game.actions(&place.position, &mut self.actions);
        // The filter is dear, and idle until some position is one short of the limit.
        let filter = self
            .game
            .forbidden_occurrence()
            .is_some_and(|limit| limit <= 2 || place.most_repeated + 1 >= limit);
        let edges_from = self.edges.len();
        let slots_from = self.slots.len();
        for (slot, &action) in self.actions.iter().enumerate() {
            if filter && self.history.forbids(&self.game, &place.position, action) {
                continue;
            }
            self.edges.push(Edge { action, child: NONE, logit: 0.0, prior: 0.0 });
            self.slots.push(slot as u32);
        }
        let edges_to = self.edges.len();
        self.nodes[node as usize].edges_from = edges_from as u32;
        self.nodes[node as usize].edges_to = edges_to as u32;
        if edges_from == edges_to {
            // The rules gave no result and no action: nobody has won.
            self.nodes[node as usize].proof = Some(Proof { winner: None, plies: 0 });
            return false;
        }
        if node == ROOT || self.look_everywhere {
            self.look_ahead(node);
            if node != ROOT && self.node(node).proof.is_some() {
                self.slots.truncate(slots_from);
                return false;
            }
        }
        let place = &self.places[node as usize];
        leaves.push(Leaf {
            position: place.position.clone(),
            repetitions: place.occurrence.map_or(0, |_| self.history.repetitions()),
            actions: self.actions.clone(),
        });
        self.waiting.push(Waiting { node, slots_from, actions: self.actions.len() });
        true
    }

    /// Adds the children of a node at which the game has ended, or the oracle is certain. History
    /// stands at the node.
    fn look_ahead(&mut self, node: u32) {
        let turn = self.node(node).turn;
        let mut position = self.places[node as usize].position.clone();
        for edge in self.edges_of(node) {
            let mark = self.history.mark();
            position.clone_from(&self.places[node as usize].position);
            self.game.play(&mut position, self.edges[edge].action);
            self.history.push(self.game.occurrence(&position));
            let (proof, _) = self.known(&position);
            self.history.rewind(mark);
            if let Some(proof) = proof {
                self.follow(node, edge);
                self.history.rewind(mark);
                // No win is quicker.
                if proof == (Proof { winner: Some(turn), plies: 0 }) {
                    break;
                }
            }
        }
        self.nodes[node as usize].proof = self.combined(node);
    }
}

/// How often the most frequent counted occurrence has happened.
pub(super) fn most_repeated(history: &History) -> u32 {
    let mut keys: Vec<u64> = history.counted().iter().map(|occurrence| occurrence.key).collect();
    keys.sort_unstable();
    keys.chunk_by(|left, right| left == right).map(<[u64]>::len).max().unwrap_or(0) as u32
}
