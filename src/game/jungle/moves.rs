//! Where animals may go: tables that hold the chosen options, so that no option is asked about
//! while moves are made. Knows neither counts nor history.

use super::animal::Kind;
use super::board::{Board, Direction};
use super::position::{Abilities, Position};
use super::rules::{DenEntry, ElephantTakesRat, Equal, JumpBlockers, Rules, RulesError, Traps};
use crate::game::Side;

/// A jump: the water crossed and the square of landing (one bit; none if there is no such jump).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leap {
    pub crossed: u64,
    pub landing: u64,
}

/// The rules of movement and capture, ready for use.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub board: Board,
    pub levels: [u8; 8],
    pub swims: [bool; 8],
    pub abilities: Abilities,
    pub both_die: bool,
    /// Squares a step leads to, captures left aside: by side, kind, square.
    steps: Box<[[[u64; 64]; 8]; 2]>,
    /// Jumps by side, kind, square, direction.
    leaps: Box<[[[[Leap; 4]; 64]; 8]; 2]>,
    /// Squares from which some jump leads.
    shore: u64,
    /// All ones where own, and where enemy, swimmers block a jump.
    own_blocks: u64,
    enemy_blocks: u64,
    /// Whom a kind may take, as a set of kinds: by case (see [`case`]) and kind.
    takes: [[u8; 8]; 8],
    /// Squares on which an animal of the side is weakened.
    pub weakening: [u64; 2],
    /// Squares from which an animal of the side may not capture.
    pub gagged: [u64; 2],
    /// For the set-wise count: land, squares with a neighbour to the left and to the
    /// right, squares of no den, squares next to the enemy den.
    land: u64,
    has_left: u64,
    has_right: u64,
    no_den: u64,
    before_den: [u64; 2],
}

/// Where a capture takes place, as an index of `Tables::takes`.
#[inline]
fn case(from_water: bool, to_water: bool, weakened: bool) -> usize {
    from_water as usize | (to_water as usize) << 1 | (weakened as usize) << 2
}

/// May `attacker` take `victim`? The one place that knows the options of capture.
fn takes(
    rules: &Rules,
    levels: &[u8; 8],
    attacker: Kind,
    victim: Kind,
    (from_water, to_water, weakened): (bool, bool, bool),
) -> bool {
    use Kind::{Elephant, Rat};
    match (from_water, to_water) {
        (true, false) => match (attacker, victim) {
            (Rat, Elephant) => rules.water_rat_takes_elephant,
            (Rat, Rat) => rules.water_rat_takes_land_rat,
            _ => false,
        },
        (false, true) => (attacker, victim) == (Rat, Rat) && rules.land_rat_takes_water_rat,
        _ => match (attacker, victim) {
            (Elephant, Rat) => match rules.elephant_takes_rat {
                ElephantTakesRat::Never => false,
                ElephantTakesRat::OwnTrap => weakened,
                ElephantTakesRat::Always => true,
            },
            (Rat, Elephant) => true,
            _ => weakened || levels[attacker.index()] >= levels[victim.index()],
        },
    }
}

impl Tables {
    /// Prepares the options; errors name the option.
    pub fn new(rules: &Rules) -> Result<Tables, RulesError> {
        let board = rules.read_board()?;
        let levels = rules.levels()?;
        let swims = rules.swimming()?;
        let all = u64::MAX >> (64 - u32::from(board.squares()));
        let mut takes_by_case = [[0u8; 8]; 8];
        for (index, kinds) in takes_by_case.iter_mut().enumerate() {
            let place = (index & 1 != 0, index & 2 != 0, index & 4 != 0);
            for attacker in Kind::ALL {
                for victim in Kind::ALL {
                    let taken = takes(rules, &levels, attacker, victim, place);
                    kinds[attacker.index()] |= (taken as u8) << victim.index();
                }
            }
        }
        let weakening = match rules.traps {
            Traps::Enemy => [board.traps[1], board.traps[0]],
            Traps::All => [board.traps[0] | board.traps[1]; 2],
        };
        let (own_blocks, enemy_blocks) = match rules.jump_blockers {
            JumpBlockers::AnyRat => (u64::MAX, u64::MAX),
            JumpBlockers::EnemyRat => (0, u64::MAX),
            JumpBlockers::None => (0, 0),
        };
        let mut tables = Tables {
            abilities: Abilities {
                swims: swims.map(|swims| if swims { u64::MAX } else { 0 }),
                leaps: [0; 8],
            },
            both_die: rules.equal == Equal::BothDie,
            steps: Box::new([[[0; 64]; 8]; 2]),
            leaps: Box::new([[[[Leap::default(); 4]; 64]; 8]; 2]),
            shore: 0,
            own_blocks,
            enemy_blocks,
            takes: takes_by_case,
            weakening,
            gagged: if rules.trapped_takes { [0; 2] } else { weakening },
            land: all & !board.water,
            has_left: 0,
            has_right: 0,
            no_den: all & !(board.dens[0] | board.dens[1]),
            before_den: [0; 2],
            board,
            levels,
            swims,
        };
        tables.fill(rules);
        Ok(tables)
    }

    /// Fills the tables that go square by square.
    fn fill(&mut self, rules: &Rules) {
        let board = self.board.clone();
        for square in 0..board.squares() {
            let bit = 1u64 << square;
            for direction in Direction::ALL {
                let Some(next) = board.step(square, direction) else { continue };
                match direction {
                    Direction::Left => self.has_left |= bit,
                    Direction::Right => self.has_right |= bit,
                    _ => {}
                }
                for side in Side::BOTH {
                    if board.dens[side.other().index()] >> next & 1 != 0 {
                        self.before_den[side.index()] |= bit;
                    }
                    for kind in Kind::ALL {
                        let water = board.is_water(next) && !self.swims[kind.index()];
                        if !water && self.may_stand(rules, side, kind, next) {
                            self.steps[side.index()][kind.index()][square as usize] |= 1 << next;
                        }
                        let jump = rules.jump(kind);
                        let jumps =
                            if direction.along_file() { jump.along() } else { jump.across() };
                        // A jump starts from land. A land animal can stand in water only where
                        // the set-up put it; from there it jumps as from the shore.
                        let ashore = !board.is_water(square) || !self.swims[kind.index()];
                        if let Some((landing, crossed)) = board.leap(square, direction)
                            && jumps
                            && ashore
                            && self.may_stand(rules, side, kind, landing)
                        {
                            self.leaps[side.index()][kind.index()][square as usize]
                                [direction as usize] = Leap { crossed, landing: 1 << landing };
                            self.abilities.leaps[kind.index()] = u64::MAX;
                            self.shore |= bit;
                        }
                    }
                }
            }
        }
    }

    /// May an animal end its move on a square, water left aside?
    fn may_stand(&self, rules: &Rules, side: Side, kind: Kind, square: u8) -> bool {
        let den = |owner: Side| self.board.dens[owner.index()] >> square & 1 != 0;
        let enters = rules.den_entry == DenEntry::Any || kind == Kind::Rat;
        !den(side) && (enters || !den(side.other()))
    }

    /// May a kind ever jump and swim? Then two actions can go the same way from one square.
    pub fn has_swimming_leaper(&self) -> bool {
        (0..8).any(|kind| self.swims[kind] && self.abilities.leaps[kind] != 0)
    }

    /// The squares that the animal of `side` on `from` may go to, captures included.
    #[inline]
    pub fn targets(&self, position: &Position, side: usize, from: u8) -> u64 {
        let (own, enemy) = (position.sides()[side], position.sides()[side ^ 1]);
        let kind = position.kind_index(from);
        let from = from & 63;
        let mut reach = self.steps[side & 1][kind][from as usize];
        if self.shore >> from & 1 != 0 {
            reach |= self.landings(position, side, from);
        }
        reach &= !own;
        let hits = reach & enemy;
        if hits == 0 { reach } else { reach & !enemy | self.captures(position, side, from, hits) }
    }

    /// The squares that jumps from `from` lead to, own and enemy animals there left aside.
    #[inline]
    pub fn landings(&self, position: &Position, side: usize, from: u8) -> u64 {
        let (own, enemy) = (position.sides()[side], position.sides()[side ^ 1]);
        let blockers = own & self.own_blocks | enemy & self.enemy_blocks;
        let leaps = &self.leaps[side & 1][position.kind_index(from)][(from & 63) as usize];
        leaps.iter().fold(
            0,
            |set, leap| {
                if leap.crossed & blockers == 0 { set | leap.landing } else { set }
            },
        )
    }

    /// Those of the enemy animals on `hits` that the animal on `from` may take, were it to get
    /// there.
    #[inline]
    pub fn captures(&self, position: &Position, side: usize, from: u8, hits: u64) -> u64 {
        if self.gagged[side & 1] >> from & 1 != 0 {
            return 0;
        }
        let kind = position.kind_index(from);
        let mut left = hits;
        let mut out = 0;
        while left != 0 {
            let to = left.trailing_zeros() as u8;
            let weakened = self.weakening[(side ^ 1) & 1] >> to & 1 != 0;
            let place = case(self.board.is_water(from), self.board.is_water(to), weakened);
            let taken = self.takes[place][kind] >> position.kind_index(to) & 1;
            out |= u64::from(taken) << to;
            left &= left - 1;
        }
        out
    }

    /// All ones if swimmers of `owner` block the jumps of `side`, else 0.
    pub fn blocking(&self, side: Side, owner: Side) -> u64 {
        if side == owner { self.own_blocks } else { self.enemy_blocks }
    }

    /// Can the side to move move at all?
    #[inline]
    pub fn can_move(&self, position: &Position) -> bool {
        let side = position.mover();
        let mut left = position.sides()[side];
        while left != 0 {
            if self.targets(position, side, left.trailing_zeros() as u8) != 0 {
                return true;
            }
            left &= left - 1;
        }
        false
    }

    /// The number of moves of the side to move, counted over whole sets of animals at once.
    #[inline]
    pub fn count(&self, position: &Position) -> u64 {
        let side = position.mover();
        let (own, enemy) = (position.sides()[side], position.sides()[side ^ 1]);
        let swimmers = own & position.swimmers();
        let walkers = own ^ swimmers;
        let open = self.no_den & !(own | enemy);
        let land = self.land & open;
        let width = u32::from(self.board.width) & 63;
        let (left, right) = (self.has_left, self.has_right);
        let mut count = (walkers << width & land | swimmers << width & open).count_ones()
            + (walkers >> width & land | swimmers >> width & open).count_ones()
            + ((walkers & left) >> 1 & land | (swimmers & left) >> 1 & open).count_ones()
            + ((walkers & right) << 1 & land | (swimmers & right) << 1 & open).count_ones();
        // Captures by a step.
        let up = own << width & enemy;
        let down = own >> width & enemy;
        let leftward = (own & left) >> 1 & enemy;
        let rightward = (own & right) << 1 & enemy;
        if up | down | leftward | rightward != 0 {
            let mut attackers = up >> width | down << width | leftward << 1 | rightward >> 1;
            while attackers != 0 {
                let from = attackers.trailing_zeros() as u8;
                let hits = self.steps[side & 1][position.kind_index(from)][from as usize] & enemy;
                count += self.captures(position, side, from, hits).count_ones();
                attackers &= attackers - 1;
            }
        }
        // Steps into the enemy den, which some may not enter.
        let mut close = own & self.before_den[side & 1];
        while close != 0 {
            let from = close.trailing_zeros() as u8;
            let steps = self.steps[side & 1][position.kind_index(from)][from as usize];
            count += (steps & !self.no_den & !(own | enemy)).count_ones();
            close &= close - 1;
        }
        // Jumps.
        let mut leapers = own & position.leapers() & self.shore;
        while leapers != 0 {
            let from = leapers.trailing_zeros() as u8;
            let reach = self.landings(position, side, from) & !own;
            let hits = reach & enemy;
            count += (reach ^ hits).count_ones();
            if hits != 0 {
                count += self.captures(position, side, from, hits).count_ones();
            }
            leapers &= leapers - 1;
        }
        u64::from(count)
    }
}
