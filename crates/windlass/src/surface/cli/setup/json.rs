//! JSON, with comments or without, changed in place: only the bytes of the entry, and of the comma
//! before it, are touched. What is removed leaves the text as it was before it was added.

use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast, parse_to_serde_value,
};
use serde_json::{Value as Json, json};

use super::document::{Broken, Format};
use super::edits::{self, Edit};
use super::json_text::{self, Layout};

const USUAL_INDENT: &str = "  ";

fn options(format: Format) -> ParseOptions {
    let relaxed = format == Format::JsonWithComments;
    ParseOptions {
        allow_comments: relaxed,
        allow_trailing_commas: relaxed,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The whole text as a value.
pub fn read(text: &str, format: Format) -> Result<Json, Broken> {
    // Without a value there is nothing but space and comments.
    if Page::parse(text, format)?.root.is_none() {
        return Ok(json!({}));
    }
    parse_to_serde_value(text, &options(format))
        .map_err(|problem| Broken::new(problem.line_display(), problem.kind().to_string()))
}

/// Puts an entry into a container; both are made where they are missing.
pub fn set(
    text: &str,
    format: Format,
    container: &str,
    name: &str,
    entry: &Json,
) -> Result<String, Broken> {
    let page = Page::parse(text, format)?;
    let Some(Ast::Object(root)) = &page.root else {
        return Ok(page.with_first_value(&json!({ container: { name: entry } })));
    };
    let edits = match find(root, container).map(|found| &found.value) {
        None => page.append(root, container, &json!({ name: entry })),
        Some(Ast::Object(servers)) => match find(servers, name) {
            Some(old) => page.replace(servers, old, entry),
            None => page.append(servers, name, entry),
        },
        Some(other) => {
            let message = format!("\"{container}\" is not an object");
            return Err(Broken::at(text, other.range().start, message));
        }
    };
    Ok(edits::apply(text, &edits))
}

/// Takes an entry out, and its container with it if nothing else is in there.
pub fn remove(text: &str, format: Format, container: &str, name: &str) -> Result<String, Broken> {
    let page = Page::parse(text, format)?;
    let Some(Ast::Object(root)) = &page.root else {
        return Ok(text.to_owned());
    };
    let Some(holder) = find(root, container) else {
        return Ok(text.to_owned());
    };
    let Ast::Object(servers) = &holder.value else {
        return Ok(text.to_owned());
    };
    let Some(entry) = find(servers, name) else {
        return Ok(text.to_owned());
    };
    let edits = if servers.properties.len() == 1 && !page.has_comments(servers) {
        page.cut(root, holder)
    } else {
        page.cut(servers, entry)
    };
    Ok(edits::apply(text, &edits))
}

/// The last one counts where a name is given twice.
fn find<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b ObjectProp<'a>> {
    let properties = object.properties.iter();
    properties
        .rev()
        .find(|property| property.name.as_str() == name)
}

/// A text and where everything stands in it.
struct Page<'a> {
    text: &'a str,
    root: Option<Ast<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Page<'a> {
    fn parse(text: &'a str, format: Format) -> Result<Self, Broken> {
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collect, &options(format))
            .map_err(|problem| Broken::new(problem.line_display(), problem.kind().to_string()))?;
        Ok(Self {
            text,
            root: parsed.value,
            tokens: parsed.tokens.unwrap_or_default(),
        })
    }

    /// A text that has no value yet: nothing, or comments, which stay.
    fn with_first_value(&self, value: &Json) -> String {
        let newline = edits::newline(self.text);
        let layout = Layout::Lines {
            indent: "",
            unit: USUAL_INDENT,
            newline,
        };
        let value = json_text::value(value, layout);
        let before = self.text.trim_end();
        let between = if before.is_empty() { "" } else { newline };
        format!("{before}{between}{value}{newline}")
    }

    fn append(&self, object: &Object<'_>, name: &str, value: &Json) -> Vec<Edit> {
        let inside = object.range.start + 1..object.range.end - 1;
        let end_of_content = self
            .tokens_in(object)
            .last()
            .map_or(inside.start, |token| token.range.end);
        let newline = edits::newline(self.text);
        let outer = self.indent_of_line(object.range.start);
        let indent = self.indent_of_properties(object);
        let unit = self.unit();
        let layout = match &indent {
            None => Layout::Inline,
            Some(indent) => Layout::Lines {
                indent,
                unit: &unit,
                newline,
            },
        };
        let property = json_text::property(name, value, layout);
        let line_start = match &indent {
            None => " ".to_owned(),
            Some(indent) => format!("{newline}{indent}"),
        };
        let Some(last) = object.properties.last() else {
            return vec![if end_of_content > inside.start {
                // Comments, and nothing else: they stay above.
                let closing = format!("{newline}{outer}");
                Edit::replace(
                    end_of_content..inside.end,
                    line_start + &property + &closing,
                )
            } else if indent.is_some() {
                Edit::replace(inside, format!("{line_start}{property}{newline}{outer}"))
            } else {
                Edit::replace(inside, property)
            }];
        };
        match self.comma_after(last.range.end, inside.end) {
            Some(_) => vec![Edit::insert(end_of_content, line_start + &property + ",")],
            None if end_of_content == last.range.end => {
                vec![Edit::insert(
                    end_of_content,
                    format!(",{line_start}{property}"),
                )]
            }
            // What is said about the last one stays beside it.
            None => vec![
                Edit::insert(last.range.end, ","),
                Edit::insert(end_of_content, line_start + &property),
            ],
        }
    }

    fn replace(&self, object: &Object<'_>, old: &ObjectProp<'_>, value: &Json) -> Vec<Edit> {
        let range = old.value.range();
        let spread = self.text[range.start..range.end].contains('\n');
        let indent = self.indent_of_properties(object).filter(|_| spread);
        let unit = self.unit();
        let layout = match &indent {
            None => Layout::Inline,
            Some(indent) => Layout::Lines {
                indent,
                unit: &unit,
                newline: edits::newline(self.text),
            },
        };
        let text = json_text::value(value, layout);
        vec![Edit::replace(range.start..range.end, text)]
    }

    /// Cuts a property out, with the comma and the space that it came with. Comments stay.
    fn cut(&self, object: &Object<'_>, property: &ObjectProp<'_>) -> Vec<Edit> {
        let (start, end) = (property.range.start, property.range.end);
        let inside = object.range.start + 1..object.range.end - 1;
        if object.properties.len() == 1 && !self.has_comments_around(object, property) {
            return vec![Edit::delete(inside)];
        }
        let before = self.text[..start].trim_end().len();
        let comma = self.comma_after(end, inside.end);
        let until = comma.unwrap_or(end);
        let rest = self.text[until..].trim_start_matches([' ', '\t']);
        let ends_line = rest.starts_with(['\n', '\r']);
        // A comment to the end of the line needs that end.
        let from = if ends_line || !self.ends_in_line_comment(before) {
            before
        } else {
            start
        };
        let is_last = object.properties.last().map(|last| last.range) == Some(property.range);
        if comma.is_some() && (is_last || ends_line && self.text[before..start].contains('\n')) {
            return vec![Edit::delete(from..until)];
        }
        if comma.is_some() {
            let space = self.text[until..].len() - rest.len();
            return vec![Edit::delete(start..until + space)];
        }
        let mut earlier = object.properties.iter().rev();
        let earlier = earlier.find(|other| other.range.start < start);
        match earlier.and_then(|other| self.comma_after(other.range.end, start)) {
            Some(comma) if comma == from => vec![Edit::delete(comma - 1..end)],
            Some(comma) => vec![Edit::delete(comma - 1..comma), Edit::delete(from..end)],
            None => vec![Edit::delete(from..end)],
        }
    }

    fn ends_in_line_comment(&self, position: usize) -> bool {
        let mut tokens = self.tokens.iter();
        tokens.any(|token| {
            matches!(token.token, Token::CommentLine(_)) && token.range.end == position
        })
    }

    fn tokens_in(&self, object: &Object<'_>) -> impl Iterator<Item = &TokenAndRange<'a>> {
        let (start, end) = (object.range.start + 1, object.range.end - 1);
        let tokens = self.tokens.iter();
        tokens.filter(move |token| token.range.start >= start && token.range.end <= end)
    }

    /// Where the comma ends that stands between two places.
    fn comma_after(&self, start: usize, end: usize) -> Option<usize> {
        let tokens = self.tokens.iter();
        let mut between = tokens.filter(|it| it.range.start >= start && it.range.end <= end);
        let comma = between.find(|it| !is_comment(&it.token))?;
        (comma.token == Token::Comma).then_some(comma.range.end)
    }

    fn has_comments(&self, object: &Object<'_>) -> bool {
        self.tokens_in(object).any(|token| is_comment(&token.token))
    }

    fn has_comments_around(&self, object: &Object<'_>, property: &ObjectProp<'_>) -> bool {
        self.tokens_in(object).any(|token| {
            let within =
                token.range.start >= property.range.start && token.range.end <= property.range.end;
            is_comment(&token.token) && !within
        })
    }

    /// What stands before the properties of an object; nothing where they are all on one line.
    fn indent_of_properties(&self, object: &Object<'_>) -> Option<String> {
        let start = object.range.start;
        let deeper = || format!("{}{}", self.indent_of_line(start), self.unit());
        match object.properties.first() {
            Some(first) if !self.text[start..first.range.start].contains('\n') => None,
            Some(first) => Some(self.indent_of_line(first.range.start).to_owned()),
            // An empty object inside a line stays a line; an empty file becomes lines.
            None => {
                let root = self.root.as_ref().map_or(0, |root| root.range().start);
                let on_first_line = start > root && !self.text[root..start].contains('\n');
                let bare = !self.has_comments(object);
                (!(on_first_line && bare)).then(deeper)
            }
        }
    }

    /// The space at the start of the line that a position is on.
    fn indent_of_line(&self, position: usize) -> &'a str {
        let start = self.text[..position].rfind('\n').map_or(0, |end| end + 1);
        let line = &self.text[start..position];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// What one level of depth adds, as the first property of the file shows it.
    fn unit(&self) -> String {
        let root = self.root.as_ref().and_then(|root| root.as_object());
        let first = root.and_then(|root| root.properties.first());
        let indent = first.map_or("", |first| self.indent_of_line(first.range.start));
        if indent.is_empty() {
            USUAL_INDENT.to_owned()
        } else {
            indent.to_owned()
        }
    }
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
