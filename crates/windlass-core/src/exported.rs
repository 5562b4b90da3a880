//! An entity with everything that belongs to it, as exports and snapshots carry it.

use serde_json::Value as Json;

use crate::{Entity, EntityId, EntityType, RelationType, Timestamp};

/// One entity with everything that belongs to it, for an export.
#[derive(Debug, Clone)]
pub struct Exported {
    pub entity: Entity,
    /// Its relations to entities that exist, by type and target number.
    pub relations: Vec<ExportedRelation>,
    pub comments: Vec<(i64, Json)>,
    pub learnings: Vec<(i64, Json)>,
    /// Where it was imported from.
    pub origins: Vec<Json>,
}

#[derive(Debug, Clone)]
pub struct ExportedRelation {
    pub kind: RelationType,
    pub target: EntityId,
    pub target_number: i64,
    pub target_type: EntityType,
    pub created_at: Timestamp,
}
