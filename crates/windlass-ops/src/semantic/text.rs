//! The text of an entity as the model reads it.

use std::ops::Range;

use windlass_core::Entity;

/// The heading and the body. Every piece of a long body has the heading too.
pub fn heading_and_body(entity: &Entity) -> (String, String) {
    let mut heading = entity.title.clone();
    if !entity.tags.is_empty() {
        heading = format!("{heading} ({})", entity.tags.join(", "));
    }
    (heading, body(entity))
}

fn body(entity: &Entity) -> String {
    let mut body = entity.content.clone().unwrap_or_default();
    let properties = entity.searchable_properties();
    if !properties.trim().is_empty() {
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(&properties);
    }
    body
}

/// Characters of a piece that are shown.
const SHOWN: usize = 240;

/// The piece of an entity's text that a vector was made of, shortened; `None` if it is the title
/// alone.
pub fn piece_of(entity: &Entity, bytes: &Range<usize>) -> Option<String> {
    let body = body(entity);
    let piece = body.get(bytes.clone()).map_or("", str::trim);
    if piece.is_empty() {
        return None;
    }
    let folded = piece.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = match folded.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &folded[..end]),
        None if bytes.end < body.trim_end().len() => format!("{folded}…"),
        None => folded,
    };
    if bytes.start > 0 {
        shown.insert(0, '…');
    }
    Some(shown)
}
