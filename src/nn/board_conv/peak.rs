//! The yardstick of the kernels: as many multiply-adds as the processor can do, on registers alone.
//!
//! Each loop keeps more independent sums than a multiply-add takes cycles times the units that do
//! it, so that none waits for another. The values converge to 1: nothing underflows.

use super::Instructions;
use super::instructions::Set;
use std::hint::black_box;

const FACTOR: f32 = 0.999;
const TERM: f32 = 0.001;

/// Does `turns` turns of the multiply-add loop of this instruction set and says how many floating
/// point operations that were, a multiply-add being two. The caller has the clock.
pub fn multiply_adds(instructions: Instructions, turns: u64) -> u64 {
    let each = match instructions.0 {
        // SAFETY: `instructions` proves that the processor has what the loop uses.
        #[cfg(target_arch = "x86_64")]
        Set::Avx512 => unsafe { x86::avx512(turns) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { x86::avx2(turns) },
        Set::Portable => portable(turns),
    };
    turns * each
}

/// Twelve sums of four lanes: with factor and term they fill the 16 registers that every x86-64
/// has. Multiplication and addition are two instructions, as in the portable kernels.
#[inline(never)]
fn portable(turns: u64) -> u64 {
    let (factor, term) = (black_box([FACTOR; 4]), black_box([TERM; 4]));
    let mut sums = black_box([[1.0f32; 4]; 12]);
    for _ in 0..turns {
        for sum in &mut sums {
            for lane in 0..4 {
                sum[lane] = sum[lane] * factor[lane] + term[lane];
            }
        }
    }
    black_box(sums);
    12 * 4 * 2
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{FACTOR, TERM, black_box};
    use std::arch::x86_64::*;

    /// 24 of the 32 registers are sums. Gives the operations of a turn.
    #[target_feature(enable = "avx512f")]
    pub fn avx512(turns: u64) -> u64 {
        let (factor, term) = (_mm512_set1_ps(black_box(FACTOR)), _mm512_set1_ps(black_box(TERM)));
        let mut sums = [_mm512_set1_ps(1.0); 24];
        for _ in 0..turns {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, factor, term);
            }
        }
        black_box(sums);
        24 * 16 * 2
    }

    /// 12 of the 16 registers are sums. Gives the operations of a turn.
    #[target_feature(enable = "avx2,fma")]
    pub fn avx2(turns: u64) -> u64 {
        let (factor, term) = (_mm256_set1_ps(black_box(FACTOR)), _mm256_set1_ps(black_box(TERM)));
        let mut sums = [_mm256_set1_ps(1.0); 12];
        for _ in 0..turns {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(*sum, factor, term);
            }
        }
        black_box(sums);
        12 * 8 * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_by_lanes_and_sums() {
        for instructions in Instructions::available() {
            let each = match instructions.name() {
                "avx512" => 768,
                "avx2" => 192,
                _ => 96,
            };
            assert_eq!(multiply_adds(instructions, 1000), 1000 * each);
        }
    }
}
