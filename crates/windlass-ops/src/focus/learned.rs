use crate::prelude::*;
use serde_json::json;
use windlass_core::{EntityType, Learning, LearningSource};

use super::signal::{Acknowledged, KINDS, SCOPES, comment, one_of, say};
use crate::memory::{Reference, retire, similar_to};
use crate::plan::{Journal, keep_learning_of};

pub struct Learned;

/// Record a learning for the project, the feature or the task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// At most 500 characters.
    pub text: String,
    /// discovery, decision or convention.
    pub kind: String,
    /// Why it is so.
    #[serde(default)]
    #[arg(long)]
    pub rationale: Option<String>,
    /// project, feature or task.
    #[serde(default = "default_scope")]
    #[arg(long, default_value = "feature")]
    pub scope: String,
    /// What it contradicts: note #12, learning #7.3 of entity 7, p1a2b3c4d of the project.
    #[serde(default)]
    #[arg(long)]
    pub replaces: Option<String>,
}

impl Operation for Learned {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("learned", Toolset::Focus)
        .blocking()
        .sdk("focus.learned")
        .examples(&[Example::call(
            "For the whole project",
            r#"{"text": "The tests need PostgreSQL 16", "kind": "discovery", "scope": "project"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        one_of("kind", &input.kind, KINDS)?;
        one_of("scope", &input.scope, SCOPES)?;
        let learning = Learning::new(&input.text, LearningSource::Agent)?
            .with_reason(input.rationale.as_deref())?;
        let body = json!({
            "text": input.text,
            "kind": input.kind,
            "rationale": input.rationale,
            "scope": input.scope,
            "replaces": input.replaces,
        });
        let replaced = match &input.replaces {
            Some(given) => {
                Some(context.read(|reader| Reference::resolve(reader, "replaces", given))?)
            }
            None => None,
        };
        let mut answer = say(&context, "learned", &body, |writer, current| {
            if let Some(replaced) = &replaced {
                retire(
                    writer,
                    replaced,
                    &current.session,
                    Some(learning.text.as_str()),
                )?;
            }
            let scope = input.scope.as_str();
            let feature = current.name_of("feature").filter(|_| scope == "feature");
            match feature {
                Some(name) => {
                    let feature = writer.by_name("feature", EntityType::Feature, name)?;
                    let learning = learning.clone().from_task(Some(current.task.number));
                    keep_learning_of(writer, &feature, learning)?;
                    Ok(format!("Stored with the feature {name}."))
                }
                None if scope == "project" => Ok("Stored in .windlass/learnings.txt.".to_owned()),
                None => {
                    let text = format!("Learnt ({}): {}", input.kind, input.text);
                    comment(writer, current, &text)?;
                    Ok("Stored with the task.".to_owned())
                }
            }
        })?;
        if input.scope == "project" {
            Journal::Learnings.append(&context, &input.text)?;
        } else if matches!(replaced, Some(Reference::Project(_))) {
            let project = context.workspace.project();
            Journal::Learnings.write_file(&context.store, &context.origin, project)?;
        }
        if let Some(replaced) = &replaced {
            answer.message = format!("{} {} is retired.", answer.message, replaced.name());
        }
        answer.similar = similar_to(
            &context,
            &input.text,
            replaced.map(|it| it.name()).as_deref(),
        )?;
        if let Some(first) = answer.similar.first() {
            let offer = format!(
                "{} {} says nearly the same: [[memory_retire]] {} if this one replaces it.",
                answer.message, first.reference, first.reference
            );
            answer.message = context.naming.render(&offer);
        }
        Ok(answer)
    }
}

fn default_scope() -> String {
    "feature".to_owned()
}
