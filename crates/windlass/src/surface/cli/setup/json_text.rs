//! New JSON text in the manner of the text around it.

use serde_json::Value as Json;

/// How new text is laid out.
#[derive(Debug, Clone, Copy)]
pub enum Layout<'a> {
    /// All on one line.
    Inline,
    /// A property a line. Lists stay on one line: they are short.
    Lines {
        /// What stands before the line that the value begins on.
        indent: &'a str,
        /// What one level adds.
        unit: &'a str,
        newline: &'a str,
    },
}

/// `"name": value`.
pub fn property(name: &str, value: &Json, layout: Layout<'_>) -> String {
    format!("{}: {}", Json::from(name), self::value(value, layout))
}

/// A value. Its first line stands where the caller puts it.
pub fn value(value: &Json, layout: Layout<'_>) -> String {
    match (value, layout) {
        (Json::Object(fields), _) if fields.is_empty() => "{}".to_owned(),
        (Json::Object(fields), Layout::Inline) => {
            let parts = fields
                .iter()
                .map(|(name, value)| property(name, value, layout));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        (
            Json::Object(fields),
            Layout::Lines {
                indent,
                unit,
                newline,
            },
        ) => {
            let deeper = format!("{indent}{unit}");
            let below = Layout::Lines {
                indent: &deeper,
                unit,
                newline,
            };
            let parts = fields
                .iter()
                .map(|(name, value)| format!("{newline}{deeper}{}", property(name, value, below)));
            format!(
                "{{{}{newline}{indent}}}",
                parts.collect::<Vec<_>>().join(",")
            )
        }
        (Json::Array(items), _) => {
            let parts = items.iter().map(|item| self::value(item, Layout::Inline));
            format!("[{}]", parts.collect::<Vec<_>>().join(", "))
        }
        (other, _) => other.to_string(),
    }
}
