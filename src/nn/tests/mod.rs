//! The network as a whole. Here stand the networks, the batches and the toy game that the tests share.

mod agreement;
mod evaluator;
mod learning;
mod model_folder;
mod parameters;

use super::flat::floats;
use super::*;
use crate::codec::{Encode, Shape};
use crate::game::{ActionList, Game, History, Occurrence, Outcome, Side};
use crate::rng::stream;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use parameters::{parameters, set_parameters};
use rand_distr::{Distribution, StandardNormal};

/// Jungle, Celestial Checkers and Shengxiao, as large as they come, and a board of odd sizes.
fn shapes() -> Vec<(Shape, NetworkSettings)> {
    let jungle = Shape {
        width: 7,
        height: 9,
        planes: 28,
        globals: 12,
        policy_planes: 4,
        extra_codes: 0,
        margin: false,
    };
    let celestial = Shape {
        width: 8,
        height: 8,
        planes: 40,
        globals: 3,
        policy_planes: 20,
        extra_codes: 144,
        margin: false,
    };
    let shengxiao = Shape {
        width: 6,
        height: 10,
        planes: 33,
        globals: 0,
        policy_planes: 12,
        extra_codes: 40,
        margin: true,
    };
    let odd = Shape { width: 5, height: 3, planes: 3, globals: 1, policy_planes: 1, ..shengxiao };
    let settings = NetworkSettings::default();
    vec![
        (jungle, settings.clone()),
        (celestial, NetworkSettings { blocks: 2, channels: 48, pool_every: 1, ..settings.clone() }),
        (shengxiao, NetworkSettings { blocks: 4, channels: 24, pool_every: 0, ..settings.clone() }),
        (
            odd,
            NetworkSettings {
                blocks: 1,
                channels: 8,
                policy_channels: 5,
                value_channels: 3,
                value_hidden: 17,
                ..settings
            },
        ),
    ]
}

/// A network whose last layers are not zero.
fn lively(shape: Shape, settings: &NetworkSettings, device: &Device) -> Net {
    let net = Net::init(shape, settings, 3, device).unwrap();
    let mut stream = stream(3, "lively", 0);
    let mut values = parameters(&net);
    for (name, values) in &mut values {
        let zero = values.iter().all(|&value| value == 0.0);
        for value in values.iter_mut().filter(|_| zero) {
            let draw: f32 = StandardNormal.sample(&mut stream);
            *value = draw * if name.ends_with("bias") { 0.3 } else { 0.05 };
        }
    }
    set_parameters(net, &values)
}

/// Sparse ones, as codecs write them, and some other numbers.
fn batch(shape: &Shape, positions: usize) -> (Vec<f32>, Vec<f32>) {
    let mut stream = stream(4, "batch", positions as u64);
    let mut draw = |count: usize| -> Vec<f32> {
        let normal = || StandardNormal.sample(&mut stream);
        let draws: Vec<f32> = std::iter::repeat_with(normal).take(count).collect();
        draws
            .into_iter()
            .map(|value| if value > 1.5 { 1.0 } else { (value * 0.1).max(0.0) })
            .collect()
    };
    (draw(positions * shape.plane_values()), draw(positions * shape.globals))
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f32::max)
}

struct Answers {
    policy: Vec<f32>,
    wdl: Vec<f32>,
    plies: Vec<f32>,
    margin: Vec<f32>,
}

impl Answers {
    fn of(outputs: Outputs) -> Self {
        Self {
            policy: floats(outputs.policy),
            wdl: floats(outputs.wdl),
            plies: floats(outputs.plies),
            margin: outputs.margin.map(floats).unwrap_or_default(),
        }
    }

    fn assert_close(&self, other: &Self, what: &str) {
        let pairs = [
            ("policy", &self.policy, &other.policy),
            ("wdl", &self.wdl, &other.wdl),
            ("plies", &self.plies, &other.plies),
            ("margin", &self.margin, &other.margin),
        ];
        for (head, a, b) in pairs {
            let error = largest_difference(a, b);
            assert!(error < 1e-4, "{what}: {head} differs by {error:e}");
        }
    }
}

fn gradients(net: &Net, loss: Tensor<1>) -> Vec<(String, Vec<f32>)> {
    named(net, &GradientsParams::from_grads(loss.backward(), net))
}

/// Gradients in the order of the parameters.
fn named(net: &Net, gradients: &GradientsParams) -> Vec<(String, Vec<f32>)> {
    struct Names<'a>(&'a GradientsParams, Vec<Vec<f32>>);
    impl ModuleVisitor for Names<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.1.push(self.0.get::<D>(param.id).map(floats).unwrap());
        }
    }
    let mut names = Names(gradients, Vec::new());
    net.visit(&mut names);
    parameters(net).into_iter().map(|(name, _)| name).zip(names.1).collect()
}

/// A board of 3 × 4 squares with a marker that walks to the right.
#[derive(Clone, Debug)]
struct Walk;

impl Game for Walk {
    type Position = u8;
    type Action = u8;
    fn name(&self) -> &'static str {
        "walk"
    }
    fn rules(&self) -> serde_json::Value {
        serde_json::json!({"steps": [1, 2], "wall": false})
    }
    fn start(&self) -> u8 {
        0
    }
    fn turn(&self, position: &u8) -> Side {
        Side::BOTH[*position as usize % 2]
    }
    fn actions(&self, position: &u8, out: &mut ActionList<u8>) {
        out.clear();
        out.extend((1..=3).filter(|step| position + step < 12));
    }
    fn play(&self, position: &mut u8, action: u8) {
        *position += action;
    }
    fn occurrence(&self, _: &u8) -> Option<Occurrence> {
        None
    }
    fn outcome(&self, position: &u8, _: &History) -> Option<Outcome> {
        (*position == 11).then(|| Outcome::draw("the walk is over"))
    }
}

impl Encode for Walk {
    const CODEC_VERSION: u32 = 1;
    fn shape(&self) -> Shape {
        Shape {
            width: 3,
            height: 4,
            planes: 2,
            globals: 1,
            policy_planes: 1,
            extra_codes: 3,
            margin: true,
        }
    }
    fn encode(&self, position: &u8, repetitions: u32, planes: &mut [f32], globals: &mut [f32]) {
        planes[*position as usize * 2] = 1.0;
        globals[0] = repetitions as f32;
    }
    fn code(&self, _: &u8, action: u8) -> usize {
        11 + action as usize
    }
}

fn walker() -> Net {
    let settings = NetworkSettings { blocks: 1, channels: 8, ..NetworkSettings::default() };
    lively(Walk.shape(), &settings, &Device::flex())
}
