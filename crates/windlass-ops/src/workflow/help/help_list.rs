use crate::prelude::*;
use windlass_core::workflow::HelpStatus;
use windlass_store::HelpFilter;

use crate::workflow::common;
use crate::workflow::outputs::{HelpOutput, HelpPage};

pub struct HelpList;

/// List help requests, newest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only those of this task: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub task_id: Option<Id>,
    /// Only those of this status: pending, responded, resolved, cancelled.
    #[serde(default)]
    #[arg(long)]
    pub status: Option<String>,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<20>,
}

impl ReadOperation for HelpList {
    type Input = Input;
    type Output = HelpPage;

    const DECLARATION: Declaration = Declaration::read("help_list", Toolset::Workflow)
        .sdk("help.list")
        .cli(&["questions", "list"])
        .examples(&[Example::new(
            "Unanswered requests",
            &["questions", "list", "--status", "pending"],
            r#"{"status": "pending"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<HelpPage> {
        let page = input.paging.page()?;
        let status = input.status.as_deref().map(|word| {
            HelpStatus::parse(word)
                .ok_or_else(|| Error::invalid_enum("status", word, HelpStatus::NAMES))
        });
        let status = status.transpose()?;
        let (help_requests, page) = read_page(page, |page| {
            context.read(|reader| {
                let task = match &input.task_id {
                    Some(id) => Some(common::task(reader, "task_id", id)?.id),
                    None => None,
                };
                let requests = reader.help_requests(&HelpFilter { task, status }, page)?;
                requests
                    .into_iter()
                    .map(|request| HelpOutput::read(reader, request))
                    .collect()
            })
        })?;
        Ok(HelpPage {
            help_requests,
            page,
        })
    }
}
