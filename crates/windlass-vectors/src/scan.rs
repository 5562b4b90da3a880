//! The nearest of many vectors, by looking at each.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::kernels;
use crate::vector::{DIMENSIONS, Vector};

/// A vector that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The number that it was given when it was stored.
    pub number: i64,
    pub similarity: f32,
}

impl Eq for Found {}

/// The worst is the greatest, so that a heap has it on top. Of two equal ones the older is better.
impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .similarity
            .total_cmp(&self.similarity)
            .then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Collects the nearest vectors to one.
pub struct Nearest<'v> {
    pub(crate) to: &'v Vector,
    most: usize,
    threshold: f32,
    found: BinaryHeap<Found>,
}

impl<'v> Nearest<'v> {
    /// At most so many, and none that is less similar than the threshold.
    pub fn new(to: &'v Vector, most: usize, threshold: f32) -> Self {
        Self {
            to,
            most: most.max(1),
            threshold,
            found: BinaryHeap::with_capacity(most + 1),
        }
    }

    /// Looks at one vector.
    pub fn look(&mut self, number: i64, vector: &Vector) {
        self.offer(number, self.to.similarity(vector));
    }

    #[inline]
    fn offer(&mut self, number: i64, similarity: f32) {
        if similarity < self.threshold {
            return;
        }
        self.found.push(Found { number, similarity });
        if self.found.len() > self.most {
            self.found.pop();
            // From now on, nothing that would be removed at once has to be put in.
            let worst = self.found.peek();
            self.threshold = worst.map_or(self.threshold, |worst| worst.similarity);
        }
    }

    /// Looks at many, each given as a number, a scale and its bytes.
    pub(crate) fn look_at_all<'b>(
        &mut self,
        records: impl Iterator<Item = (i64, f32, &'b [u8; DIMENSIONS])>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if kernels::is_fast() {
            // SAFETY: the processor has what the function was compiled for.
            #[expect(unsafe_code, reason = "a function for this processor")]
            return unsafe { self.look_avx2(records) };
        }
        self.look_with(records);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn look_avx2<'b>(&mut self, records: impl Iterator<Item = (i64, f32, &'b [u8; DIMENSIONS])>) {
        self.look_with(records);
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instructions of the caller"
    )]
    fn look_with<'b>(&mut self, records: impl Iterator<Item = (i64, f32, &'b [u8; DIMENSIONS])>) {
        let to = self.to.bytes;
        for (number, scale, bytes) in records {
            let similarity = kernels::dot(&to, bytes) * scale * self.to.scale;
            self.offer(number, similarity);
        }
    }

    /// Whether as many were found as were asked for: there may be more.
    pub fn is_full(&self) -> bool {
        self.found.len() >= self.most
    }

    /// The nearest first.
    pub fn into_found(self) -> Vec<Found> {
        self.found.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_found_in_order() {
        let vector = |first: i8| Vector {
            scale: 0.01,
            bytes: std::array::from_fn(|at| if at == 0 { first } else { 1 }),
        };
        let to = vector(100);
        let mut nearest = Nearest::new(&to, 3, 0.1);
        for (number, first) in [(1, 5), (2, 90), (3, -100), (4, 127), (5, 90), (6, 0)] {
            nearest.look(number, &vector(first));
        }
        assert!(nearest.is_full());
        let found: Vec<i64> = nearest.into_found().iter().map(|it| it.number).collect();
        assert_eq!(found, [4, 2, 5], "the older of two equal ones is first");
    }
}
