use crate::prelude::*;
use serde_json::json;
use windlass_runs::playbooks::{Playbook, PlaybookSummary, Playbooks};

pub struct PlaybookGet;

/// Show a playbook: what it does, its variables, and the specification of its runs.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its id.
    pub id: String,
}

impl ReadOperation for PlaybookGet {
    type Input = Input;
    type Output = PlaybookSummary;

    const DECLARATION: Declaration = Declaration::read("playbook_get", Toolset::Runs)
        .sdk("playbooks.get")
        .blocking()
        .cli(&["playbooks", "get"])
        .examples(&[Example::new(
            "A built-in playbook",
            &["playbooks", "get", "hello-world"],
            r#"{"id": "hello-world"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<PlaybookSummary> {
        let playbooks = Playbooks::load(context.workspace.settings_root());
        Ok(find(&playbooks, &input.id)?.view())
    }
}

pub fn find<'a>(playbooks: &'a Playbooks, id: &str) -> Result<&'a Playbook> {
    playbooks.get(id).map_err(|problem| {
        let error = Error::new(ErrorKind::PlaybookNotFound, problem.to_string()).with("id", id);
        // The file of that name may be there, but with a mistake in it.
        let of_file = playbooks.problems.iter().filter(|it| it.is_of(id));
        let mistakes: Vec<String> = of_file.map(ToString::to_string).collect();
        if !mistakes.is_empty() {
            let hint = format!("Its file has mistakes: {}", mistakes.join("; "));
            return error.with_hint(hint).with("problems", json!(mistakes));
        }
        match problem.nearest {
            Some(near) => error.with_hint(format!("Did you mean \"{near}\"?")),
            None => error.with_hint("[[playbook_list]] shows all."),
        }
    })
}
