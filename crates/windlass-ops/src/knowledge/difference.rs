//! One field of a change, before and after: short values side by side, long texts as a unified diff.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use similar::TextDiff;
use windlass_store::Difference;

use crate::view::{Span, Style, View};

/// A text that is longer, or has several lines, is shown as a diff.
const SHORT: usize = 80;
/// Unchanged lines around a change.
const CONTEXT: usize = 2;

/// One changed field.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DifferenceOutput {
    pub field: String,
    /// The value before; absent if it was not set, or if there is a diff.
    #[serde(skip_serializing_if = "Json::is_null")]
    #[schemars(default)]
    pub before: Json,
    /// The value after; absent if it is not set, or if there is a diff.
    #[serde(skip_serializing_if = "Json::is_null")]
    #[schemars(default)]
    pub after: Json,
    /// The difference of two long texts, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl From<Difference> for DifferenceOutput {
    fn from(difference: Difference) -> Self {
        let Difference {
            field,
            before,
            after,
        } = difference;
        if !is_long(&before) && !is_long(&after) {
            return Self {
                field,
                before,
                after,
                diff: None,
            };
        }
        let diff = TextDiff::from_lines(&lines(&before), &lines(&after))
            .unified_diff()
            .context_radius(CONTEXT)
            .to_string();
        Self {
            field,
            before: Json::Null,
            after: Json::Null,
            diff: Some(diff),
        }
    }
}

fn is_long(value: &Json) -> bool {
    match value {
        Json::String(text) => text.contains('\n') || text.chars().count() > SHORT,
        Json::Array(_) | Json::Object(_) => value.to_string().chars().count() > SHORT,
        _ => false,
    }
}

/// The value as lines of text.
fn lines(value: &Json) -> String {
    let mut text = match value {
        Json::Null => return String::new(),
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let items = items.iter().map(|item| match item.as_str() {
                Some(text) => text.to_owned(),
                None => item.to_string(),
            });
            items.collect::<Vec<_>>().join("\n")
        }
        other => format!("{other:#}"),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

impl DifferenceOutput {
    /// `status: pending → done`, or the lines of a diff.
    pub(super) fn add_to(&self, view: View) -> View {
        let name = Span::new(format!("    {}: ", self.field), Style::Dim);
        let Some(diff) = &self.diff else {
            return view.line([
                name,
                Span::new(shown(&self.before), Style::Bad),
                " → ".into(),
                Span::new(shown(&self.after), Style::Good),
            ]);
        };
        let view = view.line([name]);
        diff.lines().fold(view, |view, line| {
            let style = match line.as_bytes().first() {
                Some(b'+') => Style::Good,
                Some(b'-') => Style::Bad,
                Some(b'@') => Style::Dim,
                _ => Style::Plain,
            };
            view.line([Span::new(format!("      {line}"), style)])
        })
    }
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => "(none)".to_owned(),
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let items = items.iter().map(|item| item.as_str().unwrap_or_default());
            items.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_values_side_by_side_and_long_texts_as_a_diff() {
        let of = |before: Json, after: Json| {
            DifferenceOutput::from(Difference {
                field: "content".to_owned(),
                before,
                after,
            })
        };
        let short = of(json!("a"), Json::Null);
        assert_eq!(json!(short), json!({"field": "content", "before": "a"}));
        let long = of(json!("one\ntwo\nthree\n"), json!("one\n2\nthree\n"));
        insta::assert_snapshot!(long.diff.unwrap_or_default(), @r"
        @@ -1,3 +1,3 @@
         one
        -two
        +2
         three
        ");
        assert!(
            of(Json::Null, json!(vec!["a long item"; 20]))
                .diff
                .is_some()
        );
    }
}
