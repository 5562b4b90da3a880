use crate::prelude::*;
use serde_json::json;
use windlass_core::{Dialect, EntityType, Patch, RelationType};

use super::lookup::expect;
use crate::outputs::{EntityOutput, number};

pub struct DecisionSupersede;

/// Replace a decision by a newer one.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The old decision: number or id.
    pub old_id: Id,
    /// The new one.
    pub new_id: Id,
}

/// Both decisions as they are now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Superseded {
    pub old: EntityOutput,
    pub new: EntityOutput,
}

impl Render for Superseded {
    fn view(&self) -> View {
        View::default().line([
            number(self.new.sequence_number),
            Span::from(format!(" {} supersedes ", self.new.title)),
            number(self.old.sequence_number),
            Span::from(format!(" {}", self.old.title)),
        ])
    }
}

impl Operation for DecisionSupersede {
    type Input = Input;
    type Output = Superseded;

    const DECLARATION: Declaration = Declaration::write("decision_supersede", Toolset::Knowledge)
        .sdk("decisions.supersede")
        .cli(&["decisions", "supersede"])
        .idempotent()
        .examples(&[Example::new(
            "Decision 5 replaces decision 1",
            &["decisions", "supersede", "1", "5"],
            r#"{"old_id": "1", "new_id": "5"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Superseded> {
        context.write(|writer| {
            let old = expect(writer, "old_id", &input.old_id, EntityType::Decision)?;
            let new = expect(writer, "new_id", &input.new_id, EntityType::Decision)?;
            writer.relate(&new, RelationType::Supersedes, &old)?;
            let patch = Patch {
                properties: json!({"status": "superseded", "superseded_by": new.id})
                    .as_object()
                    .cloned()
                    .unwrap_or_default(),
                ..Patch::default()
            };
            let old = writer.update(&old.id, &patch, Dialect::Knowledge)?;
            Ok(Superseded {
                old: EntityOutput::from(old),
                new: EntityOutput::from(new),
            })
        })
    }
}
