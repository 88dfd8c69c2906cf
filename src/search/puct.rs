//! PUCT: the rule of AlphaZero, with first-play urgency and, when exploring, a softened and noisy
//! prior at the root.

use super::formulas::{
    first_play_urgency, puct_exploration, puct_score, softmax, with_virtual_loss,
};
use super::node::ROOT;
use super::noise::{dirichlet, shaped_concentrations};
use super::settings::SearchSettings;
use super::simulate::{Rule, Simulator};
use super::standing::most_visited;
use super::tree::Tree;
use super::{Plan, Proven};
use crate::game::Game;
use crate::rng;

/// A search by PUCT.
pub type Puct<G> = Simulator<G, PuctRule>;

/// PUCT's constants; see [`SearchSettings`].
#[derive(Clone, Debug)]
pub struct PuctRule {
    cpuct: f32,
    cpuct_base: f32,
    fpu_reduction: f32,
    root_policy_temperature: f32,
    dirichlet_total: f32,
    dirichlet_shaped: bool,
    noise_fraction: f32,
}

impl Rule for PuctRule {
    fn new(settings: &SearchSettings) -> Self {
        Self {
            cpuct: settings.cpuct as f32,
            cpuct_base: settings.cpuct_base as f32,
            fpu_reduction: settings.fpu_reduction as f32,
            root_policy_temperature: settings.root_policy_temperature as f32,
            dirichlet_total: settings.dirichlet_total as f32,
            dirichlet_shaped: settings.dirichlet_shaped,
            noise_fraction: settings.noise_fraction as f32,
        }
    }

    fn prepare<G: Game>(&mut self, tree: &mut Tree<G>, plan: &Plan) {
        if !plan.explore {
            return;
        }
        let edges = tree.edges_of(ROOT);
        let temperature = self.root_policy_temperature;
        let logits: Vec<f32> =
            edges.clone().map(|edge| tree.edge(edge).logit / temperature).collect();
        let mut priors = Vec::new();
        softmax(&logits, &mut priors);
        let mut concentrations = Vec::new();
        if self.dirichlet_shaped {
            shaped_concentrations(&priors, self.dirichlet_total, &mut concentrations);
        } else {
            concentrations.resize(priors.len(), self.dirichlet_total / priors.len() as f32);
        }
        let mut noise = Vec::new();
        dirichlet(&mut rng::stream(plan.seed, "search", 0), &concentrations, &mut noise);
        for ((edge, prior), noise) in edges.zip(priors).zip(noise) {
            let share = self.noise_fraction;
            tree.set_prior(edge, (1.0 - share) * prior + share * noise);
        }
    }

    fn choose<G: Game>(&mut self, tree: &Tree<G>, node: u32) -> usize {
        let parent = tree.node(node);
        let exploration = puct_exploration(self.cpuct, self.cpuct_base, parent.begun());
        let visited: f32 = tree
            .children(node)
            .filter(|(_, _, child)| child.is_some_and(|child| child.begun() > 0))
            .map(|(_, edge, _)| edge.prior)
            .sum();
        let parent_value = parent.wdl().map_or(0.0, |wdl| tree.worth(wdl, parent.turn));
        let urgency = first_play_urgency(parent_value, self.fpu_reduction, visited);
        let mut best = (f32::NEG_INFINITY, tree.edges_of(node).start);
        for (index, edge, child) in tree.children(node) {
            let (value, visits) = match child {
                None => (urgency, 0),
                Some(child) => match child.proof.map(|proof| proof.pov(parent.turn)) {
                    // A lost action is worth no visit while others stand.
                    Some(Proven::Loss) => continue,
                    _ => {
                        let value = tree.liking(parent, child).unwrap_or(urgency);
                        let value = with_virtual_loss(value, child.visits, child.pending);
                        (value, child.begun())
                    }
                },
            };
            let score = puct_score(value, edge.prior, exploration, visits);
            if score > best.0 {
                best = (score, index);
            }
        }
        best.1
    }

    /// The visits' distribution; without visits the prior.
    fn target<G: Game>(&self, tree: &Tree<G>, admissible: &[bool], out: &mut Vec<f32>) {
        let standing_visits: u32 = tree
            .children(ROOT)
            .zip(admissible)
            .map(|((_, _, child), &stands)| child.map_or(0, |c| u32::from(stands) * c.visits))
            .sum();
        out.clear();
        out.extend(tree.children(ROOT).zip(admissible).map(|((_, edge, child), &stands)| {
            match (stands, standing_visits) {
                (false, _) => 0.0,
                (true, 0) => edge.logit.exp(),
                (true, _) => child.map_or(0.0, |child| child.visits as f32),
            }
        }));
        let sum: f32 = out.iter().sum();
        for share in out {
            *share /= sum;
        }
    }

    /// The most visited action, then the better value, then the likelier.
    fn best<G: Game>(&self, tree: &Tree<G>, admissible: &[bool]) -> usize {
        most_visited(tree, ROOT, admissible)
    }
}
