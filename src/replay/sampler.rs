//! Samples of the window as arrays for the learner. Sample number i of a run is a function of the
//! seed, i and the window: whoever builds it, and when, does not matter.

use super::window::{ReplaySettings, Window};
use crate::codec::{Encode, Shape};
use crate::game::{Line, Notation, Side};
use crate::record::{End, Replayed, Searched};
use crate::rng::{self, Stream};
use ndarray::{Array1, Array2};
use rand::RngExt;

/// A batch for the learner; B samples. Values are seen by the actor.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// `[B, squares × planes]`
    pub planes: Array2<f32>,
    /// `[B, globals]`
    pub globals: Array2<f32>,
    /// `[B, codes]`: the policy target; each row sums to 1.
    pub policy: Array2<f32>,
    /// `[B, codes]`: 0 for legal codes, a large negative number for the others.
    pub mask: Array2<f32>,
    /// `[B, 3]`: target chances of win, draw, loss.
    pub wdl: Array2<f32>,
    /// `[B]`: plies until the end of the game.
    pub plies: Array1<f32>,
    /// `[B]`: 1 where `plies` is known, else 0.
    pub plies_known: Array1<f32>,
    /// `[B]`: points of the actor minus the opponent's at the end.
    pub margin: Array1<f32>,
    /// `[B]`: 1 where `margin` is known, else 0.
    pub margin_known: Array1<f32>,
}

/// Added to the logit of an illegal code.
pub const ILLEGAL: f32 = -1e9;

impl Batch {
    fn zeros(size: usize, shape: &Shape) -> Self {
        Self {
            planes: Array2::zeros((size, shape.plane_values())),
            globals: Array2::zeros((size, shape.globals)),
            policy: Array2::zeros((size, shape.codes())),
            mask: Array2::from_elem((size, shape.codes()), ILLEGAL),
            wdl: Array2::zeros((size, 3)),
            plies: Array1::zeros(size),
            plies_known: Array1::zeros(size),
            margin: Array1::zeros(size),
            margin_known: Array1::zeros(size),
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.plies.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How samples are made of positions.
#[derive(Clone, Copy, Debug)]
pub struct SamplePlan {
    /// The run's seed.
    pub seed: u64,
    /// Share of the game's result in the value target; the rest is the search's root value.
    pub result_share: f32,
}

/// Which position a sample shows, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Drawn {
    /// The sample's number in the run.
    pub sample: u64,
    /// The game's number, and the plies before the position.
    pub game: u64,
    pub ply: u32,
    /// Number of the symmetry by which it is turned.
    pub symmetry: usize,
}

/// Samples `from..from + size` of the run, drawn evenly from the window, which must hold a
/// position.
pub fn batch<G: Encode + Notation>(
    game: &G,
    window: &Window<G>,
    settings: &ReplaySettings,
    plan: &SamplePlan,
    from: u64,
    size: usize,
) -> Batch {
    let mut batch = Batch::zeros(size, &game.shape());
    for row in 0..size {
        let (replayed, which, symmetry) = draw(game, window, settings, plan, from + row as u64);
        fill(game, &mut batch, row, replayed, which, symmetry, plan.result_share);
    }
    batch
}

/// What [`batch`] of the same arguments shows.
pub fn names<G: Encode + Notation>(
    game: &G,
    window: &Window<G>,
    settings: &ReplaySettings,
    plan: &SamplePlan,
    from: u64,
    size: usize,
) -> Vec<Drawn> {
    let name = |sample| {
        let (replayed, which, symmetry) = draw(game, window, settings, plan, sample);
        let ply = replayed.searched[which].ply;
        Drawn { sample, game: replayed.index, ply, symmetry }
    };
    (from..from + size as u64).map(name).collect()
}

/// Positions of the games held out, at most `most` and evenly spread over them, in batches of at
/// most `size`.
pub fn held_out<G: Encode + Notation>(
    game: &G,
    window: &Window<G>,
    plan: &SamplePlan,
    most: usize,
    size: usize,
) -> Vec<Batch> {
    let positions: Vec<(&Replayed<G>, usize)> = window
        .held_out()
        .flat_map(|game| (0..game.searched.len()).map(move |which| (game, which)))
        .collect();
    let count = positions.len().min(most);
    let spread = |number: usize| positions[number * positions.len() / count];
    let numbers: Vec<usize> = (0..count).collect();
    let batches = numbers.chunks(size.max(1)).map(|numbers| {
        let mut batch = Batch::zeros(numbers.len(), &game.shape());
        for (row, &number) in numbers.iter().enumerate() {
            let (replayed, which) = spread(number);
            fill(game, &mut batch, row, replayed, which, 0, plan.result_share);
        }
        batch
    });
    batches.collect()
}

/// Sample number `sample`: its game, which of the game's searched positions, and its symmetry.
fn draw<'a, G: Encode + Notation>(
    game: &G,
    window: &'a Window<G>,
    settings: &ReplaySettings,
    plan: &SamplePlan,
    sample: u64,
) -> (&'a Replayed<G>, usize, usize) {
    let mut stream = rng::stream(plan.seed, "replay", sample);
    let (replayed, which) = window.at(stream.random_range(0..window.positions()));
    (replayed, which, draw_symmetry(game, settings, &mut stream))
}

fn draw_symmetry<G: Encode + Notation>(
    game: &G,
    settings: &ReplaySettings,
    stream: &mut Stream,
) -> usize {
    if settings.symmetries { stream.random_range(0..game.symmetries()) } else { 0 }
}

/// Writes one position of a game into a row.
fn fill<G: Encode + Notation>(
    game: &G,
    batch: &mut Batch,
    row: usize,
    replayed: &Replayed<G>,
    which: usize,
    symmetry: usize,
    result_share: f32,
) {
    let searched = &replayed.searched[which];
    let line = line_at(game, replayed, searched.ply);
    let actor = line.turn();
    let position = game.transform(line.position(), symmetry);
    let planes = batch.planes.row_mut(row).into_slice().expect("rows are contiguous");
    let globals = batch.globals.row_mut(row).into_slice().expect("rows are contiguous");
    game.encode(&position, line.repetitions(), planes, globals);

    let legal = line.legal();
    let code = |index: usize| game.code(&position, game.transform_action(legal[index], symmetry));
    for index in 0..legal.len() {
        batch.mask[[row, code(index)]] = 0.0;
    }
    let total = crate::record::WHOLE as f32;
    for &(index, share) in &searched.target {
        batch.policy[[row, code(usize::from(index))]] = f32::from(share) / total;
    }
    let wdl = value_target(searched, &replayed.end, actor, result_share);
    for (column, chance) in wdl.into_iter().enumerate() {
        batch.wdl[[row, column]] = chance;
    }
    if let End::Finished { .. } = replayed.end {
        batch.plies[row] = (replayed.actions.len() as u32 - searched.ply) as f32;
        batch.plies_known[row] = 1.0;
    }
    if let Some(margin) = replayed.end.margin() {
        let margin = f32::from(margin);
        batch.margin[row] = if actor == Side::First { margin } else { -margin };
        batch.margin_known[row] = 1.0;
    }
}

/// The game as it stood after `ply` actions.
fn line_at<G: Encode + Notation>(game: &G, replayed: &Replayed<G>, ply: u32) -> Line<G> {
    let mut line = replayed.line(game);
    for &action in &replayed.actions[..ply as usize] {
        line.play(action);
    }
    line
}

/// Chances of win, draw and loss for `actor`: the result mixed with the root value. A proven value
/// stands alone, as it does in an unfinished game, which has no result.
fn value_target(searched: &Searched, end: &End, actor: Side, result_share: f32) -> [f32; 3] {
    let root = searched.root.pov(actor);
    let (share, end) = match end.wdl() {
        Some(result) if searched.visits > 0 => (result_share, result.pov(actor)),
        _ => (0.0, root),
    };
    let mix = |end: f32, root: f32| share * end + (1.0 - share) * root;
    [mix(end.win, root.win), mix(end.draw, root.draw), mix(end.loss, root.loss)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Wdl;

    #[test]
    fn a_proven_value_and_an_unfinished_game_take_no_part_of_the_result() {
        let root = Wdl { first: 1.0, draw: 0.0, second: 0.0 };
        let searched =
            |visits| Searched { ply: 0, visits, full: true, target: vec![], root, raw: root };
        let drawn = End::Finished { winner: None, margin: 0, reason: String::from("count") };
        let target = |visits, end| value_target(&searched(visits), end, Side::Second, 0.75);
        assert_eq!(target(8, &drawn), [0.0, 0.75, 0.25]);
        assert_eq!(target(0, &drawn), [0.0, 0.0, 1.0]);
        assert_eq!(target(8, &End::Cut), [0.0, 0.0, 1.0]);
    }
}
