use crate::prelude::*;

use super::memory_confirm::{MemoryState, write_journal};
use super::reference::{Reference, retire};

pub struct MemoryRetire;

/// Say that a note or a learning does not hold any more. It stays on record and is not given to
/// agents; confirming it brings it back. With replaced_by, it says what holds instead: merging two that
/// say the same is retiring one of them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A note: #12. Learning 3 of entity 7: #7.3. One of the project: p1a2b3c4d.
    pub id: String,
    /// What holds instead: such a name, or words.
    #[serde(default)]
    #[arg(long)]
    pub replaced_by: Option<String>,
}

impl Operation for MemoryRetire {
    type Input = Input;
    type Output = MemoryState;

    const DECLARATION: Declaration = Declaration::write("memory_retire", Toolset::Workflow)
        .sdk("memory.retire")
        .cli(&["memory", "retire"])
        .idempotent()
        .examples(&[Example::new(
            "Note 4 does not hold any more",
            &["memory", "retire", "4", "--replaced-by", "The new rule"],
            r#"{"id": "4", "replaced_by": "The new rule"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<MemoryState> {
        let (reference, truth) = context.write(|writer| {
            let reference = Reference::resolve(writer, "id", &input.id)?;
            let instead = input.replaced_by.as_deref().map(str::trim);
            let named = instead.and_then(|it| Reference::resolve(writer, "replaced_by", it).ok());
            if named
                .as_ref()
                .is_some_and(|it| it.name() == reference.name())
            {
                return Err(Error::validation("replaced_by", "is the same as id"));
            }
            let instead = match (&named, instead) {
                (Some(named), _) => Some(format!("{} {}", named.name(), named.text())),
                (None, words) => words.filter(|it| !it.is_empty()).map(str::to_owned),
            };
            let by = &context.origin.session;
            let truth = retire(writer, &reference, by, instead.as_deref())?;
            Ok((reference, truth))
        })?;
        write_journal(&context, &reference)?;
        Ok(MemoryState::new(&reference, truth))
    }
}
