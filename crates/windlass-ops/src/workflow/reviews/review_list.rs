use crate::prelude::*;
use windlass_core::workflow::ReviewStatus;
use windlass_store::ReviewFilter;

use crate::workflow::common;
use crate::workflow::outputs::{ReviewOutput, ReviewPage};

pub struct ReviewList;

/// List reviews, newest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only those of this task: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub task_id: Option<Id>,
    /// Only those of this status: gates_pending, gates_escalated, agent_pending, human_pending, approved, changes_requested, withdrawn.
    #[serde(default)]
    #[arg(long)]
    pub status: Option<String>,
    /// Only those that are not finished.
    #[serde(default)]
    #[arg(long)]
    pub active: bool,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<20>,
}

impl ReadOperation for ReviewList {
    type Input = Input;
    type Output = ReviewPage;

    const DECLARATION: Declaration = Declaration::read("review_list", Toolset::Workflow)
        .sdk("reviews.list")
        .cli(&["reviews", "list"])
        .examples(&[Example::new(
            "Waiting for an agent's review",
            &["reviews", "list", "--status", "agent_pending"],
            r#"{"status": "agent_pending"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<ReviewPage> {
        let page = input.paging.page()?;
        let status = input.status.as_deref().map(|word| {
            ReviewStatus::parse(word)
                .ok_or_else(|| Error::invalid_enum("status", word, &ReviewStatus::NAMES))
        });
        let status = status.transpose()?;
        let (reviews, page) = read_page(page, |page| {
            context.read(|reader| {
                let task = match &input.task_id {
                    Some(id) => Some(common::task(reader, "task_id", id)?.id),
                    None => None,
                };
                let filter = ReviewFilter {
                    task,
                    status,
                    active: input.active,
                };
                let reviews = reader.reviews(&filter, page)?;
                reviews
                    .into_iter()
                    .map(|review| ReviewOutput::read(reader, review))
                    .collect()
            })
        })?;
        Ok(ReviewPage { reviews, page })
    }
}
