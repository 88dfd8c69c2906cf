//! Retrograde analysis of one signature, given the tables that captures lead to.
//!
//! First every position is looked at once, forwards: dens, captures and the number of other moves.
//! Then, distance by distance, what has just been decided is carried back along un-moves: before a
//! lost position stands a won one; a position is lost when the last of its moves is found to lead
//! to a win of the opponent. What remains is drawn.

use super::code::{Code, HOLE, STUCK, UNKNOWN};
use super::index::{Half, Index, Squares};
use super::material::Signature;
use super::probe::{Tables, beyond};
use super::reach::Reach;
use super::rulebook::Rulebook;
use super::store::Table;
use super::{Exact, MOST_ANIMALS, Value, code};
use crate::game::Side;
use crate::game::jungle::{Equal, Kind, NoMove, bits};
use crate::metrics::Progress;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

/// In `Work::left`: some move holds the draw or better, so the position is never lost.
const NEVER_LOST: u8 = u8::MAX;
/// Entries that a thread takes at a time.
const PORTION: usize = 1 << 13;

/// Why a signature could not be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    #[error("{signature}: the table of {below}, which captures lead to, is missing")]
    Missing { signature: String, below: String },
    #[error("{signature}: some wins take more than {longest} plies, for which tables have no room")]
    TooLong { signature: String, longest: u32 },
}

/// What a capture leads to.
#[derive(Debug)]
enum After {
    /// The same wherever the animals stand, as the opponent sees it.
    Always(Exact),
    /// One side is gone, and the next move ends the game.
    Last,
    /// A position of a smaller table.
    Smaller {
        table: Arc<Table>,
        turned: bool,
        /// The animals that are left, in the order of the smaller table.
        left: Vec<usize>,
    },
}

struct Work<'a> {
    book: &'a Rulebook,
    animals: Vec<(Side, Kind)>,
    /// The animals of each side.
    ranges: [Range<usize>; 2],
    index: Index,
    reach: Reach,
    /// By captor and victim.
    after: Vec<Option<After>>,
    /// By side to move: codes, in part preliminary. A win is final when its distance is reached;
    /// a loss is final when, in addition, no move is left.
    values: [Vec<AtomicU8>; 2],
    /// By side to move: moves, captures left aside, not yet found to lose.
    left: [Vec<AtomicU8>; 2],
}

/// Bytes that solving a signature takes at most: for each entry and side to move a code, a number
/// of moves left and the finished code; the tables that captures lead to; and the sets of moves.
pub fn memory(book: &Rulebook, signature: &Signature) -> u64 {
    let entries = |signature: &Signature| Index::new(book, &signature.animals()).entries() as u64;
    let below: u64 = book.below(signature).iter().map(|below| 2 * entries(below)).sum();
    6 * entries(signature) + below + Reach::bytes(signature.count())
}

/// Solves a canonical signature on so many threads; `below` holds the tables of
/// [`Rulebook::below`].
pub fn solve(
    book: &Rulebook,
    signature: &Signature,
    below: &Tables,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    let animals = signature.animals();
    let first = signature.side(Side::First).len();
    let index = Index::new(book, &animals);
    let entries = index.entries();
    // Small tables are done before a thread is.
    let threads = if entries < 8 * PORTION { 1 } else { threads.max(1) };
    let empty = || (0..entries).map(|_| AtomicU8::new(HOLE)).collect::<Vec<_>>();
    let work = Work {
        after: captures(book, signature, &animals, below)?,
        reach: Reach::new(book.game(), &animals, &book.grounds),
        ranges: [0..first, first..animals.len()],
        values: [empty(), empty()],
        left: [empty(), empty()],
        animals,
        index,
        book,
    };
    let mut horizon = spread(threads, entries, |portion| work.look_forward(portion));
    let code = book.code;
    let mut plies = 0;
    while plies <= horizon {
        if plies >= code.longest() {
            let signature = signature.to_string();
            return Err(SolveError::TooLong { signature, longest: code.longest() });
        }
        let reached = spread(threads, entries, |portion| work.look_back(portion, plies));
        horizon = horizon.max(reached);
        plies += 1;
        progress.note(&format!("{signature}, distance {plies}"));
    }
    let entries = [0, 1].map(|slice| work.finish(slice));
    let Work { index, .. } = work;
    Ok(Table::new(book, signature.clone(), index, entries))
}

/// Does `work` on all portions of `total` entries and gives the greatest result.
fn spread(threads: usize, total: usize, work: impl Fn(Range<usize>) -> u32 + Sync) -> u32 {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut greatest = 0;
        loop {
            let from = next.fetch_add(PORTION, Relaxed);
            if from >= total {
                return greatest;
            }
            greatest = greatest.max(work(from..total.min(from + PORTION)));
        }
    };
    if threads == 1 {
        return run();
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let own = run();
        others.into_iter().fold(own, |greatest, other| match other.join() {
            Ok(result) => greatest.max(result),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// What each capture leads to, by captor and victim.
fn captures(
    book: &Rulebook,
    signature: &Signature,
    animals: &[(Side, Kind)],
    below: &Tables,
) -> Result<Vec<Option<After>>, SolveError> {
    let rules = book.game().options();
    let mut out = Vec::new();
    for (captor, &(side, kind)) in animals.iter().enumerate() {
        for (victim, &(other_side, other_kind)) in animals.iter().enumerate() {
            if side == other_side {
                out.push(None);
                continue;
            }
            let both = rules.equal == Equal::BothDie && kind == other_kind;
            let stays = |index: usize| index != victim && (index != captor || !both);
            let left: Vec<usize> = (0..animals.len()).filter(|&index| stays(index)).collect();
            let of = |side: Side| -> Vec<Kind> {
                let own = left.iter().filter(|&&index| animals[index].0 == side);
                own.map(|&index| animals[index].1).collect()
            };
            let (own, enemy) = (of(side).len(), of(other_side).len());
            let always = |value| After::Always(Exact { value, plies: 0 });
            let after = match (own, enemy) {
                (0, 0) => always(Value::Draw),
                (_, 0) if rules.capture_all_wins || rules.no_move == NoMove::Loss => {
                    always(Value::Loss)
                }
                (_, 0) => always(Value::Draw),
                (0, _) if rules.capture_all_wins => always(Value::Win),
                (0, _) => After::Last,
                _ => {
                    let smaller = Signature::new(of(Side::First), of(Side::Second));
                    let (table, turned) =
                        below.table(&smaller).ok_or_else(|| SolveError::Missing {
                            signature: signature.to_string(),
                            below: book.canonical(&smaller).0.to_string(),
                        })?;
                    let left = table_order(&table, turned, animals, &left);
                    After::Smaller { table, turned, left }
                }
            };
            out.push(Some(after));
        }
    }
    Ok(out)
}

/// The animals `left` in the order of a table.
fn table_order(
    table: &Table,
    turned: bool,
    animals: &[(Side, Kind)],
    left: &[usize],
) -> Vec<usize> {
    let mut rest = left.to_vec();
    let mut order = Vec::new();
    for (side, kind) in table.signature().animals() {
        let side = if turned { side.other() } else { side };
        let place = rest.iter().position(|&index| animals[index] == (side, kind));
        order.extend(place.map(|place| rest.remove(place)));
    }
    order
}

impl Work<'_> {
    /// Looks at positions for the first time; gives the greatest distance met.
    fn look_forward(&self, portion: Range<usize>) -> u32 {
        let mut greatest = 0;
        for at in portion {
            let squares = self.index.squares(at);
            if self.index.is_hole(&squares) {
                continue;
            }
            for side in Side::BOTH {
                let (value, left) = self.judge(side, &squares);
                let plies = self.book.code.read(value).map_or(0, |exact| exact.plies);
                greatest = greatest.max(plies);
                self.values[side.index()][at].store(value, Relaxed);
                self.left[side.index()][at].store(left, Relaxed);
            }
        }
        greatest
    }

    fn occupied(&self, side: Side, squares: &Squares) -> u64 {
        squares[self.ranges[side.index()].clone()].iter().fold(0, |set, &square| set | 1 << square)
    }

    /// What captures and dens say of a position, and the number of its other moves.
    fn judge(&self, side: Side, squares: &Squares) -> (u8, u8) {
        let code = self.book.code;
        let (own, enemy) = (self.occupied(side, squares), self.occupied(side.other(), squares));
        let den = self.book.game().board().dens[side.other().index()];
        let mut quiet = 0;
        let (mut won, mut lost, mut held) = (None::<u32>, None::<u32>, false);
        for mover in self.ranges[side.index()].clone() {
            let targets = self.reach.targets(squares, mover);
            if targets & den != 0 {
                return (code.win(1), NEVER_LOST);
            }
            quiet += (targets & !(own | enemy)).count_ones();
            for to in bits(targets & enemy) {
                let Some(exact) = self.capture(side, squares, mover, to) else { continue };
                match exact.value {
                    Value::Win => won = Some(won.map_or(exact.plies, |won| won.min(exact.plies))),
                    Value::Draw => held = true,
                    Value::Loss => {
                        lost = Some(lost.map_or(exact.plies, |lost| lost.max(exact.plies)));
                    }
                }
            }
        }
        let stuck = quiet == 0 && lost.is_none();
        match (won, held, lost) {
            (Some(plies), ..) => (code.win(plies), NEVER_LOST),
            (None, true, _) => (UNKNOWN, NEVER_LOST),
            (None, false, _) if stuck => match self.book.game().options().no_move {
                NoMove::Loss => (code.loss(0), 0),
                NoMove::Draw => (STUCK, NEVER_LOST),
            },
            (None, false, Some(plies)) => (code.loss(plies), quiet as u8),
            (None, false, None) => (UNKNOWN, quiet as u8),
        }
    }

    /// The value of the capture of the animal on `to`, as the captor sees it before.
    fn capture(&self, side: Side, squares: &Squares, captor: usize, to: u8) -> Option<Exact> {
        let victim =
            self.ranges[side.other().index()].clone().find(|&index| squares[index] == to)?;
        let mut moved = *squares;
        moved[captor] = to;
        let turn = side.other();
        let after = match self.after[captor * self.animals.len() + victim].as_ref()? {
            After::Always(exact) => *exact,
            After::Last => {
                // Both died on `to`, and the captor's side is gone.
                let rest = self.ranges[turn.index()].clone().filter(|&index| index != victim);
                let rest = rest.map(|index| (turn, self.animals[index].1, moved[index]));
                let game = self.book.game();
                beyond(game, &game.assemble(rest, 0, turn.index() as u32))?
            }
            After::Smaller { table, turned, left } => {
                let board = self.book.game().board();
                let mut there = [0; MOST_ANIMALS];
                for (slot, &index) in left.iter().enumerate() {
                    let square = moved[index];
                    there[slot] = if *turned { board.turned(square) } else { square };
                }
                table.read(if *turned { turn.other() } else { turn }, &there)?
            }
        };
        Some(after.before())
    }

    /// Carries back what was decided at this distance; gives the greatest distance reached.
    fn look_back(&self, portion: Range<usize>, plies: u32) -> u32 {
        let code = self.book.code;
        let alternating = code == Code::Alternating;
        let win = (!alternating || plies % 2 == 1).then(|| code.win(plies));
        let loss = (!alternating || plies.is_multiple_of(2)).then(|| code.loss(plies));
        let mut greatest = 0;
        for side in Side::BOTH {
            let (values, left) = (&self.values[side.index()], &self.left[side.index()]);
            for at in portion.clone() {
                let byte = values[at].load(Relaxed);
                let won = Some(byte) == win;
                if won || Some(byte) == loss && left[at].load(Relaxed) == 0 {
                    self.before(side, at, |slice, at| {
                        let reached = if won {
                            self.loses(slice, at, plies + 1)
                        } else {
                            self.wins(slice, at, plies + 1)
                        };
                        greatest = greatest.max(reached);
                    });
                }
            }
        }
        greatest
    }

    /// Calls `visit` for each move without capture that leads to this position: with the side
    /// that made it, and the number of the position before.
    fn before(&self, to_move: Side, at: usize, mut visit: impl FnMut(usize, usize)) {
        let squares = self.index.squares(at);
        let slice = to_move.other().index();
        for mover in self.ranges[slice].clone() {
            let here = squares[mover];
            let base = at - self.index.adds(mover, here);
            for from in bits(self.reach.origins(&squares, mover)) {
                let mirrored = || {
                    let mut earlier = squares;
                    earlier[mover] = from;
                    self.index.mirrored(&earlier)
                };
                if mover > 0 {
                    visit(slice, base + self.index.adds(mover, from));
                    continue;
                }
                // A lead on the middle file has two entries, each with its own moves: the mirror
                // image of a move is followed from the mirror image of its end.
                match (self.index.half(from), self.index.half(here)) {
                    (Half::Left, _) | (Half::Middle, Half::Middle) => {
                        visit(slice, base + self.index.adds(mover, from));
                    }
                    (Half::Middle, _) => {
                        visit(slice, base + self.index.adds(mover, from));
                        visit(slice, mirrored());
                    }
                    (Half::Right, Half::Middle) => {}
                    (Half::Right, _) => visit(slice, mirrored()),
                }
            }
        }
    }

    /// A move leads to a lost position: won in `plies`, unless a quicker win is known. Gives the
    /// distance if it is news.
    fn wins(&self, slice: usize, at: usize, plies: u32) -> u32 {
        let code = self.book.code;
        let value = &self.values[slice][at];
        match code.read(value.load(Relaxed)) {
            Some(Exact { value: Value::Win, plies: known }) if known <= plies => 0,
            _ => {
                value.store(code.win(plies), Relaxed);
                plies
            }
        }
    }

    /// A move leads to a position that the opponent wins: lost if it was the last one. Gives the
    /// distance if it is.
    fn loses(&self, slice: usize, at: usize, plies: u32) -> u32 {
        let code = self.book.code;
        let (value, left) = (&self.values[slice][at], &self.left[slice][at]);
        let known = code.read(value.load(Relaxed));
        let won = known.is_some_and(|known| known.value == Value::Win);
        if won || left.load(Relaxed) == NEVER_LOST || left.fetch_sub(1, Relaxed) > 1 {
            return 0;
        }
        match known {
            // Some capture holds out longer.
            Some(known) if known.plies > plies => {}
            _ => value.store(code.loss(plies), Relaxed),
        }
        plies
    }

    /// The finished entries: what is not decided is drawn.
    fn finish(&self, slice: usize) -> Vec<u8> {
        let code = self.book.code;
        let entries = self.values[slice].iter().zip(&self.left[slice]);
        entries
            .map(|(value, left)| {
                let byte = value.load(Relaxed);
                match code.read(byte).map(|exact| exact.value) {
                    Some(Value::Loss) if left.load(Relaxed) != 0 => code::DRAW,
                    None if byte == UNKNOWN => code::DRAW,
                    _ => byte,
                }
            })
            .collect()
    }
}
