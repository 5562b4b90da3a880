use crate::prelude::*;
use serde_json::json;
use windlass_core::{Dialect, Draft, EntityType};

use super::signal::{Acknowledged, SUGGESTIONS, comment, one_of, required, say};

pub struct Suggest;

/// Suggest something beyond the task. A new task is created as a draft, for a person to approve.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What is suggested, in a few words.
    pub what: String,
    /// new_task, split, refactor, alternative or deprecate.
    pub kind: String,
    /// Why it would be worth it.
    pub why: String,
}

impl Operation for Suggest {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("suggest", Toolset::Focus)
        .sdk("focus.suggest")
        .examples(&[Example::call(
            "Work that was found on the way",
            r#"{"what": "Rotate the keys", "kind": "new_task", "why": "They are two years old"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("what", &input.what)?;
        required("why", &input.why)?;
        one_of("kind", &input.kind, SUGGESTIONS)?;
        let body = json!({"what": input.what, "kind": input.kind, "why": input.why});
        say(&context, "suggest", &body, |writer, current| {
            if input.kind != "new_task" {
                let text = format!(
                    "Suggestion ({}): {}\nWhy: {}",
                    input.kind, input.what, input.why
                );
                comment(writer, current, &text)?;
                return Ok("Stored with the task.".to_owned());
            }
            let mut fields = json!({"status": "draft"});
            for name in ["feature", "discipline"] {
                if let Some(value) = current.name_of(name) {
                    fields[name] = json!(value);
                }
            }
            let fields = fields.as_object().cloned().unwrap_or_default();
            let draft = Draft::new(
                EntityType::Task,
                &input.what,
                Some(&input.why),
                &[],
                &fields,
                Dialect::Plan,
            )?
            .with_managed("provenance", "agent");
            let made = writer.create(draft)?;
            Ok(format!("Created task {} as a draft.", made.number))
        })
    }
}
