//! The board as a page.

use super::page::{About, FILTER, add, page, text};
use crate::surface::cli::board::card::Card;
use crate::surface::cli::board::columns::COLUMNS;
use crate::surface::cli::board::once::Board;

const SCRIPT: &str = include_str!("board.js");

pub fn board_page(board: &Board, about: &About) -> String {
    let mut body = String::from("<main class=\"board\">\n");
    for (column, part) in COLUMNS.iter().zip(&board.columns) {
        add(
            &mut body,
            format_args!(
                "<section class=\"column\" aria-label=\"{0}\"><h2>{0} <span>{1}</span></h2>\n<ul>\n",
                column.title, part.total
            ),
        );
        for card in &part.items {
            add_card(&mut body, card);
        }
        body.push_str("</ul>\n");
        let rest = part.total.saturating_sub(part.items.len());
        if rest > 0 {
            add(
                &mut body,
                format_args!("<p class=\"more\">and {rest} more</p>\n"),
            );
        }
        body.push_str("</section>\n");
    }
    body.push_str("</main>");
    page(about, "Board", FILTER, &body, SCRIPT)
}

fn add_card(body: &mut String, card: &Card) {
    let ended = match card.status.as_str() {
        "done" | "skipped" | "cancelled" => " ended",
        _ => "",
    };
    let mark = match card.priority.as_str() {
        word @ ("urgent" | "high" | "low") => format!(" <span class=\"mark\">{word}</span>"),
        _ => String::new(),
    };
    let remark = card.remark();
    let moment = remark.moment.map(|at| short(&at)).unwrap_or_default();
    let parts = [remark.text, moment];
    let parts: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    let about = match parts.join(", ").as_str() {
        "" => String::new(),
        about => format!("<p>{}</p>", text(about)),
    };
    add(
        body,
        format_args!(
            "<li class=\"card {}{ended}\"><span class=\"number\">#{}</span> \
             <span class=\"title\">{}</span>{mark}{about}</li>\n",
            text(&card.priority),
            card.number,
            text(&card.title)
        ),
    );
}

/// The day and the minute of a timestamp.
fn short(at: &str) -> String {
    let shown: String = at.chars().take("2026-11-16T11:57".len()).collect();
    shown.replace('T', " ")
}
