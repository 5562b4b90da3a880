//! The board as text or JSON, once.

use serde::{Serialize, Serializer};
use serde_json::json;
use windlass_ops::{AnyOutput as _, Column, Render, Response, Span, Style, View};

use super::card::Card;
use super::columns::COLUMNS;
use super::source::Part;

/// The columns with their first tasks.
pub struct Board {
    pub columns: Vec<Part<Card>>,
}

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let column = |(column, part): (&super::columns::BoardColumn, &Part<Card>)| {
            json!({"name": column.key, "title": column.title, "total": part.total,
                "tasks": part.items})
        };
        let columns: Vec<_> = COLUMNS.iter().zip(&self.columns).map(column).collect();
        json!({ "columns": columns }).serialize(serializer)
    }
}

impl Render for Board {
    fn view(&self) -> View {
        let mut view = View::default();
        for (column, part) in COLUMNS.iter().zip(&self.columns) {
            if part.total == 0 {
                continue;
            }
            if !view.blocks.is_empty() {
                view = view.blank();
            }
            let heading = format!("{} ({})", column.title, part.total);
            view = view.line([Span::new(heading, Style::Strong)]);
            let columns = vec![
                Column::new("").right(),
                Column::new(""),
                Column::new("").shrinking(),
                Column::new("").shrinking(),
                Column::new(""),
            ];
            view = view.table(columns, part.items.iter().map(row).collect());
            let rest = part.total - part.items.len().min(part.total);
            if rest > 0 {
                view = view.line([Span::new(format!("  and {rest} more"), Style::Dim)]);
            }
        }
        if view.blocks.is_empty() {
            return View::nothing("No tasks. `windlass add TITLE` adds one.");
        }
        view
    }
}

fn row(card: &Card) -> Vec<Span> {
    let remark = card.remark();
    vec![
        Span::new(format!("  #{}", card.number), Style::Id),
        priority(&card.priority),
        Span::from(card.title.clone()),
        Span::new(remark.text, Style::Dim),
        Span::new(remark.moment.unwrap_or_default(), Style::Time),
    ]
}

/// A priority, if it is not the usual one.
pub fn priority(word: &str) -> Span {
    match word {
        "urgent" => Span::new(word, Style::Bad),
        "high" => Span::new(word, Style::Warning),
        "low" => Span::new(word, Style::Dim),
        _ => Span::from(""),
    }
}

/// What waits for a person, and the last events.
pub struct Watch {
    pub status: Response,
    pub events: Response,
}

impl Serialize for Watch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (status, events) = (self.status.to_json(), self.events.to_json());
        json!({"waiting_for_person": status["waiting_for_person"], "events": events["events"]})
            .serialize(serializer)
    }
}

impl Render for Watch {
    fn view(&self) -> View {
        self.status.view().blank().join(self.events.view())
    }
}
