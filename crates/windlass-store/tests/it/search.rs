//! Search: any text is safe, the best match comes first, and the index follows the rows.

use serde_json::json;
use windlass_core::{EntityType, Patch, SearchQuery};
use windlass_store::SearchFilter;

use crate::support::{Sandbox, draft, sandbox};

fn filter(query: &str) -> SearchFilter {
    SearchFilter {
        query: SearchQuery::parse(query).expect("valid"),
        page: windlass_core::Page::default(),
    }
}

fn found(sandbox: &Sandbox, query: &str) -> Vec<String> {
    let (hits, _) = sandbox
        .store
        .read(None, |reader| reader.search(&filter(query)))
        .expect(query);
    hits.into_iter().map(|hit| hit.entity.title).collect()
}

#[test]
fn title_ranks_above_tags_above_text() {
    let sandbox = sandbox();
    let note = |title: &str, content: &str, tags: &[&str]| {
        sandbox.add(draft(
            EntityType::Note,
            title,
            Some(content),
            tags,
            json!({}),
        ));
    };
    note("In the text", "the parser is here", &[]);
    note("In a tag", "nothing", &["parser"]);
    note("The parser", "nothing", &[]);
    note("Elsewhere", "nothing at all", &[]);
    assert_eq!(
        found(&sandbox, "parser"),
        ["The parser", "In a tag", "In the text"]
    );
}

#[test]
fn an_unfinished_word_finds_longer_words() {
    let sandbox = sandbox();
    sandbox.task("Authentication flow");
    assert_eq!(found(&sandbox, "auth"), ["Authentication flow"]);
    assert_eq!(found(&sandbox, "flow auth"), ["Authentication flow"]);
    assert!(
        found(&sandbox, "auth ").is_empty(),
        "a finished word matches only itself"
    );
}

#[test]
fn all_words_must_match_or_else_any_word() {
    let sandbox = sandbox();
    sandbox.task("red apple");
    sandbox.task("red pear");
    let search = |query: &str| {
        sandbox
            .store
            .read(None, |reader| reader.search(&filter(query)))
            .expect(query)
    };
    let (hits, every) = search("red apple");
    assert_eq!((hits.len(), every), (1, true));
    let (hits, every) = search("green apple");
    assert_eq!((hits.len(), every), (1, false));
}

#[test]
fn any_text_is_a_valid_query() {
    let sandbox = sandbox();
    sandbox.task("C++ and foo\"bar and 🚀 rockets");
    let long = "x".repeat(10_000);
    for query in [
        "C++",
        "foo\"bar",
        "a AND",
        "AND",
        "OR NOT",
        "NEAR(",
        "\"",
        "''",
        "*",
        "a*b",
        "(",
        "-x",
        "^y",
        "{z}",
        "title:",
        "\"col:x\"",
        "🚀",
        "\u{0}",
        "a\u{0}b",
        "é",
        "ﬁ",
        "\u{202e}abc",
        ";--",
        "%",
        "_",
        &long,
    ] {
        let _ = found(&sandbox, query);
    }
    for query in ["C++", "foo\"bar", "🚀", "c++ rockets"] {
        assert_eq!(found(&sandbox, query).len(), 1, "{query}");
    }
}

#[test]
fn the_index_follows_changes_and_deletes() {
    let sandbox = sandbox();
    let task = sandbox.task("before");
    let patch = Patch {
        title: Some("after".into()),
        content: Some(Some("walrus".into())),
        add_tags: vec!["zoo".into()],
        ..Patch::default()
    };
    sandbox.change(&task.id, &patch).expect("valid");
    assert!(found(&sandbox, "before").is_empty());
    for query in ["after", "walrus", "zoo", "tag:zoo"] {
        assert_eq!(found(&sandbox, query), ["after"], "{query}");
    }
    sandbox.delete(&task.id).expect("deleted");
    for query in ["after", "walrus", "zoo", "tag:zoo"] {
        assert!(found(&sandbox, query).is_empty(), "{query}");
    }
}

#[test]
fn properties_are_searched_and_filters_narrow() {
    let sandbox = sandbox();
    sandbox.add(draft(
        EntityType::Decision,
        "Database",
        None,
        &["infra"],
        json!({"context": "relational", "consequences": ["migrations"], "status": "accepted"}),
    ));
    sandbox.add(draft(
        EntityType::Link,
        "Docs",
        None,
        &[],
        json!({"url": "https://example.com/relational"}),
    ));
    assert_eq!(found(&sandbox, "migrations"), ["Database"]);
    assert_eq!(found(&sandbox, "relational").len(), 2);
    assert_eq!(found(&sandbox, "relational type:decision"), ["Database"]);
    assert_eq!(
        found(&sandbox, "type:decision status:accepted tag:infra"),
        ["Database"]
    );
    assert_eq!(found(&sandbox, "created:>2020-01-01").len(), 2);
    assert!(found(&sandbox, "created:<2020-01-01").is_empty());
}

#[test]
fn snippets_show_the_match() {
    let sandbox = sandbox();
    let text = format!(
        "{} the walrus sleeps {}",
        "word ".repeat(50),
        "word ".repeat(50)
    );
    sandbox.add(draft(
        EntityType::Note,
        "Animals",
        Some(&text),
        &[],
        json!({}),
    ));
    let (hits, _) = sandbox
        .store
        .read(None, |reader| reader.search(&filter("walrus")))
        .expect("read");
    let snippet = hits[0].snippet.as_deref().expect("a snippet");
    assert!(snippet.contains("**walrus**"), "{snippet}");
    assert!(snippet.len() < 200, "{snippet}");
}
