//! The search by words and the search by meaning, joined.
//!
//! Adding up the ranks of both would bury what only one of them finds. Instead every candidate of
//! either gets one score: how near its meaning is, and how much of the query it has word by word,
//! where a rare word counts and a common one hardly does. Three things come first whatever their
//! meaning: the entity whose number or title the query is, and entities that have every identifier
//! of the query.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use windlass_core::{Entity, Page, Result, SearchQuery};
use windlass_store::{Hit, Reader, SearchFilter, SearchWord, search_words};
use windlass_vectors::{Model, Tokenizer, Vector};

use super::nearest::{Near, Wanted, nearest};
use super::spelling;
use super::text::piece_of;
use crate::context::ReadContext;

/// Candidates of each search.
const CANDIDATES: u32 = 60;
/// What is less similar is not a candidate.
const LEAST_SIMILAR: f32 = 0.2;
/// A query by meaning is about its beginning.
const MAX_QUERY_CHARS: usize = 2_000;
/// How many entities with a word are counted at least, and at most this share of all: a word that more
/// have is common.
const COUNTED: u32 = 2_000;
const COMMON_SHARE: u32 = 8;
/// Entities that are looked at by their words: the words that most have are not searched for, so that
/// a search takes no longer in a larger project.
const MATCHES: u64 = 2_000;
/// How much of a text is compared with the query word by word.
const MAX_TEXT_BYTES: usize = 20_000;

/// How much the words count beside the meaning. Found by `search-eval` in benches, with the half of its
/// questions that is for tuning.
const BY_ANY_WORDS: f64 = 0.1;
const BY_MANY_WORDS: f64 = 0.6;
const BY_PAIRS: f64 = 0.4;
const BY_PHRASE: f64 = 0.3;
/// Up to this share of the query, its words could be there by chance.
const BY_CHANCE: f64 = 0.2;
/// A word that was corrected counts less than one that is there.
const CORRECTED: f64 = 0.7;
/// Above everything that the other parts add up to.
const IDENTIFIERS: f64 = 2.0;
const EXACT: f64 = 4.0;

/// What speaks for a hit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// How near its meaning is, from 0 to 1.
    pub similarity: f64,
    /// How much of the query it has word by word, from 0 to 1.
    pub words: f64,
}

/// An entity that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct CombinedHit {
    pub hit: Hit,
    pub signals: Signals,
}

/// What was found, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Combined {
    pub hits: Vec<CombinedHit>,
    /// Texts that have no vectors yet.
    pub waiting: u64,
}

struct Candidate {
    entity: Entity,
    similarity: f64,
    snippet: Option<String>,
}

/// Searches by words and by meaning. The query's filters must not have more than types.
pub fn search(
    context: &ReadContext,
    model: &Model,
    query: &SearchQuery,
    limit: usize,
) -> Result<Combined> {
    let text = query.text.trim();
    let beginning: String = text.chars().take(MAX_QUERY_CHARS).collect();
    let to = model.embed(&beginning);
    let wanted = Wanted {
        kinds: &query.types,
        limit: (CANDIDATES as usize).max(limit),
        threshold: LEAST_SIMILAR,
    };
    let (near, waiting) = nearest(context, model, &to, wanted)?;
    context.read(|reader| {
        reader.consistently(|reader| {
            let mut candidates = Candidates::default();
            candidates.add_near(near);
            let words = Words::of(reader, model.tokenizer(), text)?;
            let by_words = SearchQuery {
                text: words.telling(),
                ..query.clone()
            };
            candidates.add_matching(reader, &to, by_words, limit)?;
            candidates.add_numbered(reader, query)?;
            let hits = candidates.ranked(text, &words, limit);
            Ok(Combined { hits, waiting })
        })
    })
}

#[derive(Default)]
struct Candidates(BTreeMap<i64, Candidate>);

impl Candidates {
    fn add_near(&mut self, near: Vec<Near>) {
        for near in near {
            let candidate = Candidate {
                snippet: piece_of(&near.entity, &near.piece),
                similarity: f64::from(near.similarity).clamp(0.0, 1.0),
                entity: near.entity,
            };
            self.0.insert(near.row, candidate);
        }
    }

    fn add_matching(
        &mut self,
        reader: &Reader<'_>,
        to: &Vector,
        query: SearchQuery,
        limit: usize,
    ) -> Result<()> {
        let most = u32::try_from(limit)
            .unwrap_or(u32::MAX)
            .clamp(CANDIDATES, 200);
        let filter = SearchFilter {
            query,
            page: Page {
                limit: most,
                offset: 0,
            },
        };
        for hit in reader.search_any(&filter)? {
            let row = reader.entity_row(&hit.entity.id)?;
            let known = match self.0.entry(row) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(Candidate {
                    similarity: similarity(reader, to, &hit.entity)?,
                    entity: hit.entity,
                    snippet: None,
                }),
            };
            // Where the words are says more than the nearest piece.
            known.snippet = hit.snippet.or(known.snippet.take());
        }
        Ok(())
    }

    /// `12` and `#12` mean the entity of that number too.
    fn add_numbered(&mut self, reader: &Reader<'_>, query: &SearchQuery) -> Result<()> {
        let text = query.text.trim();
        if number_in(text).is_none() {
            return Ok(());
        }
        let Ok(entity) = reader
            .resolve("query", text)
            .and_then(|id| reader.entity(&id))
        else {
            return Ok(());
        };
        if !query.types.is_empty() && !query.types.contains(&entity.kind) {
            return Ok(());
        }
        let row = reader.entity_row(&entity.id)?;
        self.0.entry(row).or_insert(Candidate {
            entity,
            similarity: 0.0,
            snippet: None,
        });
        Ok(())
    }

    fn ranked(self, text: &str, words: &Words, limit: usize) -> Vec<CombinedHit> {
        let identifiers = words.identifiers();
        let mut hits: Vec<CombinedHit> = self
            .0
            .into_values()
            .map(|candidate| {
                let covered = words.covered(&candidate.entity);
                let is_exact = has_all(&candidate.entity, &identifiers);
                scored(candidate, text, covered, is_exact)
            })
            .collect();
        hits.sort_by(|one, other| {
            other
                .hit
                .score
                .total_cmp(&one.hit.score)
                .then(one.hit.entity.number.cmp(&other.hit.entity.number))
        });
        hits.truncate(limit);
        hits
    }
}

/// Whether an entity has every identifier, letter by letter.
fn has_all(entity: &Entity, identifiers: &[&str]) -> bool {
    if identifiers.is_empty() {
        return false;
    }
    let properties = entity.searchable_properties();
    let content = entity.content.as_deref().unwrap_or_default();
    let tags = entity.tags.iter().map(String::as_str);
    let texts: Vec<&str> = [entity.title.as_str(), content, &properties]
        .into_iter()
        .chain(tags)
        .collect();
    let has = |identifier: &&str| texts.iter().any(|text| text.contains(*identifier));
    identifiers.iter().all(has)
}

/// How near the nearest piece of an entity's text is.
fn similarity(reader: &Reader<'_>, to: &Vector, entity: &Entity) -> Result<f64> {
    let stored = reader.vectors_of(&entity.id)?.into_iter();
    let pieces = stored.filter_map(|bytes| Vector::from_bytes(&bytes));
    let similarities = pieces.map(|piece| f64::from(to.similarity(&piece)));
    Ok(similarities.fold(0.0, f64::max).min(1.0))
}

fn scored(candidate: Candidate, text: &str, covered: Covered, is_exact: bool) -> CombinedHit {
    let entity = candidate.entity;
    let is_named = number_in(text) == Some(entity.number)
        || entity.title.trim().to_lowercase() == text.to_lowercase();
    let many = covered.many_words();
    let mut score = candidate.similarity
        + BY_ANY_WORDS * covered.words
        + BY_MANY_WORDS * many
        + BY_PAIRS * covered.pairs
        + if covered.phrase { BY_PHRASE } else { 0.0 };
    if is_exact {
        score += IDENTIFIERS;
    }
    if is_named {
        score += EXACT;
    }
    CombinedHit {
        signals: Signals {
            similarity: candidate.similarity,
            words: many,
        },
        hit: Hit {
            entity,
            score,
            snippet: candidate.snippet,
        },
    }
}

fn number_in(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// The words of a query, and what each says.
struct Words {
    all: Vec<Word>,
    /// What the words that nobody has count against everybody: as much as the rarest that somebody has.
    absent: f64,
    /// All of them in a row, if there is more than one.
    phrase: Option<String>,
}

struct Word {
    /// As it was given.
    given: String,
    /// The same, corrected if it was misspelt.
    searched: String,
    /// As texts have it, see [`plain`].
    plain: String,
    /// How many entities have it, counted up to a limit.
    count: u64,
    /// How rare it is. 0 if no entity has it.
    weight: f64,
    is_identifier: bool,
}

/// How much of a query an entity has, from 0 to 1.
#[derive(Debug, Clone, Copy, Default)]
struct Covered {
    /// Of its words.
    words: f64,
    /// Of its pairs of words that follow each other: a message has them even where the values in it
    /// are others.
    pairs: f64,
    /// Whether it has all words in a row.
    phrase: bool,
}

impl Covered {
    /// A few shared words say little; nearly all of them say a lot.
    fn many_words(&self) -> f64 {
        let beyond = (self.words - BY_CHANCE) / (1.0 - BY_CHANCE);
        beyond.clamp(0.0, 1.0).powi(2)
    }
}

impl Words {
    fn of(reader: &Reader<'_>, tokenizer: Tokenizer<'_>, text: &str) -> Result<Self> {
        let searched = search_words(text);
        let expressions: Vec<String> = searched.iter().map(|it| it.expression.clone()).collect();
        let all = reader.about_how_many()?;
        let most = u32::try_from(all).unwrap_or(u32::MAX) / COMMON_SHARE;
        let most = most.max(COUNTED);
        let counts = reader.word_counts(&expressions, most)?;
        let given: Vec<&str> = text.split_whitespace().collect();
        let mut words = Vec::new();
        let mut absent = 0.0;
        for (word, count) in searched.into_iter().zip(counts) {
            let as_given = given.iter().find(|it| same_word(it, &word));
            let as_given = as_given.map_or(word.word.as_str(), |it| *it).to_owned();
            let corrected = match count {
                0 => spelling::correction(reader, tokenizer, &word.word)?,
                _ => None,
            };
            let count = match &corrected {
                Some(corrected) => {
                    let expression = format!("\"{corrected}\"");
                    let counted = reader.word_counts(&[expression], most)?;
                    counted.first().copied().unwrap_or(0)
                }
                None => count,
            };
            if count == 0 {
                absent += rarity(1, all);
            }
            let factor = if corrected.is_some() { CORRECTED } else { 1.0 };
            words.push(Word {
                is_identifier: corrected.is_none() && count > 0 && is_identifier(&as_given),
                plain: plain(corrected.as_deref().unwrap_or(&word.word)),
                searched: corrected.unwrap_or_else(|| as_given.clone()),
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

    /// The identifiers of a query that is mainly about them: in a long message they are places and
    /// values that were different elsewhere.
    fn identifiers(&self) -> Vec<&str> {
        let names = self.all.iter().filter(|word| word.is_identifier);
        let names: Vec<&str> = names.map(|word| trimmed(&word.given)).collect();
        if 2 * names.len() >= self.all.len() {
            return names;
        }
        Vec::new()
    }

    /// The words to search for: the rarest, as long as not too many entities have them.
    fn telling(&self) -> String {
        let mut known: Vec<&Word> = self.all.iter().filter(|word| word.count > 0).collect();
        known.sort_by_key(|word| word.count);
        let mut matches = 0;
        let chosen = known.iter().enumerate().take_while(|(place, word)| {
            matches += word.count;
            *place == 0 || matches <= MATCHES
        });
        let chosen: Vec<&str> = chosen.map(|(_, word)| word.searched.as_str()).collect();
        chosen.join(" ")
    }

    fn covered(&self, entity: &Entity) -> Covered {
        let text = text_of(entity);
        let has = |words: &str| !words.trim().is_empty() && text.contains(words);
        let of_words: f64 = self.all.iter().map(|word| word.weight).sum();
        let found = self
            .all
            .iter()
            .filter(|word| word.weight > 0.0 && has(&word.plain));
        let found: f64 = found.map(|word| word.weight).sum();
        let (mut of_pairs, mut found_pairs) = (0.0, 0.0);
        for pair in self.all.windows(2) {
            let weight = f64::midpoint(pair[0].weight, pair[1].weight);
            of_pairs += weight;
            // Each ends and begins with a space.
            if weight > 0.0 && has(&format!("{}{}", pair[0].plain.trim_end(), pair[1].plain)) {
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
    use super::{is_identifier, number_in, plain, rarity};

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
    fn rare_words_count_more() {
        assert!(rarity(1, 1_000) > rarity(10, 1_000));
        assert!(rarity(1_000, 1_000) < 0.01);
        assert!(rarity(0, 1_000).abs() < f64::EPSILON);
        assert_eq!(number_in("#12"), Some(12));
        assert_eq!(number_in("12a"), None);
    }
}
