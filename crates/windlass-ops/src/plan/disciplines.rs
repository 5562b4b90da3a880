//! A discipline with all details.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Entity;

use crate::entity_fields::{Discipline, FieldOutputs};
use crate::view::{Render, Span, Style, View};

/// An area of expertise that tasks need.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DisciplineOutput {
    /// The number of its entity.
    pub id: i64,
    #[serde(flatten)]
    pub fields: FieldOutputs<Discipline>,
    pub created_at: String,
    pub updated_at: String,
}

impl From<&Entity> for DisciplineOutput {
    fn from(discipline: &Entity) -> Self {
        Self {
            id: discipline.number,
            fields: FieldOutputs::from(discipline),
            created_at: discipline.created_at.as_str().to_owned(),
            updated_at: discipline.updated_at.as_str().to_owned(),
        }
    }
}

impl Render for DisciplineOutput {
    fn view(&self) -> View {
        let view = View::default()
            .line([Span::new(self.fields.title(), Style::Strong)])
            .fields(self.fields.lines());
        self.fields.sections(view)
    }
}
