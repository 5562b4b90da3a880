use crate::prelude::*;
use windlass_core::Page;

use crate::git;
use crate::workflow::common::changed_since_submission;
use crate::workflow::outputs::{GateFailure, failures_of};
use crate::workflow::outputs::{ReviewCommentOutput, ReviewOutput};

pub struct ReviewShow;

/// Show a review with all that a reviewer needs: gate results, comments, and with git the diff since
/// work on the task started.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The review: its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// Only the change of this file, for those in `not_shown`.
    #[serde(default)]
    #[arg(long)]
    pub file: Option<String>,
}

/// Everything that a reviewer needs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewShown {
    pub review: ReviewOutput,
    pub gate_failures: Vec<GateFailure>,
    pub comments: Vec<ReviewCommentOutput>,
    /// The commit at which work started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_commit: Option<String>,
    /// The change since then, including uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Whether the change is longer than what is shown.
    pub diff_truncated: bool,
    /// Changed files that are not in the diff because it would be too long; ask for each with `file`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub not_shown: Vec<String>,
    /// New files that git does not track yet. Their content is part of the diff.
    pub untracked_files: Vec<String>,
    /// Files and folders that the repository's rules hide from git. They are not in the diff.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub ignored_files: Vec<String>,
    /// Whether files have changed since the work was submitted, and so since the gates saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_since_submission: Option<bool>,
}

impl Render for ReviewShown {
    fn view(&self) -> View {
        let mut view = self.review.view();
        for failure in &self.gate_failures {
            view = view.blank().join(failure.view());
        }
        for comment in &self.comments {
            view = view.blank().join(comment.view());
        }
        if let Some(diff) = &self.diff {
            let from = self.start_commit.as_deref().unwrap_or_default();
            let title = format!("Change since {}", from.get(..12).unwrap_or(from));
            view = view.blank().line([Span::new(title, Style::Strong)]);
            view = if diff.is_empty() {
                view.line([Span::new("No changes in git.", Style::Dim)])
            } else {
                view.text(diff.clone())
            };
            if self.diff_truncated {
                view = view.line([Span::new("The rest is not shown.", Style::Dim)]);
            }
        }
        for (word, style, files) in [
            ("changed, not shown ", Style::Warning, &self.not_shown),
            ("new file ", Style::Good, &self.untracked_files),
            ("ignored by git ", Style::Dim, &self.ignored_files),
        ] {
            for file in files {
                view = view.line([Span::new(word, style), Span::from(file.clone())]);
            }
        }
        if self.changed_since_submission == Some(true) {
            view = view.blank().line([Span::new(
                "Files have changed since the work was submitted: the gates did not see them.",
                Style::Warning,
            )]);
        }
        view
    }
}

impl ReadOperation for ReviewShow {
    type Input = Input;
    type Output = ReviewShown;

    const DECLARATION: Declaration = Declaration::read("review_show", Toolset::Workflow)
        .sdk("reviews.show")
        .blocking()
        .cli(&["reviews", "show"])
        .examples(&[Example::new(
            "Review 1",
            &["reviews", "show", "1"],
            r#"{"id": "1"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<ReviewShown> {
        let page = Page {
            limit: 100,
            offset: 0,
        };
        let (review, comments, failures, start) = context.read(|reader| {
            let review = reader.review(&input.id.0)?;
            let comments = reader.comments(&review, false, page)?;
            let failures = failures_of(reader, &review, context.output_budget)?;
            let start = review.start_commit.clone();
            let repo = reader.repo(&review.repo).ok().map(|repo| repo.path);
            Ok((
                ReviewOutput::read(reader, review)?,
                comments,
                failures,
                start.zip(repo),
            ))
        })?;
        let stored = context.read(|reader| reader.review(&input.id.0))?;
        let changed = changed_since_submission(&context, &stored);
        let change = start.and_then(|(commit, path)| {
            git::change_since(path.as_ref(), &commit, input.file.as_deref())
        });
        let shown = ReviewShown {
            review,
            gate_failures: failures,
            comments: comments
                .into_iter()
                .map(ReviewCommentOutput::from)
                .collect(),
            start_commit: change.as_ref().map(|it| it.from.clone()),
            diff: change.as_ref().map(|it| it.text.clone()),
            diff_truncated: change.as_ref().is_some_and(|it| it.truncated),
            not_shown: change
                .as_ref()
                .map(|it| it.not_shown.clone())
                .unwrap_or_default(),
            untracked_files: change
                .as_ref()
                .map(|it| it.untracked.clone())
                .unwrap_or_default(),
            ignored_files: change.map(|it| it.ignored).unwrap_or_default(),
            changed_since_submission: changed,
        };
        Ok(shown)
    }
}
