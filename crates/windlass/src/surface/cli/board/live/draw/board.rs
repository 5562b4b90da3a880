//! The board: as many columns as fit, the selected one always among them.

use ratatui::layout::Rect;
use windlass_ops::Style;

use super::paint::{Paint, Piece, broken};
use crate::surface::cli::board::card::Card;
use crate::surface::cli::board::columns::COLUMNS;
use crate::surface::cli::board::live::state::State;

/// A column that is narrower says nothing.
const NARROWEST: u16 = 24;
/// A title of two lines and what there is to say about the task.
const CARD: u16 = 3;
const HEADING: u16 = 1;

pub fn fit(state: &mut State, area: Rect) {
    let fitting = usize::from((area.width / NARROWEST).max(1));
    state.visible_columns = fitting.min(COLUMNS.len());
    let last = COLUMNS.len() - state.visible_columns;
    let lowest = (state.column + 1).saturating_sub(state.visible_columns);
    state.first_column = state
        .first_column
        .clamp(lowest, state.column)
        .min(last.max(lowest));
    let cards = area.height.saturating_sub(HEADING) / CARD;
    for rows in &mut state.columns {
        rows.fit(usize::from(cards));
    }
}

pub fn draw(paint: &mut Paint<'_>, state: &State, area: Rect) {
    let count = u16::try_from(state.visible_columns).unwrap_or(1).max(1);
    let width = area.width / count;
    let shown = COLUMNS.iter().zip(&state.columns).enumerate();
    let shown = shown.skip(state.first_column).take(state.visible_columns);
    let mut x = area.x;
    for (at, (column, rows)) in shown {
        let is_selected = at == state.column;
        let place = Rect::new(x, area.y, width.saturating_sub(1), area.height);
        let before = at == state.first_column && at > 0;
        let after = at + 1 == state.first_column + state.visible_columns && at + 1 < COLUMNS.len();
        let heading = Piece::new(
            format!(
                "{}{} {}{}",
                if before { "‹ " } else { "" },
                column.title,
                rows.total(),
                if after { " ›" } else { "" }
            ),
            if is_selected {
                Style::Strong
            } else {
                Style::Dim
            },
        );
        paint.line(place.x, place.y, place.width, &[heading]);
        let mut y = place.y + HEADING;
        for (position, card) in rows.shown() {
            let place = Rect::new(place.x, y, place.width, CARD);
            let chosen = is_selected && position == rows.selected;
            draw_card(paint, card, place, chosen);
            y += CARD;
        }
        x += width;
    }
}

fn draw_card(paint: &mut Paint<'_>, card: &Card, place: Rect, is_selected: bool) {
    let mark = match card.priority.as_str() {
        "urgent" => "!!",
        "high" => "!",
        _ => "",
    };
    let number = format!("#{}{mark} ", card.number);
    let meaning = match card.priority.as_str() {
        "urgent" => Style::Bad,
        "high" => Style::Warning,
        _ => Style::Id,
    };
    let width = usize::from(place.width);
    // The number stands where the first word of the title would.
    let lines = broken(&format!("{number}{}", card.title), width, 2);
    let mut y = place.y;
    for (at, line) in lines.iter().enumerate() {
        let title = match line.strip_prefix(number.trim_end()) {
            Some(rest) if at == 0 => {
                vec![
                    Piece::new(number.trim_end(), meaning),
                    Piece::plain(rest.to_owned()),
                ]
            }
            _ => vec![Piece::plain(line.clone())],
        };
        paint.line(place.x, y, place.width, &title);
        y += 1;
    }
    if is_selected {
        let height = y - place.y;
        paint.select(Rect { height, ..place });
    }
    let remark = card.remark();
    let ago = remark.moment.map(|at| paint.ago(&at)).unwrap_or_default();
    let gap = if remark.text.is_empty() || ago.is_empty() {
        ""
    } else {
        ", "
    };
    let text = format!("  {}{gap}{ago}", remark.text);
    paint.line(place.x, y, place.width, &[Piece::new(text, Style::Dim)]);
}
