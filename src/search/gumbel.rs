//! The search of Danihelka et al. 2022, "Policy improvement by planning with Gumbel": sequential
//! halving over sampled actions at the root, and below it the deterministic choice that makes the
//! visits follow the improved policy.

use super::formulas::{considered_visits, mixed_value, sigma, softmax};
use super::node::{Node, ROOT};
use super::noise::gumbels;
use super::settings::SearchSettings;
use super::simulate::{Rule, Simulator};
use super::tree::Tree;
use super::{Plan, Proven};
use crate::game::Game;
use crate::rng;

/// A search by sequential halving.
pub type Gumbel<G> = Simulator<G, GumbelRule>;

/// The constants (see [`SearchSettings`]), and what is drawn for one search.
#[derive(Clone, Debug)]
pub struct GumbelRule {
    considered_actions: u32,
    c_visit: f32,
    c_scale: f32,
    /// A Gumbel sample for each root action; all 0 without exploration.
    noise: Vec<f32>,
    /// For each simulation the visits of the root action that it follows.
    schedule: Vec<u32>,
    /// The actions of a node that have a value or visits: reused memory.
    seen: Vec<Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    edge: usize,
    prior: f32,
    value: Option<f32>,
    begun: u32,
}

/// What a node's visited actions say about those not visited.
#[derive(Clone, Copy, Debug)]
struct Mixed {
    /// v_mix in the actor's view.
    value: f32,
    /// The most visits of an action, waiting ones included.
    most_visits: u32,
}

fn is_lost(parent: &Node, child: &Node) -> bool {
    child.proof.is_some_and(|proof| proof.pov(parent.turn) == Proven::Loss)
}

fn is_proven(child: Option<&Node>) -> bool {
    child.is_some_and(|child| child.proof.is_some())
}

fn mix<G: Game>(tree: &Tree<G>, node: u32) -> Mixed {
    let parent = tree.node(node);
    let (mut visits, mut most_visits, mut prior, mut weighted) = (0, 0, 0.0, 0.0);
    for (_, edge, child) in tree.children(node) {
        let Some(child) = child else { continue };
        most_visits = most_visits.max(child.begun());
        // Lost actions are not played, so they say nothing about the others.
        if is_lost(parent, child) {
            continue;
        }
        if let Some(value) = tree.liking(parent, child) {
            visits += child.visits;
            prior += edge.prior;
            weighted += edge.prior * value;
        }
    }
    let raw = tree.worth(parent.raw, parent.turn);
    Mixed { value: mixed_value(raw, visits, prior, weighted), most_visits }
}

impl GumbelRule {
    fn sigma(&self, value: f32, most_visits: u32) -> f32 {
        sigma(value, most_visits, self.c_visit, self.c_scale)
    }

    /// logit + σ(completed Q) of a root action.
    fn improved<G: Game>(&self, tree: &Tree<G>, edge: usize, mixed: Mixed) -> f32 {
        let root = tree.root();
        let edge = tree.edge(edge);
        let value = tree.child(edge).and_then(|child| tree.liking(root, child));
        edge.logit + self.sigma(value.unwrap_or(mixed.value), mixed.most_visits)
    }

    fn choose_at_root<G: Game>(&self, tree: &Tree<G>) -> usize {
        let mixed = mix(tree, ROOT);
        let begun = tree.simulations() as usize;
        let wanted = self.schedule.get(begun).or(self.schedule.last()).copied().unwrap_or(0);
        let mut best = None;
        for ((index, _, child), noise) in tree.children(ROOT).zip(&self.noise) {
            // A visit would tell nothing new. The root is not proven, so others stand.
            if is_proven(child) {
                continue;
            }
            let visits = child.map_or(0, Node::begun);
            // Where proven actions have left a gap in the schedule, the next best takes their
            // place: first of those with fewer visits.
            let fits = if visits <= wanted {
                (true, i64::from(visits))
            } else {
                (false, -i64::from(visits))
            };
            let key = (fits, noise + self.improved(tree, index, mixed));
            if best.is_none_or(|(best, _)| key > best) {
                best = Some((key, index));
            }
        }
        best.map_or(tree.edges_of(ROOT).start, |(_, index)| index)
    }

    /// argmax of π'(a) − N(a) / (1 + ΣN). As π'(a) ∝ π(a)·exp(σ(q(a)) − σ(v_mix)), and the
    /// exponent is 0 for actions without a value, only the others need an exponential.
    fn choose_below<G: Game>(&mut self, tree: &Tree<G>, node: u32) -> usize {
        let parent = tree.node(node);
        self.seen.clear();
        let (mut begun, mut visits, mut most_visits) = (0, 0, 0);
        let (mut prior, mut weighted, mut unseen_prior) = (0.0, 0.0, 0.0);
        let mut unseen = (f32::NEG_INFINITY, tree.edges_of(node).start);
        for (index, edge, child) in tree.children(node) {
            let Some(child) = child else {
                unseen_prior += edge.prior;
                if edge.prior > unseen.0 {
                    unseen = (edge.prior, index);
                }
                continue;
            };
            begun += child.begun();
            most_visits = most_visits.max(child.begun());
            if is_lost(parent, child) {
                continue;
            }
            let value = tree.liking(parent, child);
            if let Some(value) = value {
                visits += child.visits;
                prior += edge.prior;
                weighted += edge.prior * value;
            }
            let begun = child.begun();
            self.seen.push(Seen { edge: index, prior: edge.prior, value, begun });
        }
        if self.seen.is_empty() {
            return unseen.1;
        }
        let raw = tree.worth(parent.raw, parent.turn);
        let base = self.sigma(mixed_value(raw, visits, prior, weighted), most_visits);
        let lift = |seen: &Seen| match seen.value {
            Some(value) => self.sigma(value, most_visits) - base,
            None => 0.0,
        };
        let highest = self.seen.iter().map(lift).fold(0.0, f32::max);
        let unseen_factor = (-highest).exp();
        let weight = |seen: &Seen| seen.prior * (lift(seen) - highest).exp();
        let sum = unseen_prior * unseen_factor + self.seen.iter().map(weight).sum::<f32>();
        // Without an action unseen: no score, rather than −∞ · 0.
        let mut best = match unseen {
            (prior, edge) if prior > f32::NEG_INFINITY => (prior * unseen_factor / sum, edge),
            none => none,
        };
        for seen in &self.seen {
            let score = weight(seen) / sum - seen.begun as f32 / (1.0 + begun as f32);
            if score > best.0 || (score == best.0 && seen.edge < best.1) {
                best = (score, seen.edge);
            }
        }
        best.1
    }
}

impl Rule for GumbelRule {
    fn new(settings: &SearchSettings) -> Self {
        Self {
            considered_actions: settings.considered_actions,
            c_visit: settings.c_visit as f32,
            c_scale: settings.c_scale as f32,
            noise: Vec::new(),
            schedule: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn prepare<G: Game>(&mut self, tree: &mut Tree<G>, plan: &Plan) {
        let count = tree.edges_of(ROOT).len();
        if plan.explore {
            gumbels(&mut rng::stream(plan.seed, "search", 0), count, &mut self.noise);
        } else {
            self.noise.clear();
            self.noise.resize(count, 0.0);
        }
        let open = tree.children(ROOT).filter(|(_, _, child)| !is_proven(*child)).count();
        let considered = self.considered_actions.min(open as u32).min(plan.visits);
        considered_visits(considered, plan.visits, &mut self.schedule);
    }

    fn choose<G: Game>(&mut self, tree: &Tree<G>, node: u32) -> usize {
        if node == ROOT { self.choose_at_root(tree) } else { self.choose_below(tree, node) }
    }

    /// The improved policy, softmax(logits + σ(completed Q)).
    fn target<G: Game>(&self, tree: &Tree<G>, admissible: &[bool], out: &mut Vec<f32>) {
        let mixed = mix(tree, ROOT);
        let scores: Vec<f32> = tree
            .edges_of(ROOT)
            .zip(admissible)
            .map(
                |(edge, &stands)| {
                    if stands { self.improved(tree, edge, mixed) } else { f32::NEG_INFINITY }
                },
            )
            .collect();
        softmax(&scores, out);
    }

    /// The survivor of the halving: the best by noise + logit + σ(Q) of the most visited actions
    /// and of those whose value is proven.
    fn best<G: Game>(&self, tree: &Tree<G>, admissible: &[bool]) -> usize {
        let mixed = mix(tree, ROOT);
        let open = tree
            .children(ROOT)
            .zip(admissible)
            .filter(|((_, _, child), stands)| **stands && !is_proven(*child));
        let most_visits =
            open.map(|((_, _, child), _)| child.map_or(0, |child| child.visits)).max().unwrap_or(0);
        let mut best = 0;
        let mut best_key = None;
        for (place, (index, _, child)) in tree.children(ROOT).enumerate() {
            if !admissible[place] {
                continue;
            }
            let noise = self.noise.get(place).copied().unwrap_or(0.0);
            let visits =
                if is_proven(child) { most_visits } else { child.map_or(0, |child| child.visits) };
            let key = (visits, noise + self.improved(tree, index, mixed));
            if best_key.is_none_or(|best| key > best) {
                best_key = Some(key);
                best = place;
            }
        }
        best
    }
}
