//! A feature with all that belongs to it.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Entity, Result};
use windlass_store::Reader;

use super::learnings::{self, FeatureLearningOutput};
use super::outputs::{list, section};
use crate::view::{Render, Span, Style, View};

/// A part of the product that tasks belong to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeatureOutput {
    pub name: String,
    /// The number of the entity behind it.
    pub id: i64,
    pub display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acronym: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub knowledge_paths: Vec<String>,
    pub context_files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundaries: Option<String>,
    pub dependencies: Vec<String>,
    pub learnings: Vec<FeatureLearningOutput>,
    pub created_at: String,
    pub updated_at: String,
}

impl FeatureOutput {
    pub fn read(reader: &Reader<'_>, feature: &Entity) -> Result<Self> {
        let text = |field: &str| feature.text(field).map(str::to_owned);
        Ok(Self {
            name: text("name").unwrap_or_default(),
            id: feature.number,
            display_name: feature.title.clone(),
            acronym: text("acronym"),
            description: feature.content.clone(),
            knowledge_paths: feature.texts("knowledge_paths").to_vec(),
            context_files: feature.texts("context_files").to_vec(),
            architecture: text("architecture"),
            boundaries: text("boundaries"),
            dependencies: feature.texts("dependencies").to_vec(),
            learnings: learnings::of(reader, feature)?,
            created_at: feature.created_at.as_str().to_owned(),
            updated_at: feature.updated_at.as_str().to_owned(),
        })
    }
}

impl Render for FeatureOutput {
    fn view(&self) -> View {
        let mut fields = vec![("name".to_owned(), Span::new(self.name.clone(), Style::Id))];
        if let Some(acronym) = &self.acronym {
            fields.push(("acronym".to_owned(), Span::from(acronym.clone())));
        }
        if !self.dependencies.is_empty() {
            let names = self.dependencies.join(", ");
            fields.push(("builds on".to_owned(), Span::from(names)));
        }
        let view = View::default()
            .line([Span::new(self.display_name.clone(), Style::Strong)])
            .fields(fields);
        let view = section(view, "description", self.description.as_deref());
        let view = section(view, "architecture", self.architecture.as_deref());
        let view = section(view, "boundaries", self.boundaries.as_deref());
        let view = list(view, "knowledge", &self.knowledge_paths);
        let view = list(view, "context files", &self.context_files);
        let learnt: Vec<String> = self
            .learnings
            .iter()
            .map(FeatureLearningOutput::line)
            .collect();
        list(view, "learnings", &learnt)
    }
}
