//! Text as the tokens that the model was trained with: words in lower case and without accents, cut
//! into the longest pieces that the vocabulary has.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::weights::Weights;

/// A longer word is unknown as a whole.
const MAX_WORD_CHARS: usize = 100;
/// How the vocabulary marks a piece that continues a word.
const CONTINUED: &str = "##";

pub(crate) const UNKNOWN: u16 = 100;
pub(crate) const START: u16 = 101;
pub(crate) const END: u16 = 102;

/// Turns text into tokens. Cheap: the vocabulary stays in the file of the weights.
#[derive(Clone, Copy)]
pub struct Tokenizer<'w> {
    weights: &'w Weights,
}

impl<'w> Tokenizer<'w> {
    pub(crate) fn new(weights: &'w Weights) -> Self {
        Self { weights }
    }

    /// The tokens of a text, without those that mark its start and end.
    pub fn tokens(self, text: &str) -> Vec<u16> {
        let mut tokens = Vec::with_capacity(text.len() / 4);
        for word in words(text) {
            self.push_word(&word, &mut tokens);
        }
        tokens
    }

    /// The longest piece of the vocabulary first, and so on to the end of the word. A word with an
    /// end that the vocabulary lacks is unknown.
    fn push_word(self, word: &str, tokens: &mut Vec<u16>) {
        let before = tokens.len();
        if word.chars().count() > MAX_WORD_CHARS {
            tokens.push(UNKNOWN);
            return;
        }
        let mut piece = String::with_capacity(word.len() + CONTINUED.len());
        let mut start = 0;
        while start < word.len() {
            let ends = word[start..].char_indices().rev();
            let mut ends = ends.map(|(at, letter)| start + at + letter.len_utf8());
            let found = ends.find_map(|end| {
                piece.clear();
                if start > 0 {
                    piece.push_str(CONTINUED);
                }
                piece.push_str(&word[start..end]);
                Some((end, self.weights.token(&piece)?))
            });
            let Some((end, token)) = found else {
                tokens.truncate(before);
                tokens.push(UNKNOWN);
                return;
            };
            tokens.push(token);
            start = end;
        }
    }
}

/// The words of a text as the vocabulary writes them. A punctuation mark and a Chinese character are
/// words of their own.
pub fn words(text: &str) -> Vec<String> {
    let spaced = text.chars().filter(|letter| !is_removed(*letter));
    let spaced = spaced.flat_map(|letter| {
        let alone = is_chinese(letter);
        let space = alone.then_some(' ');
        space.into_iter().chain([letter]).chain(space)
    });
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let letters = spaced.nfd().filter(|letter| !is_accent(*letter));
    for letter in letters.flat_map(char::to_lowercase) {
        let mark = is_punctuation(letter);
        if (mark || letter.is_whitespace()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if mark {
            words.push(letter.to_string());
        } else if !letter.is_whitespace() {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Control characters say nothing, except those that separate words.
fn is_removed(letter: char) -> bool {
    let separates = matches!(letter, '\t' | '\n' | '\r');
    letter == '\u{fffd}'
        || (!separates
            && !letter.is_ascii_graphic()
            && letter.general_category_group() == GeneralCategoryGroup::Other
            && letter.general_category() != GeneralCategory::Unassigned)
}

fn is_accent(letter: char) -> bool {
    !letter.is_ascii() && letter.general_category() == GeneralCategory::NonspacingMark
}

fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation()
        || (!letter.is_ascii()
            && letter.general_category_group() == GeneralCategoryGroup::Punctuation)
}

fn is_chinese(letter: char) -> bool {
    matches!(letter,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_as_the_vocabulary_writes_them() {
        for (text, expected) in [
            ("", vec![]),
            ("Hello, World", vec!["hello", ",", "world"]),
            ("naïve CAFÉ", vec!["naive", "cafe"]),
            ("設計v2", vec!["設", "計", "v2"]),
            ("a\u{200b}b\tc\u{1}", vec!["ab", "c"]),
            ("snake_case", vec!["snake", "_", "case"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
