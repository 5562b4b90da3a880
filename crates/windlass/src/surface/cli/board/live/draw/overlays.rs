//! What lies above the page: the keys, a question, a message.

use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr as _;
use windlass_ops::Style;

use super::paint::{Paint, Piece, broken};
use crate::surface::cli::board::live::items::Message;
use crate::surface::cli::board::live::keys::HELP;
use crate::surface::cli::board::live::prompt::{Prompt, Purpose};
use crate::surface::cli::board::live::state::State;
use crate::surface::cli::render::escape;

const FOOTER: &str = "? keys  / filter  Enter open  Esc back  q quit";
/// How many lines a message may have.
const MESSAGE: usize = 4;

/// Returns where the cursor is, if something is typed.
pub fn draw(paint: &mut Paint<'_>, state: &State, whole: Rect) -> Option<Position> {
    let bottom = whole.bottom().saturating_sub(1);
    if let Some(prompt) = &state.prompt {
        return draw_prompt(paint, prompt, whole);
    }
    if let Some(message) = &state.message {
        draw_message(paint, message, whole);
    } else {
        let room = whole.width.saturating_sub(18);
        paint.line(whole.x, bottom, room, &[Piece::new(FOOTER, Style::Dim)]);
    }
    if state.shows_help {
        draw_help(paint, whole);
    }
    None
}

/// The lines at the lower edge, on an empty ground.
fn at_the_edge(paint: &mut Paint<'_>, whole: Rect, lines: usize) -> Rect {
    let height = u16::try_from(lines).unwrap_or(1).min(whole.height);
    let area = Rect::new(whole.x, whole.bottom() - height, whole.width, height);
    paint.clear(area);
    area
}

fn draw_message(paint: &mut Paint<'_>, message: &Message, whole: Rect) {
    let lines = broken(&message.text, usize::from(whole.width), MESSAGE);
    let area = at_the_edge(paint, whole, lines.len());
    let style = if message.is_problem {
        Style::Bad
    } else {
        Style::Good
    };
    for (line, y) in lines.into_iter().zip(area.top()..area.bottom()) {
        paint.line(area.x, y, area.width, &[Piece::new(line, style)]);
    }
}

fn draw_prompt(paint: &mut Paint<'_>, prompt: &Prompt, whole: Rect) -> Option<Position> {
    let width = usize::from(whole.width);
    let most = usize::from(whole.height).saturating_sub(2);
    let mut lines: Vec<String> = Vec::new();
    for line in &prompt.lines {
        // Indentation belongs to the text: suggestions are set off.
        let indent = line.len() - line.trim_start().len();
        let parts = broken(line, width.saturating_sub(indent), MESSAGE);
        lines.extend(parts.into_iter().map(|part| " ".repeat(indent) + &part));
    }
    let cut = lines.len().saturating_sub(most);
    lines.drain(..cut);
    let is_typed = !matches!(prompt.purpose, Purpose::Confirm(_));
    let area = at_the_edge(paint, whole, lines.len() + usize::from(is_typed));
    let mut y = area.y;
    for line in lines {
        paint.line(area.x, y, area.width, &[Piece::new(line, Style::Strong)]);
        y += 1;
    }
    if !is_typed {
        return None;
    }
    let mark = if matches!(prompt.purpose, Purpose::Filter(_)) {
        "/"
    } else {
        "> "
    };
    let typed = escape::one_line(&prompt.text).into_owned();
    let typed = end_of(&typed, width.saturating_sub(mark.len() + 1));
    let cursor = mark.len() + typed.width();
    let pieces = [Piece::new(mark, Style::Strong), Piece::plain(typed)];
    paint.line(area.x, y, area.width, &pieces);
    let x = area.x + u16::try_from(cursor).unwrap_or(0);
    Some(Position::new(x.min(area.right().saturating_sub(1)), y))
}

/// The end of a text, as much as fits.
fn end_of(text: &str, width: usize) -> &str {
    let mut shown = text;
    while shown.width() > width {
        let mut letters = shown.chars();
        letters.next();
        shown = letters.as_str();
    }
    shown
}

fn draw_help(paint: &mut Paint<'_>, whole: Rect) {
    let keys = HELP.iter().map(|(keys, _)| keys.len()).max().unwrap_or(0) + 2;
    let about = HELP.iter().map(|(_, about)| about.len()).max().unwrap_or(0);
    let rows = usize::from(whole.height.saturating_sub(3)).max(1);
    let across = HELP.len().div_ceil(rows);
    let column = keys + about + 2;
    let width = u16::try_from(column * across + 2).unwrap_or(whole.width);
    let width = width.min(whole.width);
    let height = u16::try_from(HELP.len().min(rows) + 2).unwrap_or(whole.height);
    let height = height.min(whole.height);
    let area = Rect::new(
        whole.x + (whole.width - width) / 2,
        whole.y + (whole.height - height) / 2,
        width,
        height,
    );
    paint.clear(area);
    let title = format!("{:<width$}", " Keys", width = usize::from(width));
    let title = Piece::new(title, Style::Strong).reversed();
    paint.line(area.x, area.y, area.width, &[title]);
    for (at, (names, text)) in HELP.iter().enumerate() {
        let x = area.x + 1 + u16::try_from((at / rows) * column).unwrap_or(0);
        let y = area.y + 1 + u16::try_from(at % rows).unwrap_or(0);
        let pieces = [
            Piece::new(format!("{names:<keys$}"), Style::Id),
            Piece::plain(*text),
        ];
        let room = area.right().saturating_sub(x);
        paint.line(x, y, room, &pieces);
    }
}
