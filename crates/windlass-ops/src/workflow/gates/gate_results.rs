use crate::prelude::*;
use crate::workflow::gates;
use crate::workflow::outputs::{GateResultOutput, ReviewGates};

pub struct GateResults;

/// Show the result and output of each attempt of each gate of a review.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub review_id: Id,
    /// Only the last attempt of each gate.
    #[serde(default)]
    #[arg(long)]
    pub last: bool,
    /// Wait until the gates have finished.
    #[serde(default)]
    #[arg(long)]
    pub wait: bool,
}

impl ReadOperation for GateResults {
    type Input = Input;
    type Output = ReviewGates;

    const DECLARATION: Declaration = Declaration::read("gate_results", Toolset::Workflow)
        .sdk("gates.results")
        .cli(&["gates", "results"])
        .long_running()
        .examples(&[Example::new(
            "Of review 2",
            &["gates", "results", "2"],
            r#"{"review_id": "2"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<ReviewGates> {
        let id = input.review_id.0;
        if input.wait {
            let review = id.clone();
            let find = move |context: &ReadContext| context.read(|reader| reader.review(&review));
            let review = context.offload(find).await?;
            gates::settled(&context, &review.id).await?;
        }
        let last = input.last;
        let read = move |context: &ReadContext| {
            context.read(|reader| {
                let review = reader.review(&id)?;
                let results = if last {
                    reader.current_results(&review)?
                } else {
                    reader.gate_results(&review)?
                };
                Ok((review, results))
            })
        };
        let (review, results) = context.offload(read).await?;
        // The newest attempts matter most; their outputs share the space of the output.
        let room = context.output_budget.unwrap_or(usize::MAX / 4);
        let each = room / (4 * results.len().max(1));
        Ok(ReviewGates {
            results: results
                .into_iter()
                .map(|result| GateResultOutput::of(result, &review).with_tails(each))
                .collect(),
            review_id: review.id,
            status: review.status.name().to_owned(),
        })
    }
}
