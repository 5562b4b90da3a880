//! The fields of an entity type: which values each accepts, checked once for every surface.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::plan::{
    PlanUse, check_acronym, check_name, check_paths, check_servers, check_tool_overrides,
};
use crate::{Date, Dialect, EntityType, Error, ErrorKind, Priority, Result, TaskStatus};

/// The type-specific fields of an entity, by name.
pub type Properties = BTreeMap<String, Value>;

/// The knowledge contract sets no limit to the length of a list; an entity must stay small enough
/// to be returned in one response.
const MAX_ITEMS: usize = 200;

/// The validated value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    List(Vec<String>),
}

impl Value {
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) => None,
        }
    }

    pub fn to_json(&self) -> Json {
        match self {
            Self::Text(text) => Json::from(text.as_str()),
            Self::List(items) => Json::from(items.clone()),
        }
    }
}

/// How long a text may be: in characters for text that people type, in bytes for documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// One to this many characters.
    Chars(usize),
    /// At most this many bytes.
    Bytes(usize),
}

impl Length {
    fn check(self, field: &str, text: &str) -> Result<()> {
        let problem = match self {
            Self::Chars(max) => match text.chars().count() {
                _ if text.trim().is_empty() => Some(format!("must have 1 to {max} characters")),
                count if count > max => {
                    Some(format!("has {count} characters; at most {max} are allowed"))
                }
                _ => None,
            },
            Self::Bytes(max) if text.len() > max => Some(format!(
                "has {} bytes; at most {max} are allowed",
                text.len()
            )),
            Self::Bytes(_) => None,
        };
        problem.map_or(Ok(()), |problem| Err(Error::validation(field, problem)))
    }
}

/// Which values a field accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Choice(&'static [&'static str]),
    TaskStatus,
    Priority,
    Text(Length),
    TextList(Length),
    Date,
    /// A string that is itself valid JSON.
    JsonText(usize),
    Url(usize),
    /// Another entity, by number, id or prefix. The store resolves it to a whole id.
    Entity,
    /// The unique name of an entity among those of its type.
    Name,
    /// Four capital letters or digits, unique among the entities of its type.
    Acronym,
    /// The name of an entity of that type. The store checks that it exists.
    Named(EntityType),
    /// Names of entities of that type.
    NamedList(EntityType),
    /// Paths below the project's root, at most this many.
    Paths(usize),
    /// A whole number from one to this maximum.
    Whole(u32),
    /// Other MCP servers, each with name, command, args and env.
    Servers,
    /// The tools that a discipline disables.
    ToolOverrides,
}

impl FieldKind {
    /// Whether the field holds a list of texts.
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            Self::TextList(_) | Self::NamedList(_) | Self::Paths(_)
        )
    }

    /// Whether the value is shown on one line together with other fields, not as a separate text.
    pub const fn is_short(self) -> bool {
        !matches!(
            self,
            Self::Text(Length::Bytes(_)) | Self::TextList(_) | Self::Paths(_) | Self::JsonText(_)
        ) && !self.is_structured()
    }

    /// Whether the field holds structured JSON.
    pub const fn is_structured(self) -> bool {
        matches!(self, Self::Servers | Self::ToolOverrides)
    }

    /// The JSON that readers get for the stored value.
    pub fn shown(self, value: &Value) -> Json {
        match (self, value) {
            (Self::Whole(_), Value::Text(digits)) => {
                digits.parse::<u32>().map_or(Json::Null, Json::from)
            }
            (kind, Value::Text(text)) if kind.is_structured() => {
                serde_json::from_str(text).unwrap_or(Json::Null)
            }
            _ => value.to_json(),
        }
    }
}

/// Who may set a field, and where it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Any caller; listed in the tool schemas.
    Listed,
    /// Any caller; listed only in `windlass://schema` and on the command line.
    Unlisted,
    /// Only a person at a terminal: it controls what agents get or which programs run.
    People,
    /// Only operations; callers cannot set it.
    Managed,
}

/// One type-specific field.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    pub required: bool,
    pub default: Option<&'static str>,
    /// Whether full-text search includes it.
    pub searchable: bool,
    pub reach: Reach,
    /// How the plan tools use it, if they do.
    pub plan: Option<PlanUse>,
    /// The name of one value of a list, for options that take one value at a time.
    pub singular: Option<&'static str>,
    /// The label that people see; the field's name if absent.
    pub label: Option<&'static str>,
    /// Shown in the reference, the schemas and `--help`.
    pub doc: &'static str,
}

impl Field {
    pub const fn new(name: &'static str, kind: FieldKind, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            required: false,
            default: None,
            searchable: false,
            reach: Reach::Listed,
            plan: None,
            singular: None,
            label: None,
            doc,
        }
    }

    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    #[must_use]
    pub const fn default(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }

    #[must_use]
    pub const fn searchable(mut self) -> Self {
        self.searchable = true;
        self
    }

    #[must_use]
    pub const fn managed(mut self) -> Self {
        self.reach = Reach::Managed;
        self
    }

    #[must_use]
    pub const fn for_people(mut self) -> Self {
        self.reach = Reach::People;
        self
    }

    #[must_use]
    pub const fn unlisted(mut self) -> Self {
        self.reach = Reach::Unlisted;
        self
    }

    #[must_use]
    pub const fn plan(mut self, used: PlanUse) -> Self {
        self.plan = Some(used);
        self
    }

    #[must_use]
    pub const fn singular(mut self, name: &'static str) -> Self {
        self.singular = Some(name);
        self
    }

    #[must_use]
    pub const fn label(mut self, label: &'static str) -> Self {
        self.label = Some(label);
        self
    }

    /// The label that people see.
    pub fn shown_label(&self) -> String {
        match self.label {
            Some(label) => label.to_owned(),
            None => self.name.replace('_', " "),
        }
    }

    /// The allowed words in a dialect, if the field allows only certain words.
    pub fn choices(&self, dialect: Dialect) -> Option<&'static [&'static str]> {
        match self.kind {
            FieldKind::Choice(words) => Some(words),
            FieldKind::TaskStatus => Some(dialect.statuses()),
            FieldKind::Priority => Some(dialect.priorities()),
            _ => None,
        }
    }

    /// Checks a JSON value. `null` clears an optional field; the result is then `None`.
    pub fn check(&self, given: &Json, dialect: Dialect) -> Result<Option<Value>> {
        if given.is_null() {
            if self.required {
                return Err(self.missing());
            }
            return Ok(None);
        }
        match self.kind {
            FieldKind::TextList(length) => return self.check_list(given, length).map(Some),
            FieldKind::NamedList(_) => {
                return self.check_list(given, Length::Chars(100)).map(Some);
            }
            FieldKind::Paths(max) => {
                let Value::List(paths) = self.check_list(given, Length::Chars(1_000))? else {
                    return Err(self.missing());
                };
                return check_paths(self.name, &paths, max).map(|paths| Some(Value::List(paths)));
            }
            FieldKind::Whole(max) => return self.check_whole_number(given, max).map(Some),
            FieldKind::Servers => return self.check_structure(given, check_servers).map(Some),
            FieldKind::ToolOverrides => {
                return self.check_structure(given, check_tool_overrides).map(Some);
            }
            _ => {}
        }
        if let (FieldKind::Priority, Some(number)) = (self.kind, given.as_i64()) {
            let priority = Priority::from_number(number)
                .ok_or_else(|| self.not_a_choice(&number.to_string(), dialect))?;
            return Ok(Some(Value::Text(priority.name().to_owned())));
        }
        let text = given
            .as_str()
            .ok_or_else(|| self.wrong_type("text", given))?;
        if self.required && text.trim().is_empty() {
            return Err(self.missing());
        }
        self.check_text(text, dialect)
            .map(|text| Some(Value::Text(text)))
    }

    fn check_text(&self, text: &str, dialect: Dialect) -> Result<String> {
        match self.kind {
            FieldKind::Choice(words) if !words.contains(&text) => {
                return Err(Error::invalid_enum(self.name, text, words));
            }
            FieldKind::TaskStatus => {
                return TaskStatus::parse_any(text)
                    .map(|status| status.name().to_owned())
                    .ok_or_else(|| self.not_a_choice(text, dialect));
            }
            FieldKind::Priority => {
                return Priority::parse_any(text)
                    .map(|priority| priority.name().to_owned())
                    .ok_or_else(|| self.not_a_choice(text, dialect));
            }
            FieldKind::Text(length) => length.check(self.name, text)?,
            FieldKind::Date => {
                Date::parse(self.name, text)?;
            }
            FieldKind::JsonText(max) => {
                Length::Bytes(max).check(self.name, text)?;
                serde_json::from_str::<Json>(text).map_err(|problem| {
                    Error::validation(self.name, format!("is not valid JSON: {problem}"))
                })?;
            }
            FieldKind::Url(max) => {
                Length::Bytes(max).check(self.name, text)?;
                check_url(self.name, text)?;
            }
            FieldKind::Name => return check_name(self.name, text),
            FieldKind::Acronym => return check_acronym(self.name, text),
            FieldKind::Named(_) => Length::Chars(100).check(self.name, text)?,
            // The other kinds were checked before, or are checked by the store.
            _ => {}
        }
        Ok(text.to_owned())
    }

    fn check_whole_number(&self, given: &Json, max: u32) -> Result<Value> {
        let number = match given {
            Json::String(digits) => digits.trim().parse::<u64>().ok(),
            other => other.as_u64(),
        };
        match number {
            Some(number) if (1..=u64::from(max)).contains(&number) => {
                Ok(Value::Text(number.to_string()))
            }
            _ => Err(Error::validation(
                self.name,
                format!("must be a whole number from 1 to {max}, not {given}"),
            )),
        }
    }

    /// Structured fields are stored as compact JSON text; on the command line they are given as
    /// text.
    fn check_structure(
        &self,
        given: &Json,
        check: fn(&str, &Json) -> Result<Json>,
    ) -> Result<Value> {
        let parsed = match given {
            Json::String(text) => serde_json::from_str(text).map_err(|problem| {
                Error::validation(self.name, format!("is not valid JSON: {problem}"))
            })?,
            other => other.clone(),
        };
        Ok(Value::Text(check(self.name, &parsed)?.to_string()))
    }

    fn check_list(&self, given: &Json, length: Length) -> Result<Value> {
        let items = given
            .as_array()
            .ok_or_else(|| self.wrong_type("a list of texts", given))?;
        if items.len() > MAX_ITEMS {
            let problem = format!("has {} items; at most {MAX_ITEMS} are allowed", items.len());
            return Err(Error::validation(self.name, problem));
        }
        let mut checked = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let name = format!("{}[{at}]", self.name);
            let text = item
                .as_str()
                .ok_or_else(|| Error::validation(&name, "must be text"))?;
            length.check(&name, text)?;
            checked.push(text.to_owned());
        }
        Ok(Value::List(checked))
    }

    pub(crate) fn missing(&self) -> Error {
        Error::validation(self.name, "is required")
    }

    fn wrong_type(&self, wanted: &str, given: &Json) -> Error {
        let kind = match given {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "text",
            Json::Array(_) => "a list",
            Json::Object(_) => "an object",
        };
        Error::validation(self.name, format!("must be {wanted}, not {kind}"))
    }

    fn not_a_choice(&self, given: &str, dialect: Dialect) -> Error {
        Error::invalid_enum(self.name, given, self.choices(dialect).unwrap_or_default())
    }
}

/// An absolute URL. One with a network scheme needs a host.
fn check_url(field: &str, text: &str) -> Result<()> {
    let valid = !text.chars().any(char::is_whitespace)
        && url::Url::parse(text)
            .is_ok_and(|url| !url.cannot_be_a_base() || url.scheme() == "mailto");
    if valid {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidUrl,
        format!("{field}: \"{text}\" is not a valid URL"),
    )
    .with("field", field)
    .with("value", text)
    .with_hint("Give an absolute URL with its scheme, for example https://example.com/page."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(kind: FieldKind, given: Json) -> Result<Option<Value>> {
        Field::new("field", kind, "A field.").check(&given, Dialect::Knowledge)
    }

    fn refused(kind: FieldKind, given: Json) -> ErrorKind {
        check(kind, given).unwrap_err().kind()
    }

    #[test]
    fn lengths_are_limited() {
        let chars = FieldKind::Text(Length::Chars(5));
        assert!(check(chars, json!("a")).is_ok());
        assert!(
            check(chars, json!("äöü🚀é")).is_ok(),
            "characters, not bytes"
        );
        assert_eq!(refused(chars, json!("abcdef")), ErrorKind::ValidationFailed);
        assert_eq!(refused(chars, json!("  ")), ErrorKind::ValidationFailed);
        let bytes = FieldKind::Text(Length::Bytes(4));
        assert!(check(bytes, json!("")).is_ok());
        assert!(check(bytes, json!("🚀")).is_ok());
        assert_eq!(refused(bytes, json!("🚀!")), ErrorKind::ValidationFailed);
    }

    #[test]
    fn null_clears_an_optional_field() {
        assert_eq!(check(FieldKind::Date, json!(null)), Ok(None));
        let required = Field::new("url", FieldKind::Url(9), "A URL.").required();
        assert!(required.check(&json!(null), Dialect::Knowledge).is_err());
        assert!(required.check(&json!(" "), Dialect::Knowledge).is_err());
    }

    #[test]
    fn urls_are_absolute_and_have_a_host() {
        let url = FieldKind::Url(2048);
        for good in [
            "https://example.com",
            "http://localhost:3000/a?b=c#d",
            "ssh://git@host/repo",
            "file:///tmp/x",
            "mailto:someone@example.com",
            "https://例え.jp/道",
        ] {
            assert!(check(url, json!(good)).is_ok(), "{good}");
        }
        for bad in [
            "example.com",
            "/path",
            "https://",
            "http://a b",
            "javascript:alert(1)",
            "::",
        ] {
            assert_eq!(refused(url, json!(bad)), ErrorKind::InvalidUrl, "{bad}");
        }
        let long = format!("https://example.com/{}", "a".repeat(2048 - 20));
        assert_eq!(long.len(), 2048);
        assert!(check(url, json!(long)).is_ok());
        assert_eq!(
            refused(url, json!(format!("{long}a"))),
            ErrorKind::ValidationFailed
        );
    }

    #[test]
    fn list_errors_name_the_item() {
        let list = FieldKind::TextList(Length::Chars(3));
        assert_eq!(
            check(list, json!(["a", "bc"])),
            Ok(Some(Value::List(vec!["a".into(), "bc".into()])))
        );
        let error = check(list, json!(["a", "abcd"])).unwrap_err();
        assert_eq!(error.data()["field"], "field[1]");
        assert_eq!(refused(list, json!("a")), ErrorKind::ValidationFailed);
    }

    #[test]
    fn json_text_must_parse() {
        let kind = FieldKind::JsonText(20);
        assert!(check(kind, json!("{\"type\":\"object\"}")).is_ok());
        assert_eq!(refused(kind, json!("{nope")), ErrorKind::ValidationFailed);
        assert_eq!(
            refused(kind, json!("\"aaaaaaaaaaaaaaaaaaa\"")),
            ErrorKind::ValidationFailed
        );
    }

    #[test]
    fn choices_and_priorities_are_checked() {
        let choice = FieldKind::Choice(&["active", "planned"]);
        let error = check(choice, json!("actve")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidEnumValue);
        assert_eq!(error.data()["valid"], json!(["active", "planned"]));
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("Did you mean \"active\""))
        );
        let text = |word: &str| Ok(Some(Value::Text(word.into())));
        assert_eq!(check(FieldKind::Priority, json!(0)), text("urgent"));
        assert_eq!(
            check(FieldKind::Priority, json!("critical")),
            text("urgent")
        );
        assert_eq!(
            refused(FieldKind::Priority, json!(4)),
            ErrorKind::InvalidEnumValue
        );
        assert_eq!(check(FieldKind::TaskStatus, json!("todo")), text("pending"));
        assert_eq!(check(FieldKind::TaskStatus, json!("draft")), text("draft"));
        assert_eq!(
            refused(FieldKind::TaskStatus, json!("open")),
            ErrorKind::InvalidEnumValue
        );
    }
}
