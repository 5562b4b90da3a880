//! From a view to text: widths, colours and alignment.
//!
//! Pure: it takes the properties of the terminal and returns a string. Stored text is always
//! escaped.

pub mod escape;
pub mod moment;
mod table;

use std::borrow::Cow;

use anstyle::{AnsiColor, Effects};
use unicode_width::UnicodeWidthStr;
use windlass_ops::{Block, Span, Style, View};

pub use table::cut;

/// The target that the text is rendered for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// How many cells a line has; none without a terminal, and then nothing is truncated.
    pub width: Option<usize>,
    pub color: bool,
    /// The current time, if a person reads; timestamps are then shown relative to it.
    pub now: Option<jiff::Timestamp>,
}

/// The whole view as text.
pub fn render(view: &View, terminal: Terminal) -> String {
    let mut out = String::new();
    for line in lines(view, terminal) {
        for piece in &line {
            push_styled(&mut out, &piece.text, piece.style, terminal.color);
        }
        out.push('\n');
    }
    out
}

/// The view line by line, in pieces of one meaning each; escaped, and as wide as the terminal allows.
pub fn lines(view: &View, terminal: Terminal) -> Vec<Vec<Span>> {
    let mut out = Lines::default();
    for block in &view.blocks {
        match block {
            Block::Line(spans) => write_line(&mut out, spans, terminal),
            Block::Table { columns, rows } => table::write(&mut out, columns, rows, terminal),
            Block::Fields(fields) => write_fields(&mut out, fields, terminal),
            Block::Text(text) => write_text(&mut out, text, terminal.width),
            Block::Blank => out.end(),
        }
    }
    out.done
}

/// Lines under construction.
#[derive(Default)]
struct Lines {
    done: Vec<Vec<Span>>,
    open: Vec<Span>,
}

impl Lines {
    fn push(&mut self, text: impl Into<String>, style: Style) {
        self.open.push(Span::new(text, style));
    }

    fn space(&mut self, cells: usize) {
        if cells > 0 {
            self.push(" ".repeat(cells), Style::Plain);
        }
    }

    fn end(&mut self) {
        self.done.push(std::mem::take(&mut self.open));
    }
}

fn write_line(out: &mut Lines, spans: &[Span], terminal: Terminal) {
    for span in spans {
        let shown = shown(span, terminal);
        out.push(escape::one_line(&shown), span.style);
    }
    out.end();
}

/// The text of a span; a timestamp is shown in the form for people.
fn shown(span: &Span, terminal: Terminal) -> Cow<'_, str> {
    match (span.style, terminal.now) {
        (Style::Time, Some(now)) => Cow::Owned(moment::relative(&span.text, now)),
        (Style::Moment, Some(now)) => Cow::Owned(moment::full(&span.text, now)),
        _ => Cow::Borrowed(&span.text),
    }
}

/// Names in one column, values in the next; a value of several lines stays in its column.
fn write_fields(out: &mut Lines, fields: &[(String, Span)], terminal: Terminal) {
    let names: Vec<_> = fields
        .iter()
        .map(|(name, _)| escape::one_line(name))
        .collect();
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    for (name, (_, value)) in names.iter().zip(fields) {
        out.push(name.as_ref(), Style::Dim);
        let shown = shown(value, terminal);
        let text = escape::running(&shown);
        let mut indent = widest - name.width() + 2;
        for line in text.lines() {
            if !line.is_empty() {
                out.space(indent);
                out.push(line, value.style);
            }
            out.end();
            indent = widest + 2;
        }
        if text.is_empty() {
            out.end();
        }
    }
}

/// Lines that are too long for the terminal are broken between words; all others stay as they are.
fn write_text(out: &mut Lines, text: &str, width: Option<usize>) {
    for line in escape::running(text).lines() {
        match width {
            Some(width) if line.width() > width => wrap(out, line, width),
            _ => {
                out.push(line, Style::Plain);
                out.end();
            }
        }
    }
}

/// Breaks a line between words. What follows keeps its indentation, or that of the item of a list.
fn wrap(out: &mut Lines, line: &str, width: usize) {
    let mark = line
        .find(|letter: char| !" \t-*".contains(letter))
        .unwrap_or(0);
    let indent = line.get(..mark).map_or(0, UnicodeWidthStr::width);
    let mut shown = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let space = word.trim_end().width();
        if used > indent && used + space > width {
            out.push(shown.trim_end_matches(' '), Style::Plain);
            out.end();
            shown = " ".repeat(indent);
            used = indent;
        }
        shown.push_str(word);
        used += word.width();
    }
    out.push(shown, Style::Plain);
    out.end();
}

fn push_styled(out: &mut String, text: &str, style: Style, color: bool) {
    let style = ansi(style);
    if color && style != anstyle::Style::new() {
        out.push_str(&style.render().to_string());
        out.push_str(text);
        out.push_str(&style.render_reset().to_string());
    } else {
        out.push_str(text);
    }
}

/// Only the eight basic colours, which every theme keeps readable.
const fn ansi(style: Style) -> anstyle::Style {
    let plain = anstyle::Style::new();
    match style {
        Style::Plain => plain,
        Style::Strong => plain.bold(),
        Style::Dim | Style::Time | Style::Moment => plain.dimmed(),
        Style::Id => AnsiColor::Cyan.on_default(),
        Style::Good => AnsiColor::Green.on_default(),
        Style::Warning => AnsiColor::Yellow.on_default(),
        Style::Bad => AnsiColor::Red.on_default(),
        Style::Match => AnsiColor::Yellow.on_default().effects(Effects::BOLD),
    }
}

#[cfg(test)]
mod tests {
    use windlass_ops::Column;

    use super::*;

    fn tasks() -> View {
        View::default()
            .table(
                vec![
                    Column::new("#").right(),
                    Column::new("title").shrinking(),
                    Column::new("priority"),
                    Column::new("tags").shrinking(),
                ],
                vec![
                    row(["7", "Fix the login page on small screens", "urgent", "ui"]),
                    row(["12", "日本語のタイトルも切り取られる", "normal", ""]),
                    row(["100", "Hostile \u{1b}[31mred\r\u{202e}", "low", "a, b"]),
                ],
            )
            .line([Span::new("3 tasks", Style::Dim)])
    }

    fn row(cells: [&str; 4]) -> Vec<Span> {
        let [number, title, priority, tags] = cells;
        vec![
            Span::new(number, Style::Id),
            title.into(),
            Span::new(priority, Style::Warning),
            tags.into(),
        ]
    }

    fn plain(width: Option<usize>) -> Terminal {
        Terminal {
            width,
            ..Terminal::default()
        }
    }

    #[test]
    fn nothing_is_cut_without_a_terminal() {
        insta::assert_snapshot!(render(&tasks(), plain(None)), @r"
          #  title                                priority  tags
          7  Fix the login page on small screens  urgent    ui
         12  日本語のタイトルも切り取られる       normal
        100  Hostile \u{1b}[31mred\r\u{202e}      low       a, b
        3 tasks
        ");
    }

    #[test]
    fn a_narrow_terminal_cuts_the_columns_that_give_way() {
        let text = render(&tasks(), plain(Some(40)));
        insta::assert_snapshot!(text, @r"
          #  title                priority  tags
          7  Fix the login page…  urgent    ui
         12  日本語のタイトルも…  normal
        100  Hostile \u{1b}[31m…  low       a, b
        3 tasks
        ");
        assert!(text.lines().all(|line| line.width() <= 40));
    }

    #[test]
    fn a_very_narrow_terminal_keeps_something_to_read() {
        insta::assert_snapshot!(render(&tasks(), plain(Some(10))), @r"
          #  title     priority  tags
          7  Fix the…  urgent    ui
         12  日本語…   normal
        100  Hostile…  low       a, b
        3 tasks
        ");
    }

    #[test]
    fn colours_mark_meanings_and_nothing_else() {
        let view = View::default().line([
            Span::new("#7", Style::Id),
            " plain ".into(),
            Span::new("bad\u{1b}[0m", Style::Bad),
        ]);
        let terminal = Terminal {
            width: Some(80),
            color: true,
            now: None,
        };
        assert_eq!(
            render(&view, terminal),
            "\u{1b}[36m#7\u{1b}[0m plain \u{1b}[31mbad\\u{1b}[0m\u{1b}[0m\n"
        );
    }

    #[test]
    fn long_lines_are_broken_between_words_and_only_on_a_terminal() {
        let view = View::default().text("One two three four\n- five six seven eight\n    code = 1");
        insta::assert_snapshot!(render(&view, plain(Some(12))), @r"
        One two
        three four
        - five six
          seven
          eight
            code = 1
        ");
        assert_eq!(render(&view, plain(None)).lines().count(), 3);
    }

    #[test]
    fn fields_are_aligned_and_keep_their_column() {
        let view = View::default()
            .fields(vec![
                ("title".into(), "One\rline".into()),
                ("説明".into(), "first\n\nthird".into()),
                ("tags".into(), "".into()),
            ])
            .blank()
            .text("As it is:\n\tindented \u{7}");
        insta::assert_snapshot!(render(&view, plain(Some(20))), @r"
        title  One\rline
        説明   first

               third
        tags

        As it is:
        	indented \u{7}
        ");
    }
}
