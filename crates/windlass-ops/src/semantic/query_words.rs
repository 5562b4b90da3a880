//! The words of a query: how rare each is, what a misspelt one means, which are names of programs, and
//! how much of them a text has.

use std::borrow::Cow;

use windlass_core::{Entity, Result};
use windlass_store::{Reader, SearchWord, search_words};
use windlass_vectors::Tokenizer;

use super::spelling::{self, Correction};

/// Entities that are looked at by their words: the words that most have are not searched for, so that
/// a search takes no longer in a larger project.
const MATCHES: u64 = 2_000;
/// How much of a text is compared with the query word by word.
const MAX_TEXT_BYTES: usize = 20_000;
/// Up to this share of the query, its words could be there by chance.
const BY_CHANCE: f64 = 0.2;
/// A word that was corrected counts less than one that is there.
const CORRECTED: f64 = 0.7;

/// The words of a query, and what each says.
pub struct QueryWords {
    all: Vec<Word>,
    /// What the words that nobody has count against everybody: as much as the rarest that somebody has.
    absent: f64,
    /// All of them in a row, if there is more than one.
    phrase: Option<String>,
}

struct Word {
    /// As it was given.
    given: String,
    /// The words that it probably means, if no text has it.
    corrections: Vec<Correction>,
    /// It, or what it means, as texts have it: see [`plain`].
    plain: Vec<String>,
    /// About how many entities have it.
    count: u64,
    /// How rare it is. 0 if no entity has it.
    weight: f64,
    is_identifier: bool,
}

impl Word {
    /// What it was meant to be, if there is only one slip in it.
    fn surely(&self) -> Option<&str> {
        let best = self.corrections.first()?;
        (best.slips == 1).then_some(best.word.as_str())
    }

    fn searched(&self) -> Vec<&str> {
        if self.corrections.is_empty() {
            return vec![&self.given];
        }
        self.corrections.iter().map(|it| it.word.as_str()).collect()
    }
}

/// How much of a query an entity has, from 0 to 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Covered {
    /// Of its words.
    pub words: f64,
    /// Of its pairs of words that follow each other: a message has them even where the values in it
    /// are others.
    pub pairs: f64,
    /// Whether it has all words in a row.
    pub phrase: bool,
}

impl Covered {
    /// How much of the query's words it has beyond what could be there by chance. A few say little;
    /// nearly all of them say a lot.
    pub fn many_words(&self) -> f64 {
        let beyond = (self.words - BY_CHANCE) / (1.0 - BY_CHANCE);
        beyond.clamp(0.0, 1.0).powi(2)
    }
}

impl QueryWords {
    pub fn of(reader: &Reader<'_>, tokenizer: Tokenizer<'_>, text: &str) -> Result<Self> {
        let searched = search_words(text);
        let expressions: Vec<String> = searched.iter().map(|it| it.expression.clone()).collect();
        let all = reader.about_how_many()?;
        let counts = reader.word_counts(&expressions)?;
        let given: Vec<&str> = text.split_whitespace().collect();
        let mut words = Vec::new();
        let mut absent = 0.0;
        for (word, count) in searched.into_iter().zip(counts) {
            let as_given = given.iter().find(|it| same_word(it, &word));
            let as_given = as_given.map_or(word.word.as_str(), |it| *it).to_owned();
            let corrections = match count {
                0 => spelling::corrections(reader, tokenizer, &word.word)?,
                _ => Vec::new(),
            };
            let is_corrected = !corrections.is_empty();
            let count = count + corrections.iter().map(|it| it.count).sum::<u64>();
            if count == 0 {
                absent += rarity(1, all);
            }
            let factor = if is_corrected { CORRECTED } else { 1.0 };
            words.push(Word {
                is_identifier: !is_corrected && count > 0 && is_identifier(&as_given),
                plain: match corrections.as_slice() {
                    [] => vec![plain(&word.word)],
                    some => some.iter().map(|it| plain(&it.word)).collect(),
                },
                corrections,
                given: as_given,
                count,
                weight: factor * rarity(count, all),
            });
        }
        let phrase = (words.len() > 1).then(|| plain(text));
        Ok(Self {
            all: words,
            absent,
            phrase,
        })
    }

    /// The query with its misspelt words corrected. A word that differs in two places from all others
    /// may be a word of its own: it keeps its meaning.
    pub fn corrected<'t>(&'t self, text: &'t str) -> Cow<'t, str> {
        if self.all.iter().all(|word| word.surely().is_none()) {
            return Cow::Borrowed(text);
        }
        let corrected = |given: &'t str| {
            let word = self.all.iter().find(|word| word.given == given);
            word.and_then(Word::surely).unwrap_or(given)
        };
        let words: Vec<&str> = text.split_whitespace().map(corrected).collect();
        Cow::Owned(words.join(" "))
    }

    /// The identifiers of a query that is mainly about them: in a long message they are places and
    /// values that were different elsewhere.
    pub fn identifiers(&self) -> Vec<&str> {
        let names = self.all.iter().filter(|word| word.is_identifier);
        let names: Vec<&str> = names.map(|word| trimmed(&word.given)).collect();
        if 2 * names.len() >= self.all.len() {
            return names;
        }
        Vec::new()
    }

    /// The words to search for: the rarest, as long as not too many entities have them.
    pub fn telling(&self) -> String {
        let mut known: Vec<&Word> = self.all.iter().filter(|word| word.count > 0).collect();
        known.sort_by_key(|word| word.count);
        let mut matches = 0;
        let chosen = known.iter().enumerate().take_while(|(place, word)| {
            matches += word.count;
            *place == 0 || matches <= MATCHES
        });
        let chosen: Vec<&str> = chosen.flat_map(|(_, word)| word.searched()).collect();
        chosen.join(" ")
    }

    pub fn covered(&self, entity: &Entity) -> Covered {
        let text = text_of(entity);
        let has = |words: &str| !words.trim().is_empty() && text.contains(words);
        let of_words: f64 = self.all.iter().map(|word| word.weight).sum();
        let found = self
            .all
            .iter()
            .filter(|word| word.weight > 0.0 && word.plain.iter().any(|it| has(it)));
        let found: f64 = found.map(|word| word.weight).sum();
        let (mut of_pairs, mut found_pairs) = (0.0, 0.0);
        for pair in self.all.windows(2) {
            let weight = f64::midpoint(pair[0].weight, pair[1].weight);
            of_pairs += weight;
            if weight > 0.0 && has_pair(&text, pair) {
                found_pairs += weight;
            }
        }
        let share = |found: f64, all: f64| {
            if found > 0.0 {
                found / (all + self.absent)
            } else {
                0.0
            }
        };
        Covered {
            words: share(found, of_words),
            pairs: share(found_pairs, of_pairs),
            phrase: self.phrase.as_deref().is_some_and(has),
        }
    }
}

/// Whether two words follow each other in a text.
fn has_pair(text: &str, pair: &[Word]) -> bool {
    // Each begins and ends with a space.
    let follow = |one: &str, other: &str| {
        let is_word = !one.trim().is_empty() && !other.trim().is_empty();
        is_word && text.contains(&format!("{}{other}", one.trim_end()))
    };
    let [one, other] = pair else {
        return false;
    };
    let follows = |first: &String| other.plain.iter().any(|second| follow(first, second));
    one.plain.iter().any(follows)
}

/// Everything that is searched of an entity, as [`plain`] writes it. A row of words does not go on from
/// one field to the next.
fn text_of(entity: &Entity) -> String {
    let tags = entity.tags.join(" ");
    let properties = entity.searchable_properties();
    let content = entity.content.as_deref().unwrap_or_default();
    let fields = [entity.title.as_str(), &tags, content, &properties];
    let mut text = String::new();
    for field in fields {
        let end = field.floor_char_boundary(MAX_TEXT_BYTES);
        text.push_str(&plain(&field[..end]));
    }
    text
}

/// The words of a text in lower case and without accents, each between two spaces that it shares with
/// its neighbours.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    if text.is_ascii() {
        for letter in text.chars() {
            if letter.is_ascii_alphanumeric() {
                out.push(letter.to_ascii_lowercase());
            } else if !out.ends_with(' ') {
                out.push(' ');
            }
        }
    } else {
        let words = windlass_vectors::words(text).into_iter();
        let is_kept = |letter: char| letter.is_alphanumeric() || !letter.is_ascii();
        for word in words.filter(|word| word.chars().any(is_kept)) {
            out.push_str(&word);
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

fn same_word(given: &str, word: &SearchWord) -> bool {
    let letters = |text: &str| -> String {
        let kept = text.chars().filter(|letter| letter.is_alphanumeric());
        kept.flat_map(char::to_lowercase).collect()
    };
    letters(given) == letters(&word.word)
}

/// Nothing for a word that nobody has or nearly everybody has.
#[expect(clippy::cast_precision_loss, reason = "counts of entities")]
fn rarity(count: u64, all: i64) -> f64 {
    if count == 0 {
        return 0.0;
    }
    let all = (all.max(1) as f64).max(count as f64);
    ((all + 1.0) / (count as f64 + 0.5)).ln().max(0.0)
}

/// Whether a text has the identifiers of a query, letter by letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    No,
    /// At least one only as a part of a longer one.
    Partly,
    Wholly,
}

/// Whether an entity has every identifier.
pub fn named_in(entity: &Entity, identifiers: &[&str]) -> Named {
    let properties = entity.searchable_properties();
    let content = entity.content.as_deref().unwrap_or_default();
    let tags = entity.tags.iter().map(String::as_str);
    let texts: Vec<&str> = [entity.title.as_str(), content, &properties]
        .into_iter()
        .chain(tags)
        .collect();
    let best = |name: &&str| texts.iter().map(|text| name_in(text, name)).max();
    let worst = identifiers.iter().filter_map(best).min();
    worst.unwrap_or(Named::No)
}

fn name_in(text: &str, name: &str) -> Named {
    let continues =
        |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let found = text.match_indices(name).map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        if continues(before) || continues(after) {
            Named::Partly
        } else {
            Named::Wholly
        }
    });
    found.max().unwrap_or(Named::No)
}

/// Without the marks that stand around a name in a sentence.
fn trimmed(word: &str) -> &str {
    word.trim_matches(|letter: char| {
        matches!(
            letter,
            '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '?' | '!' | '.' | ':'
        )
    })
}

/// Names that programs use, which people type exactly: `snake_case`, `camelCase`, `E0382`,
/// `src/main.rs`, `std::fmt`, `--flag`.
fn is_identifier(word: &str) -> bool {
    let word = trimmed(word);
    if word.chars().count() < 3 {
        return false;
    }
    let has = |test: fn(char) -> bool| word.chars().any(test);
    let letters: Vec<char> = word.chars().collect();
    let mixed = letters
        .windows(2)
        .any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let joined = letters.windows(3).any(|three| {
        matches!(three[1], '_' | '/' | '.' | ':' | '\\' | '=')
            && (three[0].is_alphanumeric() || three[0] == three[1])
            && (three[2].is_alphanumeric() || three[2] == three[1])
    });
    let coded = has(char::is_alphabetic) && has(|letter| letter.is_ascii_digit());
    mixed || joined || coded || word.starts_with("--") || word.contains('_')
}

#[cfg(test)]
mod tests {
    use super::{Named, is_identifier, name_in, plain, rarity};

    #[test]
    fn words_stand_between_spaces() {
        for (text, expected) in [
            ("", " "),
            ("Cannot open src/main.rs!", " cannot open src main rs "),
            ("naïve CAFÉ", " naive cafe "),
            ("--", " "),
            ("設計 v2", " 設 計 v2 "),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn identifiers_are_names_of_programs() {
        for word in [
            "snake_case",
            "camelCase",
            "E0382",
            "src/main.rs",
            "std::fmt",
            "--flag",
            "config.toml",
            "_private",
            "utf8",
            "`is_foo`",
        ] {
            assert!(is_identifier(word), "{word}");
        }
        for word in [
            "database",
            "The",
            "fails.",
            "I",
            "well-known",
            "(why?)",
            "2024",
            "C++",
        ] {
            assert!(!is_identifier(word), "{word}");
        }
    }

    #[test]
    fn a_part_of_a_longer_name_is_another_name() {
        for (text, name, expected) in [
            ("see `get_user`.", "get_user", Named::Wholly),
            ("get_user_by_id, then get_user()", "get_user", Named::Wholly),
            ("get_user_by_id", "get_user", Named::Partly),
            ("budget_user", "get_user", Named::Partly),
            ("get user", "get_user", Named::No),
            ("crates/a/src/main.rs:12", "src/main.rs", Named::Wholly),
        ] {
            assert_eq!(name_in(text, name), expected, "{text}");
        }
    }

    #[test]
    fn rare_words_count_more() {
        assert!(rarity(1, 1_000) > rarity(10, 1_000));
        assert!(rarity(1_000, 1_000) < 0.01);
        assert!(rarity(0, 1_000).abs() < f64::EPSILON);
    }
}
