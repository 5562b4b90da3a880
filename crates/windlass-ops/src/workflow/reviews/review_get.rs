use crate::prelude::*;
use crate::workflow::outputs::ReviewOutput;

pub struct ReviewGet;

/// Show a review: its status and gate results.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl ReadOperation for ReviewGet {
    type Input = Input;
    type Output = ReviewOutput;

    const DECLARATION: Declaration = Declaration::read("review_get", Toolset::Workflow)
        .sdk("reviews.get")
        .cli(&["reviews", "get"])
        .examples(&[Example::new(
            "By number",
            &["reviews", "get", "1"],
            r#"{"id": "1"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<ReviewOutput> {
        context.read(|reader| ReviewOutput::read(reader, reader.review(&input.id.0)?))
    }
}
