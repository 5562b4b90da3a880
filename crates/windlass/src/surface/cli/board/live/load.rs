//! Reads what the state shows.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use windlass_core::Result;
use windlass_ops::{AnyOutput as _, Block, Span, View};

use super::items::{Happened, Opened, Waiting};
use super::state::{Page, State};
use crate::surface::cli::board::columns::COLUMNS;
use crate::surface::cli::board::source::{Part, Source};
use crate::surface::cli::render::{self, Terminal};

/// How many events are kept.
const EVENTS: usize = 100;

#[derive(Deserialize)]
struct Status {
    waiting_for_person: Vec<Waiting>,
}

/// Reads everything that is visible. What cannot be read stays as it was.
pub async fn load(state: &mut State, source: &Source, width: usize) -> Result<()> {
    if let Some(opened) = state.opened.last_mut() {
        return load_opened(opened, source, width).await;
    }
    let status: Status = source.read("board_status", json!({})).await?;
    let waiting = whole(status.waiting_for_person);
    state.inbox.replace(waiting, |item| item.number);
    match state.page {
        Page::Board => load_board(state, source).await,
        Page::List => load_list(state, source).await,
        Page::Inbox => Ok(()),
        Page::Watch => load_events(state, source).await,
    }
}

/// Reads only lists of which a visible part is missing, after a key moved in them.
pub async fn load_missing(state: &mut State, source: &Source, width: usize) -> Result<()> {
    if let Some(opened) = state.opened.last_mut() {
        if opened.view.is_none() {
            return load_opened(opened, source, width).await;
        }
        return Ok(());
    }
    let column = state.columns.get(state.column);
    match state.page {
        Page::Board if column.is_some_and(|rows| !rows.is_loaded()) => {
            load_column(state, source, state.column).await
        }
        Page::List if !state.list.is_loaded() => load_list(state, source).await,
        _ => Ok(()),
    }
}

async fn load_board(state: &mut State, source: &Source) -> Result<()> {
    for at in 0..COLUMNS.len() {
        load_column(state, source, at).await?;
    }
    Ok(())
}

async fn load_column(state: &mut State, source: &Source, at: usize) -> Result<()> {
    let filters = state.filters();
    if let (Some(column), Some(rows)) = (COLUMNS.get(at), state.columns.get_mut(at)) {
        let part = source.tasks(&column.input(&filters), rows.wanted()).await?;
        rows.replace(part, |card| card.number);
    }
    Ok(())
}

async fn load_list(state: &mut State, source: &Source) -> Result<()> {
    let part = source.tasks(&state.filters(), state.list.wanted()).await?;
    state.list.replace(part, |card| card.number);
    Ok(())
}

async fn load_opened(opened: &mut Opened, source: &Source, width: usize) -> Result<()> {
    let response = source.call(opened.operation, opened.input.clone()).await?;
    opened.view = Some(response.view());
    arrange(opened, width);
    Ok(())
}

/// Breaks an opened view into lines of the screen's width.
pub fn arrange(opened: &mut Opened, width: usize) {
    let terminal = Terminal {
        width: Some(width),
        color: false,
        now: Some(Timestamp::now()),
    };
    if let Some(view) = &opened.view {
        let lines = render::lines(view, terminal);
        opened.lines = lines
            .into_iter()
            .flat_map(|line| folded(line, width))
            .collect();
    }
}

/// A line that is wider than the screen, as several.
fn folded(line: Vec<Span>, width: usize) -> Vec<Vec<Span>> {
    let wide: usize = line.iter().map(|span| span.text.width()).sum();
    if wide <= width {
        return vec![line];
    }
    let mut lines = vec![Vec::new()];
    let mut used = 0;
    for span in line {
        let mut open = String::new();
        for letter in span.text.chars() {
            let cells = letter.width().unwrap_or(0);
            if used + cells > width {
                let full = Span::new(std::mem::take(&mut open), span.style);
                if let Some(last) = lines.last_mut() {
                    last.push(full);
                }
                lines.push(Vec::new());
                used = 0;
            }
            open.push(letter);
            used += cells;
        }
        if let Some(last) = lines.last_mut() {
            last.push(Span::new(open, span.style));
        }
    }
    lines
}

async fn load_events(state: &mut State, source: &Source) -> Result<()> {
    let follows = state.events.selected == 0;
    let response = source
        .call("event_list", json!({ "limit": EVENTS }))
        .await?;
    let happened = happened(&response.to_json(), &response.view());
    state.events.replace(whole(happened), |event| event.seq);
    // Who looks at the newest wants to see the newest.
    if follows {
        state.events.select(0);
    }
    Ok(())
}

/// The events of the output, with what happened in the words of its view.
fn happened(json: &Json, view: &View) -> Vec<Happened> {
    let rows = view.blocks.iter().find_map(|block| match block {
        Block::Table { rows, .. } => Some(rows.as_slice()),
        _ => None,
    });
    let events = json["events"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let event = |(event, row): (&Json, &Vec<Span>)| Happened {
        seq: event["seq"].as_i64().unwrap_or_default(),
        at: text(&event["at"]),
        who: text(&event["session"]),
        kind: text(&event["type"]),
        what: row.last().map_or(String::new(), |span| span.text.clone()),
        number: event["entity_number"].as_i64(),
    };
    events
        .iter()
        .zip(rows.unwrap_or_default())
        .map(event)
        .collect()
}

fn whole<T>(items: Vec<T>) -> Part<T> {
    Part {
        total: items.len(),
        offset: 0,
        items,
    }
}

#[cfg(test)]
mod tests {
    use windlass_ops::Style;

    use super::*;

    #[test]
    fn nothing_of_a_wide_line_is_lost() {
        let line = vec![
            Span::new("held by  ", Style::Dim),
            Span::from("a very long name 世界世"),
        ];
        let lines = folded(line, 10);
        let texts: Vec<String> = lines
            .iter()
            .map(|line| line.iter().map(|span| span.text.as_str()).collect())
            .collect();
        assert_eq!(texts, ["held by  a", " very long", " name 世界", "世"]);
    }
}
