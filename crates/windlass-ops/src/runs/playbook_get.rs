use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Error, ErrorKind, Result};
use windlass_runs::playbooks::{Playbook, PlaybookView, Playbooks};

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct PlaybookGet;

/// One playbook: what it does, its variables, and the specification of its runs.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its id.
    pub id: String,
}

impl Operation for PlaybookGet {
    type Input = Input;
    type Output = PlaybookView;

    const DECLARATION: Declaration = Declaration {
        name: "playbook_get",
        toolset: Toolset::Runs,
        cli: &["playbooks", "get"],
        sdk: "playbooks.get",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "One that is built in",
            cli: &["playbooks", "get", "hello-world"],
            input: r#"{"id": "hello-world"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<PlaybookView> {
        let playbooks = Playbooks::load(context.workshop.root());
        Ok(find(&playbooks, &input.id)?.view())
    }
}

pub fn find<'a>(playbooks: &'a Playbooks, id: &str) -> Result<&'a Playbook> {
    playbooks.get(id).map_err(|problem| {
        let error = Error::new(ErrorKind::PlaybookNotFound, problem.to_string()).with("id", id);
        match problem.nearest {
            Some(near) => error.with_hint(format!("Did you mean \"{near}\"?")),
            None => error.with_hint("playbook_list shows all."),
        }
    })
}
