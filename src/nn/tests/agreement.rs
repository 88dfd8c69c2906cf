//! Three ways to compute one network agree: board operations, burn's convolution, the engine.

use super::*;
use crate::nn::board_conv::Instructions;
use burn::tensor::activation::log_softmax;
use std::sync::Arc;

#[test]
fn board_operations_agree_with_burns_convolution() {
    for (shape, settings) in shapes() {
        let net = lively(shape, &settings, &Device::flex());
        let (planes, globals) = batch(&shape, 7);
        let own = Answers::of(net.forward(&planes, &globals));
        let burns = Answers::of(net.forward_with_convolutions(&planes, &globals));
        assert_eq!(own.policy.len(), 7 * shape.codes());
        assert!(own.policy.iter().any(|&logit| logit.abs() > 0.01), "the network is dead");
        own.assert_close(&burns, &format!("{shape:?}"));
    }
}

#[test]
fn gradients_agree_with_those_through_burns_convolution() {
    let (shape, settings) = shapes().swap_remove(1);
    let net = lively(shape, &settings, &Device::flex().autodiff());
    let (planes, globals) = batch(&shape, 5);
    let loss = |outputs: Outputs| {
        log_softmax(outputs.policy, 1).powf_scalar(2.0).mean()
            + log_softmax(outputs.wdl, 1).powf_scalar(2.0).mean()
            + outputs.plies.mean() * 0.01
    };
    let own = gradients(&net, loss(net.forward(&planes, &globals)));
    let burns = gradients(&net, loss(net.forward_with_convolutions(&planes, &globals)));
    assert_eq!(own.len(), parameters(&net).len());
    for ((name, own), (_, burns)) in own.iter().zip(&burns) {
        let most = burns.iter().fold(0f32, |most, value| most.max(value.abs()));
        let error = own.iter().zip(burns).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error <= 1e-4 * most.max(1e-3), "{name}: {error:e} of {most:e}");
    }
}

#[test]
fn engine_agrees_with_burn() {
    for (shape, settings) in shapes() {
        let net = lively(shape, &settings, &Device::flex());
        let (planes, globals) = batch(&shape, 9);
        let burns = Answers::of(net.forward(&planes, &globals));
        let weights = Arc::new(EngineWeights::new(&net));
        for instructions in Instructions::available() {
            let mut engine = Engine::with_instructions(weights.clone(), instructions);
            let mut found = Predictions::default();
            engine.evaluate(&planes, &globals, &mut found);
            let answers = Answers {
                policy: found.logits,
                wdl: found.wdl.concat(),
                plies: found.plies,
                margin: if shape.margin { found.margin } else { Vec::new() },
            };
            answers.assert_close(&burns, &format!("{} {shape:?}", instructions.name()));
        }
    }
}

#[test]
fn an_answer_is_the_same_to_the_bit_in_any_batch() {
    for (shape, settings) in shapes() {
        let net = lively(shape, &settings, &Device::flex());
        let (planes, globals) = batch(&shape, 11);
        let weights = Arc::new(EngineWeights::new(&net));
        for instructions in Instructions::available() {
            let mut engine = Engine::with_instructions(weights.clone(), instructions);
            let (mut all, mut one) = (Predictions::default(), Predictions::default());
            engine.evaluate(&planes, &globals, &mut all);
            for index in (0..11).rev() {
                let planes = &planes[index * shape.plane_values()..][..shape.plane_values()];
                let globals = &globals[index * shape.globals..][..shape.globals];
                engine.evaluate(planes, globals, &mut one);
                assert_eq!(one.logits, all.logits[index * shape.codes()..][..shape.codes()]);
                assert_eq!(one.wdl, all.wdl[index..][..1]);
                assert_eq!(one.plies, all.plies[index..][..1]);
                assert_eq!(one.margin, all.margin[index..][..1]);
            }
        }
    }
}
