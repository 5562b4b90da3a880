use crate::prelude::*;
use windlass_store::NewComment;

use crate::workflow::outputs::Submitted;

pub struct ReviewRequestChanges;

/// Request changes: the review ends, the task is in progress again, and submitting it again creates a
/// new review.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// What is missing, in short.
    #[serde(default)]
    #[arg(long)]
    pub summary: Option<String>,
    /// What to change, where.
    #[serde(default)]
    #[command(flatten)]
    pub comments: Comments,
}

/// A comment in addition to the summary.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// The text.
    pub body: String,
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// The first line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_start: Option<i64>,
    /// The last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_end: Option<i64>,
    /// left for the state before the change, right for the one after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
}

impl From<&Remark> for NewComment {
    fn from(remark: &Remark) -> Self {
        Self {
            file_path: remark.file_path.clone(),
            line_start: remark.line_start,
            line_end: remark.line_end,
            side: remark.side.clone(),
            body: remark.body.clone(),
        }
    }
}

/// A list of objects in JSON; on the command line, texts about the work as a whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Comments(pub Vec<Remark>);

impl clap::FromArgMatches for Comments {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let bodies = matches.get_many::<String>("comment").into_iter().flatten();
        let remarks = bodies.map(|body| Remark {
            body: body.clone(),
            file_path: None,
            line_start: None,
            line_end: None,
            side: None,
        });
        Ok(Self(remarks.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Comments {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.arg(
            clap::Arg::new("comment")
                .long("comment")
                .value_name("TEXT")
                .action(clap::ArgAction::Append)
                .help("What to change; may be given several times"),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl Operation for ReviewRequestChanges {
    type Input = Input;
    type Output = Submitted;

    const DECLARATION: Declaration = Declaration::write("review_request_changes", Toolset::Workflow)
        .sdk("reviews.request_changes")
        .cli(&["reviews", "request-changes"])
        .examples(&[Example::new("With a reason", &[ "reviews", "request-changes", "1", "--summary", "Tests are missing", "--comment", "Cover the empty case", ], r#"{"id": "1", "summary": "Tests are missing", "comments": [{"body": "Cover the empty case"}]}"#)]);

    async fn run(context: Context, input: Input) -> Result<Submitted> {
        let review = context.write(|writer| {
            let comments: Vec<NewComment> = input.comments.0.iter().map(NewComment::from).collect();
            writer.request_changes(&input.id.0, &comments, input.summary.as_deref())
        })?;
        context.read(|reader| Submitted::read(reader, review, context.output_budget))
    }
}
