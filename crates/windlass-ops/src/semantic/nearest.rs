//! What is near to a text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use windlass_core::{Entity, EntityType, Result};
use windlass_store::{Reader, Unembedded};
use windlass_vectors::{Found, Model, Nearest, Vector, pieces};

use super::text::heading_and_body;
use super::vector_file::{self, group};
use crate::context::ReadContext;

/// Texts that wait for their vectors, and how long a search may take to look at them all the same.
const WAITING: u32 = 8;
const WAITING_TIME: Duration = Duration::from_millis(300);

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// All types if it is empty.
    pub kinds: &'w [EntityType],
    pub limit: usize,
    pub threshold: f32,
}

/// An entity that is near, and the piece of its text that is nearest.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    pub entity: Entity,
    /// Its row in the database.
    pub row: i64,
    pub similarity: f32,
    pub piece: Range<usize>,
}

/// The nearest entities to a vector, and how many texts have no vectors yet.
pub fn nearest(
    context: &ReadContext,
    model: &Model,
    to: &Vector,
    wanted: Wanted<'_>,
) -> Result<(Vec<Near>, u64)> {
    context.read(|reader| {
        reader.consistently(|reader| {
            let mut near = stored(context, reader, to, wanted)?;
            let waiting = reader.unembedded_count()?;
            if waiting > 0 {
                add_waiting(&mut near, model, to, wanted, reader)?;
            }
            near.sort_by(|one, other| {
                other
                    .similarity
                    .total_cmp(&one.similarity)
                    .then(one.entity.number.cmp(&other.entity.number))
            });
            near.truncate(wanted.limit);
            Ok((near, waiting))
        })
    })
}

/// Those that have vectors. A text of many pieces may take many places, so that more are looked at
/// until there are enough.
fn stored(
    context: &ReadContext,
    reader: &Reader<'_>,
    to: &Vector,
    wanted: Wanted<'_>,
) -> Result<Vec<Near>> {
    let mut most = wanted.limit * 2 + 32;
    loop {
        let (found, is_full) = scan(context, reader, to, wanted, most)?;
        let near = entities(reader, &found, wanted.limit)?;
        if near.len() >= wanted.limit || !is_full {
            return Ok(near);
        }
        most *= 8;
    }
}

fn scan(
    context: &ReadContext,
    reader: &Reader<'_>,
    to: &Vector,
    wanted: Wanted<'_>,
    most: usize,
) -> Result<(Vec<Found>, bool)> {
    let mut nearest = Nearest::new(to, most, wanted.threshold);
    let mut after = 0;
    if context.state.is_trusted()
        && let Some(known) = reader.vector_file()?
        && let Some(path) = vector_file::path(context.workspace.project(), &known.name)
        && let Some(file) = context.workspace.models().vectors(&path)
    {
        let groups: Vec<u32> = wanted.kinds.iter().map(|kind| group(*kind)).collect();
        file.search(&mut nearest, |it| groups.is_empty() || groups.contains(&it));
        after = file.last();
    }
    reader.each_vector(after, |number, kind, bytes| {
        if !wanted.kinds.is_empty() && !wanted.kinds.contains(&kind) {
            return;
        }
        if let Some(vector) = Vector::from_bytes(bytes) {
            nearest.look(number, &vector);
        }
    })?;
    let is_full = nearest.is_full();
    Ok((nearest.into_found(), is_full))
}

/// The entities that the vectors belong to, each with its nearest piece. Vectors that are not in the
/// database any more are of texts that have changed or are gone.
fn entities(reader: &Reader<'_>, found: &[Found], limit: usize) -> Result<Vec<Near>> {
    let mut near: Vec<Near> = Vec::new();
    let mut seen = BTreeSet::new();
    for batch in found.chunks(64) {
        let numbers: Vec<i64> = batch.iter().map(|it| it.number).collect();
        let places = reader.vector_places(&numbers)?;
        for found in batch {
            let Some(place) = places.get(&found.number) else {
                continue;
            };
            if !seen.insert(place.row) {
                continue;
            }
            if let Some(entity) = reader.entity_in(place.row)? {
                near.push(Near {
                    entity,
                    row: place.row,
                    similarity: found.similarity,
                    piece: place.bytes.clone(),
                });
            }
            if near.len() >= limit {
                return Ok(near);
            }
        }
    }
    Ok(near)
}

/// Looks at a few texts that have no vectors yet, so that what was written a moment ago is found.
fn add_waiting(
    near: &mut Vec<Near>,
    model: &Model,
    to: &Vector,
    wanted: Wanted<'_>,
    reader: &Reader<'_>,
) -> Result<()> {
    let until = Instant::now() + WAITING_TIME;
    for Unembedded { entity, .. } in reader.unembedded(WAITING)? {
        if Instant::now() >= until {
            break;
        }
        if !wanted.kinds.is_empty() && !wanted.kinds.contains(&entity.kind) {
            continue;
        }
        let (heading, body) = heading_and_body(&entity);
        // The beginning says what a text is about; the rest comes with its vectors.
        let first = pieces(model.tokenizer(), &heading, &body)
            .into_iter()
            .next();
        let Some(piece) = first else {
            continue;
        };
        let similarity = to.similarity(&model.embed_tokens(&piece.tokens));
        if similarity >= wanted.threshold {
            near.push(Near {
                row: reader.entity_row(&entity.id)?,
                similarity,
                piece: piece.bytes,
                entity,
            });
        }
    }
    Ok(())
}

/// How similar short texts are to a vector, for those that have one: by their place in the list.
pub fn similar_texts(
    reader: &Reader<'_>,
    to: &Vector,
    texts: &[&str],
) -> Result<BTreeMap<usize, f32>> {
    let mut found = BTreeMap::new();
    for (place, text) in texts.iter().enumerate() {
        let stored = reader.text_vector(text)?;
        if let Some(vector) = stored.as_deref().and_then(Vector::from_bytes) {
            found.insert(place, to.similarity(&vector));
        }
    }
    Ok(found)
}
