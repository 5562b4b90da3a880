//! A feature with all details.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Entity, Result};
use windlass_store::Reader;

use super::learnings::{self, FeatureLearningOutput};
use crate::entity_fields::{Feature, FieldOutputs};
use crate::view::{Render, Span, Style, View};

/// A part of the product that tasks belong to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeatureOutput {
    /// The number of its entity.
    pub id: i64,
    #[serde(flatten)]
    pub fields: FieldOutputs<Feature>,
    pub learnings: Vec<FeatureLearningOutput>,
    pub created_at: String,
    pub updated_at: String,
}

impl FeatureOutput {
    pub fn read(reader: &Reader<'_>, feature: &Entity) -> Result<Self> {
        Ok(Self {
            id: feature.number,
            fields: FieldOutputs::from(feature),
            learnings: learnings::of(reader, feature)?,
            created_at: feature.created_at.as_str().to_owned(),
            updated_at: feature.updated_at.as_str().to_owned(),
        })
    }
}

impl Render for FeatureOutput {
    fn view(&self) -> View {
        let view = View::default()
            .line([Span::new(self.fields.title(), Style::Strong)])
            .fields(self.fields.lines());
        let learnt: Vec<String> = self
            .learnings
            .iter()
            .map(FeatureLearningOutput::line)
            .collect();
        self.fields.sections(view).list("learnings", &learnt)
    }
}
