//! What the measurements are fed: positions of seeded random play, and networks whose every
//! weight matters.

use super::{BenchError, Size};
use crate::codec::Encode;
use crate::game::Line;
use crate::nn::{Net, cpu, flat};
use crate::rng::stream;
use crate::selfplay::random_plies;
use rand_distr::{Distribution, Normal};

/// Names every random choice of this room.
pub const SEED: u64 = 1;
/// The longest random play before a position.
const MOST_PLIES: usize = 60;
/// Standard deviation of what is added to the weights of a new network.
const NOISE: f32 = 0.02;

/// `count` games after 0, 1, 2, … random plies, at most [`MOST_PLIES`], then from 0 again. None
/// has ended.
pub fn lines<G: Encode>(game: &G, count: usize) -> Vec<Line<G>> {
    let plies = |index: usize| (index % (MOST_PLIES + 1)) as u32;
    (0..count)
        .map(|index| random_plies(game, plies(index), &mut stream(SEED, "bench", index as u64)).0)
        .collect()
}

/// Encoded positions: `[positions][squares][planes]` and `[positions][globals]`.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub planes: Vec<f32>,
    pub globals: Vec<f32>,
}

/// Encodes the present positions of games.
pub fn encode<G: Encode>(game: &G, lines: &[Line<G>]) -> Encoded {
    let shape = game.shape();
    let mut planes = vec![0.0; lines.len() * shape.plane_values()];
    let mut globals = vec![0.0; lines.len() * shape.globals];
    for (index, line) in lines.iter().enumerate() {
        game.encode(
            line.position(),
            line.repetitions(),
            &mut planes[index * shape.plane_values()..][..shape.plane_values()],
            &mut globals[index * shape.globals..][..shape.globals],
        );
    }
    Encoded { planes, globals }
}

/// A new network of this size. The layers that start at zero, so that a new network holds
/// everything for equally likely, get a little noise as all others do: its answers tell something.
pub fn network<G: Encode>(game: &G, size: Size) -> Result<Net, BenchError> {
    let net = Net::init(game.shape(), &size.settings(), SEED, &cpu())?;
    let mut values = flat::read(&net);
    let mut stream = stream(SEED, "bench-network", 0);
    if let Ok(noise) = Normal::new(0.0f32, NOISE) {
        for value in &mut values {
            *value += noise.sample(&mut stream);
        }
    }
    Ok(flat::write(net, &values))
}
