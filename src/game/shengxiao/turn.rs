//! The course of a turn: who may act, what an action brings about, pulls, the chain, and how marks
//! pass from one turn to the next.

use super::Shengxiao;
use super::action::{Action, Deed};
use super::board::{Animal, Animals, Phase, Position, Win};
use super::geometry::{Direction, OFF, bit, squares};
use super::skills::Step;
use crate::game::{ActionList, Side};

/// All animals of a side.
const EVERYBODY: Animals = (1 << 12) - 1;

impl Shengxiao {
    /// The acting side's animals that may walk or use their skill now; none while the hare pulls.
    #[inline]
    pub(crate) fn actors(&self, position: &Position) -> Animals {
        let side = position.side;
        let free = EVERYBODY & !(position.held[side.index()] | position.bitten[side.index()]);
        match position.phase {
            Phase::Start => free,
            Phase::Chain => free & self.chained(position),
            Phase::Pulls | Phase::Over { .. } => 0,
        }
    }

    /// The acting side's animals that a displaced rooster calls: beside it, and not yet displaced.
    pub(super) fn chained(&self, position: &Position) -> Animals {
        let side = position.side;
        let moved = position.moved[side.index()];
        let rooster = position.square(side, Animal::Rooster);
        if rooster == OFF || moved & Animal::Rooster.flag() == 0 {
            return 0;
        }
        let near = self.geometry.beside[usize::from(rooster)] & position.stands[side.index()];
        if near == 0 { 0 } else { position.animals_on(side, near) & !moved }
    }

    /// Have these animals of the acting side a walk or a skill?
    pub(super) fn can_act(&self, position: &Position, actors: Animals) -> bool {
        let walks = |animal: Animal| {
            actors & animal.flag() != 0 && self.walks(position, position.side, animal) != 0
        };
        Animal::ALL.into_iter().any(walks) || self.visit_skills(position, actors, &mut |_, _| true)
    }

    /// Adds the legal actions, sorted, wins and the count left aside.
    pub(super) fn generate(&self, position: &Position, out: &mut ActionList<Action>) {
        if let Phase::Over { .. } = position.phase {
            return;
        }
        if position.phase == Phase::Pulls {
            for toward in Direction::ALL {
                if self.pull(position, toward).is_ok() {
                    out.push(Deed::Pull { toward }.into());
                }
            }
        } else {
            let actors = self.actors(position);
            for animal in Animal::ALL {
                if actors & animal.flag() != 0 {
                    for to in squares(self.walks(position, position.side, animal)) {
                        out.push(Deed::Walk { animal, to }.into());
                    }
                }
            }
            self.visit_skills(position, actors, &mut |deed, _| {
                out.push(deed.into());
                false
            });
        }
        if position.phase != Phase::Start {
            out.push(Deed::End.into());
        }
    }

    /// Plays a legal action.
    pub(super) fn perform(&self, position: &mut Position, action: Action) {
        let side = position.side;
        let pair = match action.deed() {
            Deed::Walk { animal, to } => {
                return self.settle(position, &[Step { side, animal, to }]);
            }
            Deed::Push { toward, gap } => self.push(position, toward, gap),
            Deed::Swap { toward } => {
                let steps = self.swap(position, toward);
                position.swapped |= matches!(steps,
                    Ok([Step { side: whose, animal: Animal::Dragon, .. }, _]) if whose != side);
                steps
            }
            Deed::Bite { toward } => {
                let steps = self.bite(position, toward);
                if let Ok([bitten, _]) = steps {
                    position.bit = true;
                    if bitten.side != side {
                        position.bitten[bitten.side.index()] |= bitten.animal.flag();
                    }
                }
                steps
            }
            Deed::Shift { east, files, exchange } => self.shift(position, east, files, exchange),
            Deed::Pull { toward } => {
                let step = self.pull(position, toward);
                debug_assert!(step.is_ok(), "an illegal pull was played: {step:?}");
                if let Ok(step) = step {
                    if step.side != side {
                        position.held[step.side.index()] |= step.animal.flag();
                    }
                    self.settle(position, &[step]);
                }
                return;
            }
            Deed::End => {
                return match position.phase {
                    Phase::Pulls => self.advance(position, false),
                    _ => end_turn(position),
                };
            }
        };
        debug_assert!(pair.is_ok(), "an illegal skill was played: {:?}, {pair:?}", action.deed());
        if let Ok(steps) = pair {
            self.settle(position, &steps);
        }
    }

    /// Moves animals, takes off what is encircled, looks for a win, and goes on with the turn.
    fn settle(&self, position: &mut Position, steps: &[Step]) {
        let win = self.displace(position, steps);
        if let Some((winner, win)) = win {
            position.phase = Phase::Over { winner, win };
            return;
        }
        let hare = |step: &Step| step.side == position.side && step.animal == Animal::Hare;
        // In the phase of pulls, each action is a pull.
        let pulling = position.phase == Phase::Pulls || steps.iter().any(hare);
        self.advance(position, pulling);
    }

    /// Moves animals and takes off what is encircled. The win that this brings, if any.
    #[inline]
    pub(crate) fn displace(&self, position: &mut Position, steps: &[Step]) -> Option<(Side, Win)> {
        for step in steps {
            position.lift(step.side, step.animal);
        }
        for step in steps {
            position.put(step.side, step.animal, step.to);
            position.moved[step.side.index()] |= step.animal.flag();
        }
        self.encircle(position);
        self.win(position, steps)
    }

    /// The wins in the order of the rules, after the acting side has displaced these animals.
    fn win(&self, position: &Position, steps: &[Step]) -> Option<(Side, Win)> {
        let (acting, other) = (position.side, position.side.other());
        let rats = [acting, other].map(|side| position.place(side, Animal::Rat));
        if rats[1] == 0 {
            return Some((acting, Win::Encircled));
        }
        if rats[0] == 0 {
            return Some((other, Win::Encircled));
        }
        if rats[0] & self.geometry.goal[acting.index()] != 0 {
            return Some((acting, Win::Goal));
        }
        if rats[1] & self.geometry.goal[other.index()] != 0 {
            return Some((other, Win::Goal));
        }
        let near = self.geometry.spread(rats[1]);
        let caught = steps.iter().any(|step| {
            if step.side == acting {
                position.place(acting, step.animal) & near != 0
            } else {
                step.animal == Animal::Rat && position.stands[acting.index()] & near != 0
            }
        });
        caught.then_some((acting, Win::Caught))
    }

    /// Can the acting side's hare pull anybody?
    pub(super) fn can_pull(&self, position: &Position) -> bool {
        Direction::ALL.into_iter().any(|toward| self.pull(position, toward).is_ok())
    }

    /// Goes on to the pulls (if the hare may pull), else to the chain, else to the next turn.
    fn advance(&self, position: &mut Position, pulling: bool) {
        if pulling && self.can_pull(position) {
            position.phase = Phase::Pulls;
            return;
        }
        if position.moved[position.side.index()] & Animal::Rooster.flag() != 0 {
            position.phase = Phase::Chain;
            let actors = self.actors(position);
            if actors != 0 && self.can_act(position, actors) {
                return;
            }
        }
        end_turn(position);
    }

    /// Would `side`, were it to act at once and without any marks, win by one walk or skill that
    /// brings an animal beside the enemy rat? (By an earlier one of the wins does not count.)
    pub(crate) fn threatens(&self, position: &Position, side: Side) -> bool {
        let board = position.unmarked(side);
        let rat = board.square(side.other(), Animal::Rat);
        if rat == OFF {
            return false;
        }
        let near = self.geometry.beside[usize::from(rat)];
        let catches = |steps: &[Step]| {
            matches!(self.displace(&mut board.clone(), steps), Some((_, Win::Caught)))
        };
        // Without a step to a square beside the rat, or of the rat itself, nobody can be caught.
        let close = |step: &Step| {
            if step.side == side { bit(step.to) & near != 0 } else { step.animal == Animal::Rat }
        };
        Animal::ALL.into_iter().any(|animal| {
            squares(self.walks(&board, side, animal) & near)
                .any(|to| catches(&[Step { side, animal, to }]))
        }) || self.visit_skills(&board, EVERYBODY, &mut |_, steps| {
            steps.iter().any(close) && catches(&steps)
        })
    }
}

/// The turn passes to the other side: the acting side's marks end, what was done becomes a ban.
fn end_turn(position: &mut Position) {
    let side = position.side;
    position.held[side.index()] = 0;
    position.bitten[side.index()] = 0;
    position.bite_ban[side.index()] = position.bit;
    position.swap_ban = position.swapped;
    position.quiet = if position.encircled { 0 } else { position.quiet.saturating_add(1) };
    position.moved = [0; 2];
    position.bit = false;
    position.swapped = false;
    position.encircled = false;
    position.side = side.other();
    position.phase = Phase::Start;
}
