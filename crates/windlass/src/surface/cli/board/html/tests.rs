//! The pages, with what hostile people would call their tasks.

use serde_json::json;

use super::page::About;
use super::{board, graph};
use crate::surface::cli::board::card::tests::card;
use crate::surface::cli::board::columns::COLUMNS;
use crate::surface::cli::board::graph::TaskGraph;
use crate::surface::cli::board::graph::tests::node;
use crate::surface::cli::board::once::Board;
use crate::surface::cli::board::source::Part;

const HOSTILE: &str =
    "</script></title></style><img src=x onerror=alert(1)>\"'<!--&amp;\u{202e}\u{1b}[2J\u{0}";

fn about() -> About {
    About {
        project: HOSTILE.to_owned(),
        at: "2026-11-16 12:00 UTC".to_owned(),
    }
}

fn board_page() -> String {
    let more = json!({"tags": [HOSTILE], "claimed_by": HOSTILE, "assignee": HOSTILE,
        "feature": HOSTILE, "due_date": "2026-12-01", "priority": "urgent"});
    let columns = COLUMNS.iter().map(|_| Part {
        total: 9,
        offset: 0,
        items: vec![card(1, HOSTILE, "in_progress", more.clone())],
    });
    let board = Board {
        columns: columns.collect(),
    };
    board::board_page(&board, &about())
}

fn graph_page() -> String {
    let mut second = node(2, HOSTILE, &[1]);
    second.assignee = Some(HOSTILE.to_owned());
    let graph = TaskGraph {
        tasks: vec![node(1, HOSTILE, &[]), second, node(3, "Alone", &[])],
        critical_path: vec![1, 2],
    };
    graph::graph_page(&graph, &about())
}

/// Every tag of the page with its attributes, as a browser would find them: text of elements whose
/// content is not HTML is skipped up to their end.
fn tags(page: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let from = &rest[start..];
        // A quoted value may have a `>` in it.
        let mut quoted = false;
        let end = from
            .char_indices()
            .find(|(_, letter)| {
                quoted ^= *letter == '"';
                *letter == '>' && !quoted
            })
            .expect("a tag that ends");
        let tag = from[1..end.0].to_owned();
        rest = &from[end.0 + 1..];
        for name in ["script", "style", "title"] {
            if tag == name {
                let close = format!("</{name}>");
                rest = &rest[rest.find(&close).expect("a closing tag")..];
            }
        }
        tags.push(tag);
    }
    tags
}

#[test]
fn titles_never_become_markup() {
    for page in [board_page(), graph_page()] {
        let tags = tags(&page);
        assert!(!tags.iter().any(|tag| tag.contains("img")), "{tags:?}");
        let scripts = tags.iter().filter(|tag| tag.starts_with("script"));
        assert_eq!(scripts.count(), 1);
        assert!(!tags.iter().any(|tag| tag.contains(" on")), "{tags:?}");
        assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{0}']));
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    }
}

#[test]
fn every_tag_is_closed_in_order() {
    const EMPTY: &[&str] = &["!DOCTYPE", "meta", "input"];
    for page in [board_page(), graph_page()] {
        let mut open: Vec<String> = Vec::new();
        for tag in tags(&page) {
            let name = tag.split([' ', '\n']).next().expect("a name").to_owned();
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
                None if EMPTY.contains(&name.as_str()) || tag.ends_with('/') => {}
                None => open.push(name),
            }
        }
        assert_eq!(open, Vec::<String>::new());
    }
}

#[test]
fn a_page_needs_nothing_from_elsewhere_and_allows_nothing_else() {
    for page in [board_page(), graph_page()] {
        let outside = page.replace("http://www.w3.org/2000/svg", "");
        for word in [
            "http:", "https:", "src=\"", "href=", "@import", "style=\"", "url(//",
        ] {
            assert!(!outside.contains(word), "{word}");
        }
        let rules = "content=\"default-src 'none'; style-src 'sha256-";
        assert!(page.contains(rules));
        assert!(page.contains("script-src 'sha256-"));
        assert!(page.find("Content-Security-Policy") < page.find("<style>"));
    }
}

#[test]
fn the_graph_marks_the_critical_path() {
    let page = graph_page();
    assert!(page.contains("Critical path, 2 tasks:</b> #1 → #2"));
    assert!(page.contains("<path class=\"critical\" data-from=\"1\" data-to=\"2\""));
    assert!(page.contains("<g class=\"ready critical\" data-task=\"1\""));
    assert!(page.contains("<g class=\"ready\" data-task=\"3\""));
}

#[test]
fn a_picture_of_thousands_is_made_in_a_moment() {
    let tasks = (1..=4_000).map(|number| {
        let before: Vec<i64> = [number - 1, number / 2, number - 7]
            .into_iter()
            .filter(|before| *before > 0 && *before < number && number % 9 != 0)
            .collect();
        node(number, "A task with a title of usual length", &before)
    });
    let graph = TaskGraph {
        tasks: tasks.collect(),
        critical_path: (1..=9).collect(),
    };
    let start = std::time::Instant::now();
    let page = graph::graph_page(&graph, &about());
    let took = start.elapsed();
    assert!(page.len() > 1_000_000);
    assert!(took.as_secs() < 10, "{took:?}");
}
