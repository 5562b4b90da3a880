//! What a misspelt word probably means: the nearest word of the index.

use windlass_core::Result;
use windlass_store::Reader;
use windlass_vectors::Tokenizer;

/// Shorter words are near to too many others.
const SHORTEST: usize = 5;

/// The word of the index that a word without any match probably is. A word that the model knows as a
/// whole is spelt as it should be.
pub fn correction(
    reader: &Reader<'_>,
    tokenizer: Tokenizer<'_>,
    word: &str,
) -> Result<Option<String>> {
    if tokenizer.tokens(word).len() == 1 {
        return Ok(None);
    }
    let letters = word.chars().count();
    let plain = word.chars().all(char::is_alphabetic);
    let Some(first) = word.chars().next().filter(|_| plain && letters >= SHORTEST) else {
        return Ok(None);
    };
    // People rarely get the first letter wrong, and it makes the list short.
    let known = reader.words_from(&first.to_string())?;
    let most = if letters >= 8 { 2 } else { 1 };
    let best = known
        .into_iter()
        .filter(|(known, _)| {
            let count = known.chars().count();
            count >= SHORTEST && count.abs_diff(letters) <= most
        })
        .map(|(known, count)| (strsim::osa_distance(word, &known), -count, known))
        .filter(|(distance, ..)| (1..=most).contains(distance))
        .min();
    Ok(best.map(|(_, _, known)| known))
}
