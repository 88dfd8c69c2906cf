//! Where the squares of a board lie in memory.
//!
//! Channels are cut into blocks of [`LANES`]. A board of one block is a *plane*: cells of `LANES`
//! floats, row after row, with one zero cell before each row and a zero row below and above, so
//! that all nine neighbours of a square are cells of the plane:
//!
//! ```text
//! index of (row, column) = (row + 1) × (width + 1) + column + 1
//! a 2 × 3 board:   . . . .      . zero cell: the column before a row is also the column after
//!                  . a b c        the row above
//!                  . d e f
//!                  . . . . .
//! ```
//!
//! A board is `[blocks][cells][LANES]`, a batch `[boards][blocks][cells][LANES]`. Channels beyond
//! the last real one are zero.

use std::array::from_fn;

/// Channels of one block: the width of an AVX-512 register.
pub const LANES: usize = 16;

/// Squares that one tile of a kernel computes at most: two registers for each, and three more.
const TILE: usize = 14;

/// Blocks that hold `channels`.
pub fn blocks(channels: usize) -> usize {
    channels.div_ceil(LANES)
}

/// The size of a board and with it the layout of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    width: usize,
    height: usize,
}

/// Squares that a kernel computes together: `rows` full rows (1 or 2) or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub cell: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Board {
    /// Most squares of a board.
    pub const MOST_SQUARES: usize = 80;

    /// A board of 1 to 80 squares; `None` for any other.
    pub fn new(width: usize, height: usize) -> Option<Self> {
        let squares = width.checked_mul(height)?;
        (1..=Self::MOST_SQUARES).contains(&squares).then_some(Self { width, height })
    }

    pub fn width(self) -> usize {
        self.width
    }

    pub fn height(self) -> usize {
        self.height
    }

    pub fn squares(self) -> usize {
        self.width * self.height
    }

    /// Cells from a square to the one below it.
    pub fn stride(self) -> usize {
        self.width + 1
    }

    /// Cells of a plane, zero cells included.
    pub fn cells(self) -> usize {
        (self.height + 2) * self.stride() + 1
    }

    /// Floats of a plane.
    pub fn plane(self) -> usize {
        self.cells() * LANES
    }

    /// Floats of a board with so many channels.
    pub fn floats(self, channels: usize) -> usize {
        blocks(channels) * self.plane()
    }

    /// The cell of a square.
    pub fn cell(self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride() + column + 1
    }

    /// The cells of all squares, in the order of the squares.
    pub fn square_cells(self) -> impl Iterator<Item = usize> {
        (0..self.height)
            .flat_map(move |row| (0..self.width).map(move |column| self.cell(row, column)))
    }

    /// Cuts the board into tiles.
    pub(super) fn tiles(self) -> impl Iterator<Item = Tile> {
        let rows = if self.width * 2 <= TILE { 2 } else { 1 };
        let parts = self.width.div_ceil(TILE);
        let columns = self.width.div_ceil(parts);
        (0..self.height).step_by(rows).flat_map(move |row| {
            (0..self.width).step_by(columns).map(move |column| Tile {
                cell: self.cell(row, column),
                rows: rows.min(self.height - row),
                columns: columns.min(self.width - column),
            })
        })
    }

    /// Copies one board from `[squares][channels]` into the layout; zero cells are left alone.
    ///
    /// # Panics
    /// If a slice has another length than `squares × channels` or [`Board::floats`].
    pub fn spread(self, channels: usize, squares: &[f32], board: &mut [f32]) {
        assert_eq!(squares.len(), self.squares() * channels);
        assert_eq!(board.len(), self.floats(channels));
        for (block, plane) in board.chunks_exact_mut(self.plane()).enumerate() {
            let first = block * LANES;
            let count = LANES.min(channels - first);
            let real: [u32; LANES] = from_fn(|lane| if lane < count { u32::MAX } else { 0 });
            for (square, cell) in self.square_cells().enumerate() {
                let from = &squares[square * channels + first..];
                let to = &mut plane[cell * LANES..][..LANES];
                // Always a whole block, of which the real lanes are kept: a copy of a length known
                // only at run time is a call for each square. Nothing follows the last square.
                match from.first_chunk::<LANES>() {
                    Some(from) => {
                        for lane in 0..LANES {
                            to[lane] = f32::from_bits(from[lane].to_bits() & real[lane]);
                        }
                    }
                    None => to[..count].copy_from_slice(&from[..count]),
                }
            }
        }
    }

    /// Copies one board from the layout to `[squares][channels]`.
    ///
    /// # Panics
    /// If a slice has another length than [`Board::floats`] or `squares × channels`.
    pub fn gather(self, channels: usize, board: &[f32], squares: &mut [f32]) {
        assert_eq!(squares.len(), self.squares() * channels);
        assert_eq!(board.len(), self.floats(channels));
        for (square, cell) in self.square_cells().enumerate() {
            for block in 0..blocks(channels) {
                let first = block * LANES;
                let count = LANES.min(channels - first);
                let from = &board[block * self.plane() + cell * LANES..][..LANES];
                let to = &mut squares[square * channels + first..];
                // One whole block, as in `spread`: what is too much is overwritten by what follows.
                match to.first_chunk_mut::<LANES>() {
                    Some(to) => to.copy_from_slice(from),
                    None => to[..count].copy_from_slice(&from[..count]),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_neighbour_of_a_square_is_a_cell_of_the_plane() {
        let board = Board::new(3, 2).unwrap();
        assert_eq!((board.stride(), board.cells()), (4, 17));
        assert_eq!(board.square_cells().collect::<Vec<_>>(), [5, 6, 7, 9, 10, 11]);
        // The neighbours furthest out: above the first square and below the last.
        assert_eq!(5 - board.stride() - 1, 0);
        assert_eq!(11 + board.stride() + 1, board.cells() - 1);
    }

    #[test]
    fn tiles_cover_every_square_once() {
        for (width, height) in [(7, 9), (6, 10), (8, 8), (1, 1), (5, 3), (80, 1), (1, 80), (20, 4)]
        {
            let board = Board::new(width, height).unwrap();
            let mut cells: Vec<usize> = board
                .tiles()
                .flat_map(|tile| {
                    assert!(tile.rows * tile.columns <= TILE);
                    assert!(tile.rows == 1 || tile.columns == width);
                    (0..tile.rows).flat_map(move |row| {
                        (0..tile.columns).map(move |column| tile.cell + row * (width + 1) + column)
                    })
                })
                .collect();
            cells.sort_unstable();
            assert_eq!(cells, board.square_cells().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_board_survives_the_way_into_the_layout_and_back() {
        for channels in [1, 4, 8, 15, 16, 17, 24, 32, 40] {
            let board = Board::new(3, 4).unwrap();
            let values: Vec<f32> = (1..=12 * channels).map(|value| value as f32).collect();
            let mut spread = vec![0.0; board.floats(channels)];
            board.spread(channels, &values, &mut spread);
            for (at, value) in spread.iter().enumerate() {
                let (block, cell) = (at / board.plane(), at % board.plane() / LANES);
                let channel = block * LANES + at % LANES;
                let square = board.square_cells().position(|of| of == cell);
                let wanted = match square {
                    Some(square) if channel < channels => values[square * channels + channel],
                    _ => 0.0,
                };
                assert_eq!(*value, wanted, "{channels} channels, cell {cell}, channel {channel}");
            }
            let mut gathered = vec![0.0; values.len()];
            board.gather(channels, &spread, &mut gathered);
            assert_eq!(gathered, values, "{channels} channels");
        }
    }

    #[test]
    fn boards_of_no_or_too_many_squares_are_refused() {
        assert_eq!(Board::new(0, 8), None);
        assert_eq!(Board::new(9, 9), None);
        assert_eq!(Board::new(usize::MAX, 2), None);
    }
}
