//! Numbers that look random, the same in every run.

use std::time::Duration;

pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.roll(2);
        dice
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides.max(1)
    }

    /// From 0 up to 1.
    #[expect(clippy::cast_precision_loss, reason = "a million steps are enough")]
    pub fn part(&mut self) -> f64 {
        self.roll(1_000_000) as f64 / 1_000_000.0
    }

    /// A time with this mean, as times between independent events are.
    pub fn around(&mut self, mean: Duration) -> Duration {
        let part = self.part().max(0.000_001);
        mean.mul_f64((-part.ln()).min(8.0))
    }
}
