//! Finding the entities that an operation is about, with the errors of the knowledge contract.

use windlass_core::{Entity, EntityType, Error, ErrorKind, Result};
use windlass_store::Reader;

use crate::arguments::Id;

/// The entity that an argument names, which must be of one type.
pub(crate) fn expect(
    reader: &Reader<'_>,
    field: &str,
    id: &Id,
    kind: EntityType,
) -> Result<Entity> {
    let entity = reader.entity(&reader.resolve(field, &id.0)?)?;
    if entity.kind == kind {
        return Ok(entity);
    }
    let (found, wanted) = (entity.kind.name(), kind.name());
    Err(Error::validation(
        field,
        format!("entity {} is a {found}, not a {wanted}", entity.number),
    ))
}

/// Both ends of a relation. A missing target has an error of its own.
pub(crate) fn ends(reader: &Reader<'_>, source: &Id, target: &Id) -> Result<(Entity, Entity)> {
    let source = reader.entity(&reader.resolve("source_id", &source.0)?)?;
    let target = reader.resolve("target_id", &target.0).map_err(|error| {
        if error.kind() == ErrorKind::EntityNotFound {
            Error::relation_target_not_found(&target.0)
        } else {
            error
        }
    })?;
    Ok((source, reader.entity(&target)?))
}
