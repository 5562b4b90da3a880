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
use windlass_store::{Hit, Reader, SearchFilter};
use windlass_vectors::{Model, Vector};

use super::nearest::{Near, Wanted, nearest};
use super::query_words::{Covered, Named, QueryWords, named_in};
use super::text::piece_of;
use crate::context::ReadContext;

/// Candidates of each search.
const CANDIDATES: u32 = 60;
/// What is less similar is not a candidate.
const LEAST_SIMILAR: f32 = 0.2;
/// A query by meaning is about its beginning.
const MAX_QUERY_CHARS: usize = 2_000;

/// How much the words count beside the meaning. Found by `search-eval` in benches, with the half of its
/// questions that is for tuning.
const BY_WORDS: f64 = 0.8;
const BY_PAIRS: f64 = 0.4;
const BY_PHRASE: f64 = 0.3;
/// Each is more than all that the ones before it can differ by: identifiers as a part of longer ones, as
/// they are, and the number or title that the query is.
const PARTS_OF_IDENTIFIERS: f64 = 1.0;
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
    /// The nearest piece of its text, if it was found by meaning.
    piece: Option<String>,
    /// Where words of the query are, if it was found by words.
    around_words: Option<String>,
}

/// Searches by words and by meaning. The query's filters must not have more than types.
pub fn search(
    context: &ReadContext,
    model: &Model,
    query: &SearchQuery,
    limit: usize,
) -> Result<Combined> {
    let text = query.text.trim();
    let words = context.read(|reader| QueryWords::of(reader, model.tokenizer(), text))?;
    // A misspelt word has no meaning, or another one.
    let corrected = words.corrected(text);
    let beginning: String = corrected.chars().take(MAX_QUERY_CHARS).collect();
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
                piece: piece_of(&near.entity, &near.piece),
                around_words: None,
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
                    piece: None,
                    around_words: None,
                }),
            };
            known.around_words = hit.snippet;
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
            piece: None,
            around_words: None,
        });
        Ok(())
    }

    fn ranked(self, text: &str, words: &QueryWords, limit: usize) -> Vec<CombinedHit> {
        let identifiers = words.identifiers();
        let mut hits: Vec<CombinedHit> = self
            .0
            .into_values()
            .map(|candidate| {
                let covered = words.covered(&candidate.entity);
                let named = named_in(&candidate.entity, &identifiers);
                scored(candidate, text, covered, named)
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

/// How near the nearest piece of an entity's text is.
fn similarity(reader: &Reader<'_>, to: &Vector, entity: &Entity) -> Result<f64> {
    let stored = reader.vectors_of(&entity.id)?.into_iter();
    let pieces = stored.filter_map(|bytes| Vector::from_bytes(&bytes));
    let similarities = pieces.map(|piece| f64::from(to.similarity(&piece)));
    Ok(similarities.fold(0.0, f64::max).min(1.0))
}

fn scored(candidate: Candidate, text: &str, covered: Covered, named: Named) -> CombinedHit {
    let entity = candidate.entity;
    let is_named = number_in(text) == Some(entity.number)
        || entity.title.trim().to_lowercase() == text.to_lowercase();
    let many = covered.many_words();
    let mut score = candidate.similarity;
    // Words that could be there by chance do not change what the meaning says.
    if many > 0.0 {
        score += BY_WORDS * many + BY_PAIRS * covered.pairs;
    }
    if covered.phrase {
        score += BY_PHRASE;
    }
    score += match named {
        Named::No => 0.0,
        Named::Partly => PARTS_OF_IDENTIFIERS,
        Named::Wholly => IDENTIFIERS,
    };
    if is_named {
        score += EXACT;
    }
    // Where the words are says more than the nearest piece, unless they could be there by chance.
    let snippet = if many > 0.0 {
        candidate.around_words.or(candidate.piece)
    } else {
        candidate.piece.or(candidate.around_words)
    };
    CombinedHit {
        signals: Signals {
            similarity: candidate.similarity,
            words: many,
        },
        hit: Hit {
            entity,
            score,
            snippet,
        },
    }
}

fn number_in(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::number_in;

    #[test]
    fn numbers_are_numbers_of_entities() {
        assert_eq!(number_in("#12"), Some(12));
        assert_eq!(number_in("12"), Some(12));
        assert_eq!(number_in("12a"), None);
    }
}
