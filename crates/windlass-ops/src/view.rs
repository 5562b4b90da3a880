//! What a person sees, independent of the terminal: lines, tables and fields with meanings instead of
//! colours. The command line decides widths and colours.

use serde_json::{Map, Value as Json};

/// What a piece of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    /// The most important text.
    Strong,
    /// Secondary text.
    Dim,
    /// A number or id.
    Id,
    Good,
    Warning,
    Bad,
    /// A word that was searched for.
    Match,
    /// A timestamp; a terminal shows how long ago it was.
    Time,
    /// A timestamp; a terminal shows the local time and how long ago it was.
    Moment,
}

/// A piece of text with one meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Style,
}

impl Span {
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self {
            text: text.into(),
            style,
        }
    }
}

impl<T: Into<String>> From<T> for Span {
    fn from(text: T) -> Self {
        Self::new(text, Style::Plain)
    }
}

/// What a column gives up if the terminal is narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Nothing,
    End,
    /// Names and paths differ at their ends.
    Middle,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub title: &'static str,
    pub cut: Cut,
    pub right: bool,
    /// Below this width it does not shrink.
    pub least: usize,
    /// Whether it is left out where the table does not fit otherwise.
    pub is_spare: bool,
}

impl Column {
    pub const fn new(title: &'static str) -> Self {
        Self {
            title,
            cut: Cut::Nothing,
            right: false,
            least: 8,
            is_spare: false,
        }
    }

    #[must_use]
    pub const fn shrinking(mut self) -> Self {
        self.cut = Cut::End;
        self
    }

    /// Shrinks, and then leaves out the middle of a text.
    #[must_use]
    pub const fn shortened_in_the_middle(mut self) -> Self {
        self.cut = Cut::Middle;
        self.least = 16;
        self
    }

    /// Is left out of a table that would be wider than the terminal with it.
    #[must_use]
    pub const fn spare(mut self) -> Self {
        self.is_spare = true;
        self
    }

    /// Shrinks to this width and no further.
    #[must_use]
    pub const fn keeping(mut self, width: usize) -> Self {
        self.least = width;
        self
    }

    #[must_use]
    pub const fn right(mut self) -> Self {
        self.right = true;
        self
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Line(Vec<Span>),
    Table {
        columns: Vec<Column>,
        rows: Vec<Vec<Span>>,
    },
    /// Names with their values, aligned.
    Fields(Vec<(String, Span)>),
    /// Plain text, unchanged.
    Text(String),
    Blank,
}

/// What a person sees, top to bottom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    pub blocks: Vec<Block>,
}

impl View {
    #[must_use]
    pub fn line(mut self, spans: impl IntoIterator<Item = Span>) -> Self {
        self.blocks.push(Block::Line(spans.into_iter().collect()));
        self
    }

    #[must_use]
    pub fn table(mut self, columns: Vec<Column>, rows: Vec<Vec<Span>>) -> Self {
        self.blocks.push(Block::Table { columns, rows });
        self
    }

    #[must_use]
    pub fn fields(mut self, fields: Vec<(String, Span)>) -> Self {
        self.blocks.push(Block::Fields(fields));
        self
    }

    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    #[must_use]
    pub fn blank(mut self) -> Self {
        self.blocks.push(Block::Blank);
        self
    }

    /// A longer text under its name, if there is one.
    #[must_use]
    pub fn section(self, name: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self
                .blank()
                .line([Span::new(name, Style::Strong)])
                .text(text),
            None => self,
        }
    }

    /// Several texts under their name, if there are any.
    #[must_use]
    pub fn list(self, name: &str, items: &[String]) -> Self {
        if items.is_empty() {
            return self;
        }
        let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
        self.section(name, Some(&lines.join("\n")))
    }

    /// Another view below this one.
    #[must_use]
    pub fn join(mut self, below: Self) -> Self {
        self.blocks.extend(below.blocks);
        self
    }

    /// Says that there is nothing, and what to do about it.
    pub fn nothing(text: &str) -> Self {
        Self::default().line([Span::new(text, Style::Dim)])
    }
}

/// How an output is presented: to a person as a view, to a model within its budget.
pub trait Render {
    fn view(&self) -> View;

    /// Whether it reports a failure, which is a result all the same.
    fn failed(&self) -> bool {
        false
    }

    /// Updates a page whose list was cut after this many items.
    fn end_after(&self, kept: usize, page: &mut Map<String, Json>) {
        if let Some(more) = page.get_mut("has_more") {
            *more = Json::Bool(true);
        }
        if let Some(offset) = page.get("offset").and_then(Json::as_u64) {
            page.insert("next_offset".to_owned(), Json::from(offset + kept as u64));
        }
    }

    /// How to read the rest of a text or list of this output, of which this much is shown.
    fn rest_of(&self, _field: &str, _shown: usize) -> Option<String> {
        None
    }

    /// Whether it is a piece of something longer that is read on from its end.
    fn is_piece(&self) -> bool {
        false
    }

    /// The same as `rest_of` for an item of a page.
    fn rest_of_item(&self, _item: &Json, _field: &str, _shown: usize) -> Option<String> {
        None
    }

    /// Whether what was asked for ended without success, although the operation did its work: a run
    /// whose step failed, gates that did not pass. A command then exits with a distinct code.
    fn unsuccessful(&self) -> bool {
        self.failed()
    }
}
