//! A search's questions and the network's answers.

use super::*;
use crate::search::evaluator::{Evaluation, Evaluator, Leaf};
use std::sync::Arc;

#[test]
fn evaluator_picks_the_logits_of_a_leafs_actions() {
    let net = walker();
    let weights = Arc::new(EngineWeights::new(&net));
    let mut evaluator = NetworkEvaluator::new(Walk, weights).unwrap();
    let leaves: Vec<Leaf<Walk>> = [(0, 0, vec![1, 2, 3]), (9, 1, vec![2, 1])]
        .map(|(position, repetitions, actions)| Leaf { position, repetitions, actions })
        .into();
    let mut found = vec![Evaluation::default(); 5];
    evaluator.evaluate(&leaves, &mut found).unwrap();
    assert_eq!(found.len(), 2);

    let shape = Walk.shape();
    let (mut planes, mut globals) = (vec![0.0; 2 * shape.plane_values()], vec![0.0; 2]);
    planes[0] = 1.0;
    planes[shape.plane_values() + 18] = 1.0;
    globals[1] = 1.0;
    let burns = Answers::of(net.forward(&planes, &globals));
    assert!(largest_difference(&found[0].logits, &burns.policy[12..15]) < 1e-4);
    let second = &burns.policy[15..];
    assert!(largest_difference(&found[1].logits, &[second[13], second[12]]) < 1e-4);
    assert!(largest_difference(&[found[1].plies_left], &burns.plies[1..]) < 1e-4);
    assert!(largest_difference(&[found[1].margin], &burns.margin[1..]) < 1e-4);
    let value = found[0].value;
    assert!((value.win + value.draw + value.loss - 1.0).abs() < 1e-6);
    assert!((value.win / value.loss - (burns.wdl[0] - burns.wdl[2]).exp()).abs() < 1e-3);

    let counters = evaluator.counters();
    assert_eq!((counters.evaluations, counters.batches), (2, 1));
    assert!(counters.forward_ns > 0);
    evaluator.evaluate(&[], &mut found).unwrap();
    assert!(found.is_empty());
}

#[test]
fn evaluator_refuses_a_network_of_another_game() {
    let (shape, settings) = shapes().swap_remove(0);
    let net = Net::init(shape, &settings, 1, &Device::flex()).unwrap();
    let error = NetworkEvaluator::new(Walk, Arc::new(EngineWeights::new(&net))).unwrap_err();
    assert!(error.to_string().contains("walk needs"), "{error}");
}

#[test]
fn a_diverged_network_is_an_error_not_a_move() {
    let net = walker();
    let mut values = parameters(&net);
    for (name, values) in &mut values {
        if name.ends_with("wdl.bias") {
            values[1] = f32::NAN;
        }
    }
    let net = set_parameters(net, &values);
    let mut evaluator = NetworkEvaluator::new(Walk, Arc::new(EngineWeights::new(&net))).unwrap();
    let leaf = Leaf { position: 0, repetitions: 0, actions: vec![1] };
    let error = evaluator.evaluate(&[leaf], &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("not numbers"), "{error}");
}
