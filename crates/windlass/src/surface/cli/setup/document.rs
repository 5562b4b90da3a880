//! The text of a client's settings, in either format: reads its servers, and changes them.

use serde_json::{Map, Value as Json};

use super::{json, toml};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    JsonWithComments,
    Toml,
}

/// Why a text cannot be read, or cannot be changed safely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub line: usize,
    pub message: String,
}

impl Broken {
    pub fn new(line: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
        }
    }

    pub fn not_an_object() -> Self {
        Self::new(1, "the settings are not an object")
    }

    /// The place is a position in the text.
    pub fn at(text: &str, position: usize, message: impl Into<String>) -> Self {
        let before = text.as_bytes().iter().take(position);
        Self::new(before.filter(|byte| **byte == b'\n').count() + 1, message)
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

impl Format {
    /// All servers by name.
    pub fn servers(self, text: &str, container: &str) -> Result<Map<String, Json>, Broken> {
        let mut root = self.read(text.trim_start_matches(BYTE_ORDER_MARK))?;
        match root.get_mut(container).map(Json::take) {
            Some(Json::Object(servers)) => Ok(servers),
            _ => Ok(Map::new()),
        }
    }

    /// The text with the entry in it, new or in place of the one of that name.
    pub fn with_entry(
        self,
        text: &str,
        container: &str,
        name: &str,
        entry: &Json,
    ) -> Result<String, Broken> {
        let mut wanted = self.read(text.trim_start_matches(BYTE_ORDER_MARK))?;
        if wanted.get(container).and_then(|it| it.get(name)) == Some(entry) {
            return Ok(text.to_owned());
        }
        if let Some(root) = wanted.as_object_mut() {
            let servers = root.entry(container).or_insert_with(|| Map::new().into());
            // If it is something else, the edit reports it.
            if let Some(servers) = servers.as_object_mut() {
                servers.insert(name.to_owned(), entry.clone());
            }
        }
        self.edited(text, &wanted, |text| match self {
            Self::Toml => toml::set(text, container, name, entry),
            _ => json::set(text, self, container, name, entry),
        })
    }

    /// The text without the entry, and without its container if that is then empty.
    pub fn without_entry(self, text: &str, container: &str, name: &str) -> Result<String, Broken> {
        let mut wanted = self.read(text.trim_start_matches(BYTE_ORDER_MARK))?;
        let servers = wanted.get_mut(container).and_then(Json::as_object_mut);
        if let Some(servers) = servers {
            servers.shift_remove(name);
        }
        self.edited(text, &wanted, |text| match self {
            Self::Toml => toml::remove(text, container, name),
            _ => json::remove(text, self, container, name),
        })
    }

    /// Changes the text, and checks that the result has exactly the wanted content.
    fn edited(
        self,
        text: &str,
        wanted: &Json,
        edit: impl FnOnce(&str) -> Result<String, Broken>,
    ) -> Result<String, Broken> {
        let (mark, body) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(body) => (&text[..BYTE_ORDER_MARK.len_utf8()], body),
            None => ("", text),
        };
        let edited = edit(body)?;
        let says = self.read(&edited)?;
        if without_empty(&says) != without_empty(wanted) {
            return Err(Broken::new(
                1,
                "the file is written in a way that cannot be changed safely",
            ));
        }
        Ok(format!("{mark}{edited}"))
    }

    /// The whole text as a value. An empty text is an empty object.
    pub fn read(self, text: &str) -> Result<Json, Broken> {
        let value = match self {
            Self::Toml => toml::read(text)?,
            _ => json::read(text, self)?,
        };
        if value.is_object() {
            Ok(value)
        } else {
            Err(Broken::not_an_object())
        }
    }
}

/// Without empty objects at the top level.
fn without_empty(root: &Json) -> Json {
    let mut root = root.clone();
    if let Some(fields) = root.as_object_mut() {
        fields.retain(|_, value| *value != Json::Object(Map::new()));
    }
    root
}
