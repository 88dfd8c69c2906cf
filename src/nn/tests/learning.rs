//! New networks, their parameters, and learning on several threads: all by seed, to the bit.

use super::*;
use burn::optim::AdamWConfig;
use burn::tensor::activation::log_softmax;

#[test]
fn a_new_network_is_made_by_its_seed_and_finds_all_alike() {
    let (shape, settings) = shapes().swap_remove(2);
    let device = Device::flex();
    let net = Net::init(shape, &settings, 5, &device).unwrap();
    device.seed(99);
    let same = Net::init(shape, &settings, 5, &device).unwrap();
    let other = Net::init(shape, &settings, 6, &device).unwrap();
    assert_eq!(parameters(&net), parameters(&same));
    assert_ne!(parameters(&net), parameters(&other));
    let (planes, globals) = batch(&shape, 2);
    let answers = Answers::of(net.forward(&planes, &globals));
    assert!(answers.policy.iter().chain(&answers.wdl).all(|&logit| logit == 0.0));
}

fn shard_loss(net: &Net, planes: &[f32], globals: &[f32], share: f32) -> Tensor<1> {
    let outputs = net.forward(planes, globals);
    (log_softmax(outputs.policy, 1).powf_scalar(2.0).mean()
        + log_softmax(outputs.wdl, 1).powf_scalar(2.0).mean()
        + outputs.plies.mean() * 0.01)
        * share
}

#[test]
fn replicas_give_the_gradient_of_the_whole_batch_and_repeat_to_the_bit() {
    let (shape, settings) = shapes().swap_remove(0);
    let net = lively(shape, &settings, &Device::flex().autodiff());
    let (planes, globals) = batch(&shape, 40);
    let run = |replicas: usize| {
        let count = 40 / replicas;
        let (gradients, order) = data_parallel(&net, replicas, |index, net| {
            let planes = &planes[index * count * shape.plane_values()..];
            let globals = &globals[index * count * shape.globals..];
            let loss = shard_loss(
                net,
                &planes[..count * shape.plane_values()],
                &globals[..count * shape.globals],
                1.0 / replicas as f32,
            );
            (loss, index)
        });
        assert_eq!(order, (0..replicas).collect::<Vec<_>>());
        named(&net, &gradients)
    };
    let (one, two) = (run(1), run(2));
    for ((name, one), (_, two)) in one.iter().zip(&two) {
        let most = one.iter().fold(0f32, |most, value| most.max(value.abs()));
        let error = one.iter().zip(two).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error <= 1e-4 * most.max(1e-3), "{name}: {error:e} of {most:e}");
    }
    for _ in 0..3 {
        assert_eq!(run(2), two);
    }
}

#[test]
fn a_network_learns_and_repeats_to_the_bit() {
    let (shape, settings) = shapes().swap_remove(3);
    let train = || {
        let mut net = Net::init(shape, &settings, 5, &Device::flex().autodiff()).unwrap();
        let mut optimizer = AdamWConfig::new().init();
        let (planes, globals) = batch(&shape, 16);
        let mut losses = Vec::new();
        for _ in 0..60 {
            // Win where the first input is large, loss where it is small.
            let (gradients, loss) = data_parallel(&net, 2, |index, net| {
                let planes =
                    &planes[index * 8 * shape.plane_values()..][..8 * shape.plane_values()];
                let globals = &globals[index * 8 * shape.globals..][..8 * shape.globals];
                let target: Vec<f32> = planes
                    .chunks_exact(shape.plane_values())
                    .flat_map(|x| if x[0] > 0.05 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] })
                    .collect();
                let target = Tensor::<1>::from_floats(target.as_slice(), &net.device());
                let chances = log_softmax(net.forward(planes, globals).wdl, 1);
                let loss = (chances * target.reshape([8, 3])).sum() / -16.0;
                (loss.clone(), floats(loss.inner())[0])
            });
            net = optimizer.step(1e-2, net, gradients);
            losses.push(loss.iter().sum::<f32>());
        }
        (losses, parameters(&net.valid()))
    };
    let (losses, weights) = train();
    assert!((losses[0] - 3f32.ln()).abs() < 1e-3, "{losses:?}");
    assert!(losses[59] < 0.1, "{losses:?}");
    assert_eq!(train(), (losses, weights));
}
