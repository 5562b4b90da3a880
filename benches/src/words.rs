//! Generates text with the word frequencies of real text: few words are common, most are rare.

/// The number of different words.
const VOCABULARY: u32 = 20_000;

/// A small random number generator with the same sequence in every run (splitmix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end.max(1))).unwrap_or(0)
    }

    /// A number from 0 to below 1.
    fn share(&mut self) -> f64 {
        f64::from(self.below(1 << 24)) / f64::from(1 << 24)
    }
}

/// The word with a rank; rank 0 is the most common.
pub fn word(rank: u32) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aeiou";
    // Multiplying by a prime separates neighbours, so that words with similar ranks do not look
    // alike.
    let mut rest = u64::from(rank) * 7_919 + 1_000_003;
    let mut word = String::new();
    while rest > 0 {
        let syllable = usize::try_from(rest % 70).unwrap_or(0);
        word.push(char::from(CONSONANTS[syllable / VOWELS.len()]));
        word.push(char::from(VOWELS[syllable % VOWELS.len()]));
        rest /= 70;
    }
    word
}

/// Words by Zipf's law: the frequency of a word falls with its rank.
pub fn text(random: &mut Random, words: u32) -> String {
    let mut out = String::new();
    for _ in 0..words {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word(zipf(random)));
    }
    out
}

/// A rank with probability proportional to 1/rank, by inverting the logarithm.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is between 0 and the size of the vocabulary"
)]
fn zipf(random: &mut Random) -> u32 {
    let rank = f64::from(VOCABULARY).powf(random.share()) - 1.0;
    (rank as u32).min(VOCABULARY - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_differ_and_common_ones_are_common() {
        let all: std::collections::HashSet<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(all.len(), VOCABULARY as usize);
        let mut random = Random::new(1);
        let text = text(&mut random, 20_000);
        let count = |rank| text.split(' ').filter(|have| *have == word(rank)).count();
        assert!(count(0) > 10 * count(100).max(1));
        assert!(count(15_000) < 10);
    }
}
