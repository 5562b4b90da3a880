//! The loops that take all the time, written so that the compiler turns them into vector
//! instructions: those that every processor of the target has, or AVX2 with FMA where the processor
//! has them. The one that takes most of it is written out: left to the compiler, it was four times as
//! slow in a program that is optimised as a whole.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, _mm256_fmadd_ps as fused, _mm256_loadu_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use crate::vector::DIMENSIONS;

/// Numbers that are computed at once.
pub(crate) const LANES: usize = 8;

/// Whether the processor has the faster instructions.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_fast() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

/// The product of two vectors of bytes. The largest sum is 384 × 127 × 127, which an f32 holds
/// exactly.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
#[expect(clippy::cast_precision_loss, reason = "below 2^24")]
pub(crate) fn dot(one: &[i8; DIMENSIONS], other: &[u8; DIMENSIONS]) -> f32 {
    let mut sum = 0_i32;
    for (one, other) in one.iter().zip(other) {
        sum += i32::from(i16::from(*one) * i16::from(other.cast_signed()));
    }
    sum as f32
}

/// `sum + one * other`, as one instruction where the processor has it. Without it, a call of
/// `mul_add` would be a hundred times slower.
#[inline(always)]
#[expect(clippy::inline_always, reason = "one instruction")]
pub(crate) fn multiply_add<const FUSED: bool>(one: f32, other: f32, sum: f32) -> f32 {
    if FUSED {
        one.mul_add(other, sum)
    } else {
        one * other + sum
    }
}

/// Rows of weights and texts' tokens that are multiplied with each other at once: as many sums as
/// there are registers.
pub(crate) const ROWS: usize = 4;
pub(crate) const TOKENS: usize = 3;

/// The products of so many rows with so many tokens.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
pub(crate) fn block<const FUSED: bool>(
    rows: [&[[f32; LANES]]; ROWS],
    tokens: [&[[f32; LANES]]; TOKENS],
) -> [[f32; TOKENS]; ROWS] {
    #[cfg(target_arch = "x86_64")]
    if FUSED {
        // SAFETY: whoever fuses has asked whether the processor can.
        #[expect(unsafe_code, reason = "a function for this processor")]
        return unsafe { fused_block(rows, tokens) };
    }
    products::<FUSED, ROWS, TOKENS>(rows, tokens)
}

/// Each sum has a name: one that is reached by an index may end up in memory.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[inline]
#[expect(
    clippy::many_single_char_names,
    reason = "a table of four rows and three tokens"
)]
fn fused_block(
    [a, b, c, d]: [&[[f32; LANES]]; ROWS],
    [x, y, z]: [&[[f32; LANES]]; TOKENS],
) -> [[f32; TOKENS]; ROWS] {
    let zero = _mm256_setzero_ps();
    let (mut ax, mut ay, mut az) = (zero, zero, zero);
    let (mut bx, mut by, mut bz) = (zero, zero, zero);
    let (mut cx, mut cy, mut cz) = (zero, zero, zero);
    let (mut dx, mut dy, mut dz) = (zero, zero, zero);
    let together = a.iter().zip(b).zip(c).zip(d).zip(x).zip(y).zip(z);
    for ((((((a, b), c), d), x), y), z) in together {
        let (x, y, z) = (loaded(x), loaded(y), loaded(z));
        let a = loaded(a);
        (ax, ay, az) = (fused(a, x, ax), fused(a, y, ay), fused(a, z, az));
        let b = loaded(b);
        (bx, by, bz) = (fused(b, x, bx), fused(b, y, by), fused(b, z, bz));
        let c = loaded(c);
        (cx, cy, cz) = (fused(c, x, cx), fused(c, y, cy), fused(c, z, cz));
        let d = loaded(d);
        (dx, dy, dz) = (fused(d, x, dx), fused(d, y, dy), fused(d, z, dz));
    }
    [
        [total(ax), total(ay), total(az)],
        [total(bx), total(by), total(bz)],
        [total(cx), total(cy), total(cz)],
        [total(dx), total(dy), total(dz)],
    ]
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[inline]
fn loaded(numbers: &[f32; LANES]) -> __m256 {
    // SAFETY: it reads as many numbers as there are.
    #[expect(unsafe_code, reason = "reads through a pointer")]
    unsafe {
        _mm256_loadu_ps(numbers.as_ptr())
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[inline]
fn total(lanes: __m256) -> f32 {
    let mut numbers = [0_f32; LANES];
    // SAFETY: it writes as many numbers as there is room for.
    #[expect(unsafe_code, reason = "writes through a pointer")]
    unsafe {
        _mm256_storeu_ps(numbers.as_mut_ptr(), lanes);
    }
    numbers.iter().sum()
}

/// The products of some rows with some others.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
pub(crate) fn products<const FUSED: bool, const ROWS: usize, const OTHERS: usize>(
    rows: [&[[f32; LANES]]; ROWS],
    others: [&[[f32; LANES]]; OTHERS],
) -> [[f32; OTHERS]; ROWS] {
    let mut sums = [[[0_f32; LANES]; OTHERS]; ROWS];
    let length = rows[0].len();
    let rows = rows.map(|row| &row[..length]);
    let others = others.map(|row| &row[..length]);
    for at in 0..length {
        for row in 0..ROWS {
            for other in 0..OTHERS {
                for lane in 0..LANES {
                    let sum = &mut sums[row][other][lane];
                    *sum =
                        multiply_add::<FUSED>(rows[row][at][lane], others[other][at][lane], *sum);
                }
            }
        }
    }
    sums.map(|others| others.map(|lanes| lanes.iter().sum()))
}

/// e to the power of x, to seven digits, for x up to 88.
#[inline(always)]
pub(crate) fn exponential(x: f32) -> f32 {
    // Adding it leaves the nearest whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // ln 2 in two parts, so that the difference keeps its digits.
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.666_666_6e-1
                                + rest
                                    * (4.166_579_6e-2
                                        + rest * (8.333_452e-3 + rest * 1.398_199_9e-3)))));
    f32::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// What the model puts between its two wide layers: x times the share of a normal distribution that
/// is below x. The error function is that of Abramowitz and Stegun, 7.1.26.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of a vectorised loop")]
pub(crate) fn gelu(x: f32) -> f32 {
    let scaled = x * std::f32::consts::FRAC_1_SQRT_2;
    let size = scaled.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series = t
        * (0.254_829_6
            + t * (-0.284_496_72 + t * (1.421_413_8 + t * (-1.453_152_1 + t * 1.061_405_4))));
    let error = 1.0 - series * exponential(-size * size);
    0.5 * x * (1.0 + error.copysign(scaled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_close() {
        let mut x = -20.0_f32;
        while x < 20.0 {
            let exact = f64::from(x).exp();
            let close = f64::from(exponential(x));
            assert!(
                ((close - exact) / exact).abs() < 3e-7,
                "{x}: {close} {exact}"
            );
            x += 0.013;
        }
        assert!(exponential(-1000.0) < 1e-37);
    }

    #[test]
    fn gelu_is_close() {
        for (x, exact) in [
            (0.0, 0.0),
            (1.0, 0.841_344_7),
            (-1.0, -0.158_655_3),
            (3.0, 2.995_95),
            (-3.0, -0.004_049_7),
            (-10.0, 0.0),
            (0.5, 0.345_731_2),
        ] {
            assert!((gelu(x) - exact).abs() < 1e-6, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn bytes_are_multiplied_exactly() {
        let one: [i8; DIMENSIONS] =
            std::array::from_fn(|at| i8::try_from(at % 255).unwrap_or(-128));
        let other = [(-127_i8).cast_unsigned(); DIMENSIONS];
        let exact: i32 = one.iter().map(|it| i32::from(*it) * -127).sum();
        assert!((f64::from(dot(&one, &other)) - f64::from(exact)).abs() < 0.5);
    }
}
