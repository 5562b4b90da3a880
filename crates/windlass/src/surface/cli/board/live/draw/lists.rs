//! Lists over the whole width: all tasks, what waits for a person, what happens.

use ratatui::layout::Rect;
use windlass_ops::Style;

use super::paint::{Paint, Piece};
use crate::surface::cli::board::card::Card;
use crate::surface::cli::board::live::items::{Happened, Waiting};
use crate::surface::cli::board::live::rows::Rows;
use crate::surface::cli::board::live::state::{Page, State};
use crate::surface::cli::board::once::priority;
use crate::surface::cli::render::{cut, escape};

/// A task and what is asked of the person.
const WAITING: u16 = 2;

/// Above and below of the watch page, without their headings.
fn halves(area: Rect) -> (Rect, Rect) {
    let upper = area.height / 3;
    let above = Rect::new(area.x, area.y + 1, area.width, upper.saturating_sub(1));
    let below = area.height.saturating_sub(upper + 1);
    (
        above,
        Rect::new(area.x, area.y + upper + 1, area.width, below),
    )
}

pub fn fit(state: &mut State, area: Rect) {
    state.list.fit(usize::from(area.height));
    let (above, below) = halves(area);
    let inbox = if state.page == Page::Watch {
        above
    } else {
        area
    };
    state.inbox.fit(usize::from(inbox.height / WAITING));
    state.events.fit(usize::from(below.height));
}

pub fn draw_list(paint: &mut Paint<'_>, state: &State, area: Rect) {
    if state.list.total() == 0 {
        let nothing = if state.filter.is_empty() {
            "No tasks. `windlass add TITLE` adds one."
        } else {
            "No task has these words. Esc shows all."
        };
        empty(paint, area, nothing);
    }
    let is_wide = area.width >= 60;
    draw_rows(paint, &state.list, area, 1, true, |paint, card, place| {
        draw_task(paint, card, place, is_wide);
    });
}

fn draw_task(paint: &mut Paint<'_>, card: &Card, place: Rect, is_wide: bool) {
    let mut pieces = vec![
        Piece::new(format!("{:>6} ", format!("#{}", card.number)), Style::Id),
        Piece::new(format!("{:<15}", card.status), status(&card.status)),
    ];
    if is_wide {
        let priority = priority(&card.priority);
        pieces.push(Piece::new(format!("{:<7}", priority.text), priority.style));
    }
    pieces.push(Piece::plain(card.title.clone()));
    let remark = card.remark().text;
    if is_wide && !remark.is_empty() {
        pieces.push(Piece::new(format!("  {remark}"), Style::Dim));
    }
    paint.line(place.x, place.y, place.width, &pieces);
}

fn status(word: &str) -> Style {
    match word {
        "done" => Style::Good,
        "in_review" | "awaiting_human" => Style::Warning,
        "blocked" => Style::Bad,
        "draft" | "skipped" | "cancelled" => Style::Dim,
        _ => Style::Plain,
    }
}

pub fn draw_inbox(paint: &mut Paint<'_>, state: &State, area: Rect) {
    if state.inbox.total() == 0 {
        empty(paint, area, "Nothing waits for you.");
    }
    draw_rows(paint, &state.inbox, area, WAITING, true, draw_waiting);
}

fn draw_waiting(paint: &mut Paint<'_>, item: &Waiting, place: Rect) {
    let ago = paint.ago(&item.since);
    let title = [
        Piece::new(format!("{:<9}", item.what), Style::Warning),
        Piece::new(format!("#{} ", item.number), Style::Id),
        Piece::plain(item.title.clone()),
        Piece::new(format!("  {ago}"), Style::Dim),
    ];
    paint.line(place.x, place.y, place.width, &title);
    let reason = Piece::new(format!("         {}", item.reason), Style::Dim);
    paint.line(place.x, place.y + 1, place.width, &[reason]);
}

pub fn draw_watch(paint: &mut Paint<'_>, state: &State, area: Rect) {
    let (above, below) = halves(area);
    let heading = |is_selected: bool| {
        if is_selected {
            Style::Strong
        } else {
            Style::Dim
        }
    };
    let waits = format!("Waits for you {}", state.inbox.total());
    let waits = Piece::new(waits, heading(!state.in_events));
    paint.line(area.x, area.y, area.width, &[waits]);
    if state.inbox.total() == 0 {
        empty(paint, above, "Nothing waits for you.");
    }
    let here = !state.in_events;
    draw_rows(paint, &state.inbox, above, WAITING, here, draw_waiting);
    let happens = Piece::new("What happens", heading(state.in_events));
    paint.line(area.x, below.y.saturating_sub(1), area.width, &[happens]);
    draw_rows(paint, &state.events, below, 1, state.in_events, draw_event);
}

fn draw_event(paint: &mut Paint<'_>, event: &Happened, place: Rect) {
    let ago = paint.ago(&event.at);
    let mut pieces = vec![Piece::new(format!("{ago:>11}  "), Style::Dim)];
    let (who, kind) = match place.width {
        100.. => (20, 24),
        60.. => (14, 20),
        _ => (0, 0),
    };
    if who > 0 {
        let column = |text: &str, width: usize| {
            let text = cut(&escape::one_line(text), width - 2);
            format!("{text:<width$}")
        };
        pieces.push(Piece::plain(column(&event.who, who)));
        pieces.push(Piece::new(column(&event.kind, kind), Style::Dim));
    } else {
        pieces.push(Piece::new(format!("{} ", event.kind), Style::Dim));
    }
    pieces.push(Piece::plain(event.what.clone()));
    paint.line(place.x, place.y, place.width, &pieces);
}

fn draw_rows<T>(
    paint: &mut Paint<'_>,
    rows: &Rows<T>,
    area: Rect,
    height: u16,
    shows_selection: bool,
    draw: impl Fn(&mut Paint<'_>, &T, Rect),
) {
    let mut y = area.y;
    for (position, item) in rows.shown() {
        if y + height > area.bottom() {
            return;
        }
        let place = Rect::new(area.x, y, area.width, height);
        draw(paint, item, place);
        if shows_selection && position == rows.selected {
            paint.select(Rect { height: 1, ..place });
        }
        y += height;
    }
}

fn empty(paint: &mut Paint<'_>, area: Rect, text: &str) {
    let piece = Piece::new(text, Style::Dim);
    paint.line(area.x + 1, area.y, area.width.saturating_sub(1), &[piece]);
}
