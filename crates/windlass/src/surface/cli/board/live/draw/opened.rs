//! An opened task, or the change of its review.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;
use windlass_ops::Style;

use super::paint::{Paint, Piece};
use crate::surface::cli::board::live::items::Opened;
use crate::surface::cli::board::live::state::State;

pub fn fit(state: &mut State, area: Rect) {
    state.height = usize::from(area.height);
    if let Some(opened) = state.opened.last_mut() {
        let last = opened.lines.len().saturating_sub(state.height);
        opened.scroll = opened.scroll.min(last);
    }
}

pub fn draw(paint: &mut Paint<'_>, opened: &Opened, area: Rect) {
    let lines = opened.lines.iter().skip(opened.scroll);
    for (line, y) in lines.zip(area.top()..area.bottom()) {
        let pieces: Vec<Piece> = line
            .iter()
            .map(|span| Piece::new(span.text.clone(), span.style))
            .collect();
        paint.line(area.x, y, area.width, &pieces);
    }
    let shown = opened.scroll + usize::from(area.height);
    if shown < opened.lines.len() {
        let rest = format!(" {} more ↓ ", opened.lines.len() - shown);
        let width = u16::try_from(rest.width()).unwrap_or(area.width);
        let x = area.right().saturating_sub(width);
        paint.line(x, area.bottom(), width, &[Piece::new(rest, Style::Dim)]);
    }
}
