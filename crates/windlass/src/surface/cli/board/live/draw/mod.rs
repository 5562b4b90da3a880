//! Paints the state. Every text goes through [`Paint`], which escapes it: nothing that users wrote
//! reaches the terminal with its control characters.

mod board;
mod lists;
mod opened;
mod overlays;
mod paint;

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::state::{Page, State};
pub use paint::Theme;
use paint::{Paint, Piece};
use windlass_ops::Style;

/// Lines at the upper edge (pages) and at the lower edge (keys).
const EDGES: u16 = 2;

/// The space between the edges.
fn inner(width: u16, height: u16) -> Rect {
    Rect::new(0, 1, width, height.saturating_sub(EDGES))
}

/// Arranges the state for a terminal of that size.
pub fn fit(state: &mut State, width: u16, height: u16) {
    let area = inner(width, height);
    board::fit(state, area);
    lists::fit(state, area);
    opened::fit(state, area);
}

pub fn draw(frame: &mut Frame<'_>, state: &mut State, theme: Theme, now: Timestamp) {
    let whole = frame.area();
    fit(state, whole.width, whole.height);
    let mut paint = Paint::new(frame.buffer_mut(), theme, now);
    let area = inner(whole.width, whole.height);
    header(&mut paint, state, whole);
    match (state.opened.last(), state.page) {
        (Some(opened), _) => opened::draw(&mut paint, opened, area),
        (None, Page::Board) => board::draw(&mut paint, state, area),
        (None, Page::List) => lists::draw_list(&mut paint, state, area),
        (None, Page::Inbox) => lists::draw_inbox(&mut paint, state, area),
        (None, Page::Watch) => lists::draw_watch(&mut paint, state, area),
    }
    let cursor = overlays::draw(&mut paint, state, whole);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// The pages, and the filter.
fn header(paint: &mut Paint<'_>, state: &State, whole: Rect) {
    let waiting = state.inbox.total();
    let inbox = match waiting {
        0 => "Inbox".to_owned(),
        count => format!("Inbox {count}"),
    };
    let pages = [
        (Page::Board, "Board".to_owned()),
        (Page::List, "List".to_owned()),
        (Page::Inbox, inbox),
        (Page::Watch, "Watch".to_owned()),
    ];
    let mut pieces = Vec::new();
    for (page, name) in pages {
        let style = match page {
            page if page == state.page => Style::Strong,
            Page::Inbox if waiting > 0 => Style::Warning,
            _ => Style::Dim,
        };
        let piece = Piece::new(format!(" {name} "), style);
        pieces.push(if page == state.page {
            piece.reversed()
        } else {
            piece
        });
    }
    if !state.filter.is_empty() && state.prompt.is_none() {
        pieces.push(Piece::new(format!("  /{}", state.filter), Style::Match));
    }
    if let Some(opened) = state.opened.last() {
        pieces.push(Piece::new(format!("  #{}", opened.task), Style::Id));
    }
    paint.line(whole.x, whole.y, whole.width, &pieces);
}
