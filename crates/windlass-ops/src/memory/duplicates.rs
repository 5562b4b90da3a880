//! What says nearly the same: by vectors where there are some, by words otherwise.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{EntityType, Result};
use windlass_store::Reader;
use windlass_vectors::Vector;

use super::items::{self, MemoryItem, truth_of};
use crate::context::ReadContext;
use crate::semantic::{Wanted, nearest, similar_texts};

/// From here on two texts probably say the same.
pub const SAME: f32 = 0.82;

/// Something that probably says the same.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Similar {
    /// What other operations call it.
    pub reference: String,
    pub text: String,
    /// 0 to 1.
    pub similarity: f64,
}

fn rounded(similarity: f32) -> f64 {
    (f64::from(similarity) * 100.0).round() / 100.0
}

/// Notes and learnings that probably say the same as a text, most similar first. Nothing without a
/// model.
pub fn similar_to(context: &ReadContext, text: &str, except: Option<&str>) -> Result<Vec<Similar>> {
    let Some(model) = context.workspace.meaning().ready() else {
        return Ok(Vec::new());
    };
    let to = model.embed(text);
    let wanted = Wanted {
        kinds: &[EntityType::Note],
        limit: 8,
        threshold: SAME,
    };
    let (notes, _) = nearest(context, &model, &to, wanted)?;
    let mut holding = Vec::new();
    for near in notes {
        if !context
            .read(|reader| truth_of(reader, &near.entity))?
            .is_retired()
        {
            holding.push(near);
        }
    }
    let mut found: Vec<Similar> = holding
        .into_iter()
        .map(|near| Similar {
            reference: format!("#{}", near.entity.number),
            text: near.entity.title,
            similarity: rounded(near.similarity),
        })
        .collect();
    found.extend(context.read(|reader| {
        let learnings: Vec<MemoryItem> = items::all(reader)?
            .into_iter()
            .filter(|it| it.entity.is_none() && !it.truth.is_retired() && it.text != text)
            .collect();
        let texts: Vec<&str> = learnings.iter().map(|it| it.text.as_str()).collect();
        let similar = similar_texts(reader, &to, &texts)?;
        let near = similar
            .into_iter()
            .filter(|(_, similarity)| *similarity >= SAME);
        Ok(near
            .map(|(place, similarity)| Similar {
                reference: learnings[place].reference.clone(),
                text: learnings[place].text.clone(),
                similarity: rounded(similarity),
            })
            .collect::<Vec<_>>())
    })?);
    found.retain(|it| Some(it.reference.as_str()) != except);
    found.sort_by(|one, other| {
        other
            .similarity
            .total_cmp(&one.similarity)
            .then(one.reference.cmp(&other.reference))
    });
    found.truncate(3);
    Ok(found)
}

/// For each item the place of an earlier one that says the same.
pub fn pairs(reader: &Reader<'_>, items: &[MemoryItem]) -> Result<Vec<Option<usize>>> {
    let vectors = items
        .iter()
        .map(|item| {
            let stored = match &item.entity {
                Some(note) => reader.vectors_of(&note.id)?.into_iter().next(),
                None => reader.text_vector(&item.text)?,
            };
            Ok(stored.as_deref().and_then(Vector::from_bytes))
        })
        .collect::<Result<Vec<Option<Vector>>>>()?;
    let same = |one: usize, other: usize| match (&vectors[one], &vectors[other]) {
        (Some(one), Some(other)) => one.similarity(other) >= SAME,
        _ => items[one]
            .text
            .trim()
            .eq_ignore_ascii_case(items[other].text.trim()),
    };
    Ok((0..items.len())
        .map(|at| {
            let counts = !items[at].truth.is_retired();
            let mut before = (0..at).filter(|_| counts);
            before.find(|it| !items[*it].truth.is_retired() && same(*it, at))
        })
        .collect())
}
