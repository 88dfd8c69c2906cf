//! What the network is shown: the meaning of each plane and of each global number.
//!
//! | plane | holds |
//! |---|---|
//! | 0–7, 8–15 | own, enemy rat, cat, dog, wolf, leopard, tiger, lion, elephant |
//! | 16 | water |
//! | 17, 18 | own, enemy den |
//! | 19, 20 | own, enemy trap |
//! | 21 | the board (ones) |
//! | 22, 23 | own, enemy animals that a trap weakens |
//! | 24, 25 | own animals that the enemy could take next, enemy animals that can be taken now |
//! | 26, 27 | squares that own, that enemy animals can go to |
//! | 28, 29 | nearness to the enemy, to the own den: 1 / (1 + steps), 0 without a den |
//! | 30, 31 | squares that own, that enemy animals can jump to |

use super::seen;
use crate::game::jungle::{
    DenEntry, ElephantTakesRat, Equal, FAR, JumpBlockers, Jungle, Kind, Limit, NoMove, Position,
    Repetition, Traps, bits,
};

pub(super) const PLANES: usize = 32;
pub(super) const GLOBALS: usize = 51;

const ENEMY: usize = 8;
const WATER: usize = 16;
const DENS: usize = 17;
const TRAPS: usize = 19;
const BOARD: usize = 21;
const WEAKENED: usize = 22;
const ATTACKED: usize = 24;
const REACHED: usize = 26;
const NEARNESS: usize = 28;
const LANDINGS: usize = 30;

/// Writes `[squares][planes]`.
pub(super) fn write_planes(game: &Jungle, position: &Position, planes: &mut [f32]) {
    let (board, actor) = (game.board(), position.turn());
    let mut mark = |set: u64, plane: usize| {
        for square in bits(set) {
            planes[usize::from(seen(game, actor, square)) * PLANES + plane] = 1.0;
        }
    };
    mark(board.water, WATER);
    mark(u64::MAX >> (64 - u32::from(board.squares())), BOARD);
    for (index, side) in [actor, actor.other()].into_iter().enumerate() {
        let enemies = position.squares(side.other());
        let (mut reached, mut landings) = (0, 0);
        for (kind, square) in position.animals(side) {
            mark(1 << square, index * ENEMY + kind.index());
            reached |= game.targets(position, side, square);
            landings |= game.landings(position, side, square);
        }
        mark(board.dens[side.index()], DENS + index);
        mark(board.traps[side.index()], TRAPS + index);
        mark(position.squares(side) & game.weakening(side), WEAKENED + index);
        // What this side can reach of the other is under attack.
        mark(reached & enemies, ATTACKED + 1 - index);
        mark(reached, REACHED + index);
        mark(landings & reached, LANDINGS + index);
    }
    for (index, owner) in [actor.other(), actor].into_iter().enumerate() {
        let distances = game.den_distances(owner);
        for square in (0..board.squares()).filter(|&square| distances[square as usize] != FAR) {
            planes[usize::from(seen(game, actor, square)) * PLANES + NEARNESS + index] =
                1.0 / (1.0 + f32::from(distances[square as usize]));
        }
    }
}

/// Writes the numbers that belong to no square: every rule option that can change a move or a
/// result, the counts towards their limits, the repetitions.
pub(super) fn write_globals(
    game: &Jungle,
    position: &Position,
    repetitions: u32,
    globals: &mut [f32],
) {
    let rules = game.options();
    let mut out = Writer { globals, next: 0 };
    for kind in Kind::ALL {
        out.number(f32::from(game.level(kind)) / 8.0);
    }
    for kind in Kind::ALL {
        out.flag(game.swims(kind));
    }
    out.flag(rules.elephant_takes_rat == ElephantTakesRat::OwnTrap);
    out.flag(rules.elephant_takes_rat == ElephantTakesRat::Never);
    out.flag(rules.elephant_takes_rat == ElephantTakesRat::Always);
    out.flag(rules.water_rat_takes_elephant);
    out.flag(rules.water_rat_takes_land_rat);
    out.flag(rules.land_rat_takes_water_rat);
    for jump in [rules.lion_jump, rules.tiger_jump, rules.leopard_jump] {
        out.flag(jump.along());
        out.flag(jump.across());
    }
    out.flag(rules.jump_blockers == JumpBlockers::AnyRat);
    out.flag(rules.jump_blockers != JumpBlockers::None);
    out.flag(rules.traps == Traps::All);
    out.flag(rules.trapped_takes);
    out.flag(rules.equal == Equal::BothDie);
    out.flag(rules.den_entry == DenEntry::Rat);
    out.flag(rules.capture_all_wins);
    out.flag(rules.no_move == NoMove::Draw);
    out.limit(rules.no_capture_limit, position.no_capture());
    out.limit(rules.max_plies, position.ply());
    out.flag(rules.repetition == Repetition::None);
    out.flag(rules.repetition == Repetition::Draw);
    out.flag(rules.repetition == Repetition::Loss);
    out.flag(rules.repetition == Repetition::Forbidden);
    // Without a repetition rule its count means nothing.
    let repeats = rules.repetition != Repetition::None;
    out.number(if repeats { (rules.repetition_count as f32).sqrt() / 4.0 } else { 0.0 });
    out.flag(repetitions == 1);
    out.flag(repetitions >= 2);
    debug_assert_eq!(out.next, GLOBALS);
}

/// Fills the numbers in their order.
struct Writer<'a> {
    globals: &'a mut [f32],
    next: usize,
}

impl Writer<'_> {
    fn number(&mut self, value: f32) {
        self.globals[self.next] = value;
        self.next += 1;
    }

    fn flag(&mut self, value: bool) {
        self.number(f32::from(u8::from(value)));
    }

    /// Is there a limit; how large it is (a root keeps large ones near and apart); how much of it
    /// is spent; how close the end is, in the last 16 half-moves.
    fn limit(&mut self, limit: Limit, spent: u32) {
        let Some(limit) = limit.0 else {
            self.next += 4;
            return;
        };
        let left = limit.saturating_sub(spent);
        self.flag(true);
        self.number((limit as f32).sqrt() / 16.0);
        self.number(1.0 - left as f32 / limit as f32);
        self.number(1.0 - left.min(16) as f32 / 16.0);
    }
}
