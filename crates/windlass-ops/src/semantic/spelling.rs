//! What a misspelt word probably means: the nearest words of other texts.

use windlass_core::Result;
use windlass_store::Reader;
use windlass_vectors::Tokenizer;

/// Shorter words are near to too many others.
const SHORTEST: usize = 5;
/// Words of so many letters may have two slips.
const LONG: usize = 8;
/// Where several words are equally near, each of these may be meant.
const ALTERNATIVES: usize = 3;
/// How many of them are counted.
const COUNTED: usize = 12;

/// A word that may be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    pub word: String,
    /// In how many places it differs.
    pub slips: usize,
    /// About how many entities have it.
    pub count: u64,
}

/// The words that a word without any match may be, the most common first. A word that the model knows
/// as a whole is spelt as it should be.
pub fn corrections(
    reader: &Reader<'_>,
    tokenizer: Tokenizer<'_>,
    word: &str,
) -> Result<Vec<Correction>> {
    let letters = word.chars().count();
    let is_plain = word.chars().all(char::is_alphabetic);
    if letters < SHORTEST || !is_plain || tokenizer.tokens(word).len() == 1 {
        return Ok(Vec::new());
    }
    let slips = if letters >= LONG { 2 } else { 1 };
    let near = nearest(word, reader.words_like(word, slips)?, slips);
    let expressions: Vec<String> = near.iter().map(|(_, it)| format!("\"{it}\"")).collect();
    let counts = reader.word_counts(&expressions)?;
    let mut corrections: Vec<Correction> = near
        .into_iter()
        .zip(counts)
        .map(|((slips, word), count)| Correction { word, slips, count })
        .filter(|it| it.count > 0)
        .collect();
    corrections.sort_by(|one, other| {
        let by_count = other.count.cmp(&one.count);
        by_count.then_with(|| one.word.cmp(&other.word))
    });
    corrections.truncate(ALTERNATIVES);
    Ok(corrections)
}

/// The words with the fewest slips, and no more than a word may have.
fn nearest(word: &str, known: Vec<String>, slips: usize) -> Vec<(usize, String)> {
    let distances = known.into_iter().filter_map(|known| {
        let distance = strsim::osa_distance(word, &known);
        (1..=slips).contains(&distance).then_some((distance, known))
    });
    let mut near: Vec<(usize, String)> = distances.collect();
    near.sort();
    let fewest = near.first().map_or(0, |(distance, _)| *distance);
    near.retain(|(distance, _)| *distance == fewest);
    near.truncate(COUNTED);
    near
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_words_with_the_fewest_slips_are_meant() {
        let near = |word: &str, known: &[&str], slips: usize| {
            let known = known.iter().map(|&it| it.to_owned()).collect();
            let near = nearest(word, known, slips).into_iter();
            near.map(|(_, word)| word).collect::<Vec<String>>()
        };
        let known = ["search", "starch", "reach", "searches"];
        assert_eq!(near("serach", &known, 1), ["search"]);
        assert_eq!(near("sarch", &known, 1), ["search", "starch"]);
        assert_eq!(near("saerches", &known, 2), ["searches"]);
        assert!(near("nothing", &known, 2).is_empty());
        assert!(
            near("search", &["search"], 1).is_empty(),
            "it is not misspelt"
        );
    }
}
