//! A position of Jungle: where the animals stand, who is to move, the counts, and the hash of
//! board and side, kept as moves are played. Knows no rule.

use super::animal::Kind;
use crate::game::Side;
use std::hash::{Hash, Hasher};

/// No animal, where a square's kind is stored.
const NOBODY: u8 = 8;

/// A position. Equality includes the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Kind index by square, or [`NOBODY`].
    kinds: [u8; 64],
    /// Occupied squares by side.
    sides: [u64; 2],
    /// Squares of the animals that swim, and of those that jump, of both sides: what the
    /// set-wise move count needs.
    swimmers: u64,
    leapers: u64,
    key: u64,
    no_capture: u32,
    ply: u32,
}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
        state.write_u64(u64::from(self.no_capture) << 32 | u64::from(self.ply));
    }
}

/// What a kind adds to the sets of a position: all ones or none, by kind.
#[derive(Clone, Debug)]
pub(super) struct Abilities {
    pub swims: [u64; 8],
    pub leaps: [u64; 8],
}

impl Position {
    /// An empty board.
    pub(super) fn empty(no_capture: u32, ply: u32) -> Position {
        Position {
            kinds: [NOBODY; 64],
            sides: [0; 2],
            swimmers: 0,
            leapers: 0,
            key: if ply & 1 == 1 { SECOND_TO_MOVE } else { 0 },
            no_capture,
            ply,
        }
    }

    /// Puts an animal on an empty square.
    pub(super) fn put(&mut self, abilities: &Abilities, side: Side, kind: Kind, square: u8) {
        let bit = 1u64 << square;
        self.kinds[square as usize] = kind as u8;
        self.sides[side.index()] |= bit;
        self.swimmers |= bit & abilities.swims[kind.index()];
        self.leapers |= bit & abilities.leaps[kind.index()];
        self.key ^= KEYS[side.index()][kind.index()][square as usize];
    }

    /// Who is to move.
    #[inline]
    pub fn turn(&self) -> Side {
        if self.ply & 1 == 0 { Side::First } else { Side::Second }
    }

    /// 0 if the first side is to move, else 1.
    #[inline]
    pub(super) fn mover(&self) -> usize {
        (self.ply & 1) as usize
    }

    /// The squares of a side's animals; bit = square index.
    #[inline]
    pub fn squares(&self, side: Side) -> u64 {
        self.sides[side.index()]
    }

    #[inline]
    pub(super) fn sides(&self) -> &[u64; 2] {
        &self.sides
    }

    #[inline]
    pub(super) fn swimmers(&self) -> u64 {
        self.swimmers
    }

    #[inline]
    pub(super) fn leapers(&self) -> u64 {
        self.leapers
    }

    /// The kind index on an occupied square.
    #[inline]
    pub(super) fn kind_index(&self, square: u8) -> usize {
        (self.kinds[(square & 63) as usize] & 7) as usize
    }

    /// The animal on a square.
    pub fn animal(&self, square: u8) -> Option<(Side, Kind)> {
        let kind = *self.kinds.get(square as usize)?;
        let side = if self.sides[0] >> square & 1 != 0 { Side::First } else { Side::Second };
        (kind != NOBODY).then(|| (side, Kind::ALL[kind as usize & 7]))
    }

    /// All animals of a side with their squares, by square.
    pub fn animals(&self, side: Side) -> impl Iterator<Item = (Kind, u8)> + '_ {
        let mut left = self.squares(side);
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let square = left.trailing_zeros() as u8;
            left &= left - 1;
            Some((Kind::ALL[self.kind_index(square)], square))
        })
    }

    /// Half-moves since the last capture.
    pub fn no_capture(&self) -> u32 {
        self.no_capture
    }

    /// Half-moves of the whole game: 2 × (move number − 1), + 1 if the second side is to move.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Hash of board and side to move, without the counts.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Moves the animal on `from`; an enemy on `to` is captured, and with `both_die` an enemy of
    /// the same kind takes its captor along.
    #[inline]
    pub(super) fn advance(&mut self, abilities: &Abilities, from: u8, to: u8, both_die: bool) {
        let (own, enemy) = (self.mover(), self.mover() ^ 1);
        let (from, to) = ((from & 63) as usize, (to & 63) as usize);
        let (leave, arrive) = (1u64 << from, 1u64 << to);
        let kind = (self.kinds[from] & 7) as usize;
        let mut moved = leave | arrive;
        self.no_capture = self.no_capture.saturating_add(1);
        self.kinds[from] = NOBODY;
        self.key ^= KEYS[own][kind][from] ^ SECOND_TO_MOVE;
        let mut arrives = true;
        if self.sides[enemy] & arrive != 0 {
            let victim = (self.kinds[to] & 7) as usize;
            self.no_capture = 0;
            self.sides[enemy] ^= arrive;
            self.swimmers &= !arrive;
            self.leapers &= !arrive;
            self.key ^= KEYS[enemy][victim][to];
            if both_die && victim == kind {
                self.kinds[to] = NOBODY;
                moved = leave;
                arrives = false;
            }
        }
        if arrives {
            self.kinds[to] = kind as u8;
            self.key ^= KEYS[own][kind][to];
        }
        self.sides[own] ^= moved;
        self.swimmers ^= moved & abilities.swims[kind];
        self.leapers ^= moved & abilities.leaps[kind];
        self.ply += 1;
    }
}

/// What the key holds while the second side is to move.
const SECOND_TO_MOVE: u64 = 0x9d39_247e_3377_6d41;

/// One number for each side, kind and square (Zobrist hashing).
static KEYS: [[[u64; 64]; 8]; 2] = keys();

/// Fixed numbers by SplitMix64 (Steele, Lea, Flood 2014): keys keep their meaning for ever.
const fn keys() -> [[[u64; 64]; 8]; 2] {
    let mut out = [[[0; 64]; 8]; 2];
    let mut state: u64 = 0x6a75_6e67_6c65;
    let mut index = 0;
    while index < 2 * 8 * 64 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        out[index / 512][index / 64 % 8][index % 64] = word ^ (word >> 31);
        index += 1;
    }
    out
}
