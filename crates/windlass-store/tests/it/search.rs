//! Search: any text is safe, the best match comes first, and the index follows the rows.

use serde_json::json;
use windlass_core::{EntityType, Patch, SearchQuery};
use windlass_store::SearchFilter;

use crate::mutate;
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

/// Japanese and Chinese have no spaces: a word is found wherever it stands.
#[test]
fn words_are_found_inside_of_text_without_spaces() {
    let sandbox = sandbox();
    let note = |title: &str, content: &str, tags: &[&str]| {
        let draft = draft(EntityType::Note, title, Some(content), tags, json!({}));
        sandbox.add(draft)
    };
    note("画面の一覧", "新しいデータベース設計書を作成する。", &[]);
    note("数据库迁移", "旧的API接口需要重新设计", &["性能优化"]);
    let tower = note("東京都庁の展望台", "入場は無料", &[]);
    note("Plain", "the design of the database", &[]);
    for (query, title) in [
        ("設計", "画面の一覧"),
        ("設計書", "画面の一覧"),
        ("データベース設計", "画面の一覧"),
        ("ベース", "画面の一覧"),
        ("作成 一覧", "画面の一覧"),
        ("迁移", "数据库迁移"),
        ("接口", "数据库迁移"),
        ("API接口", "数据库迁移"),
        ("API ", "数据库迁移"),
        ("优化", "数据库迁移"),
        ("京都", "東京都庁の展望台"),
        ("庁", "東京都庁の展望台"),
        ("台", "東京都庁の展望台"),
        ("都庁 無料", "東京都庁の展望台"),
    ] {
        assert_eq!(found(&sandbox, query), [title], "{query}");
    }
    for absent in ["計設", "都東", "書作", "庁展", "API設"] {
        assert_eq!(found(&sandbox, absent), [""; 0], "{absent}");
    }
    let (hits, _) = sandbox
        .store
        .read(None, |reader| reader.search(&filter("設計")))
        .expect("found");
    let snippet = hits[0].snippet.as_deref().expect("a snippet");
    assert_eq!(snippet, "新しいデータベース**設計**書を作成する。");
    // The index follows the rows.
    let renamed = Patch {
        title: Some("大阪城".to_owned()),
        ..Patch::default()
    };
    sandbox.change(&tower.id, &renamed).expect("changed");
    assert_eq!(found(&sandbox, "京都"), [""; 0]);
    assert_eq!(found(&sandbox, "阪城"), ["大阪城"]);
    sandbox.delete(&tower.id).expect("deleted");
    assert_eq!(found(&sandbox, "阪城"), [""; 0]);
    let checked = sandbox.store.check(&crate::support::origin());
    assert_eq!(checked.expect("checked"), [""; 0]);
}

/// A title counts more than a text, in every script.
#[test]
fn titles_without_spaces_rank_above_texts() {
    let sandbox = sandbox();
    let note = |title: &str, content: &str| {
        sandbox.add(draft(
            EntityType::Note,
            title,
            Some(content),
            &[],
            json!({}),
        ));
    };
    note("別の話", "この文章では設計について述べる");
    note("新設計書", "内容");
    assert_eq!(found(&sandbox, "設計"), ["新設計書", "別の話"]);
}

/// A project of plain words pays nothing for it.
#[test]
fn text_with_spaces_has_no_pairs() {
    let sandbox = sandbox();
    for number in 0..50 {
        sandbox.task(&format!("Plain words {number} über café и ещё"));
    }
    let connection = rusqlite::Connection::open(sandbox.project.database()).expect("opened");
    let rows: i64 = connection
        .query_row("SELECT count(*) FROM unspaced", [], |row| row.get(0))
        .expect("counted");
    assert_eq!(rows, 0);
}

/// Whatever is searched for, the answer is no error, and a snippet is part of the text.
#[test]
fn fuzz_search_queries() {
    const QUERIES: &[&str] = &[
        "login flow",
        "type:task status:open tag:ui",
        "priority:high created:>2024-01-01 \"exact words\"",
        "データベース設計 API設計 v2",
        "foo* NEAR(a b) -not OR title:x",
        "café ÜBER 🚀 C++",
    ];
    let sandbox = sandbox();
    let texts = [
        "The login flow of a café",
        "新しいデータベースAPI設計書 v2.0を作成",
        "C++ and 🚀 foo\"bar",
    ];
    for text in texts {
        sandbox.add(draft(
            EntityType::Note,
            text,
            Some(text),
            &["ui"],
            json!({}),
        ));
    }
    mutate::fuzz("search queries", 1_500, |mutator| {
        let text = mutator.text(QUERIES);
        let Ok(query) = SearchQuery::parse(&text) else {
            return;
        };
        let filter = SearchFilter {
            query,
            page: windlass_core::Page::default(),
        };
        let found = sandbox.store.read(None, |reader| reader.search(&filter));
        let (hits, _) = found.unwrap_or_else(|error| panic!("{text:?}: {error}"));
        for hit in hits {
            let Some(snippet) = hit.snippet else { continue };
            let plain = snippet.replace("**", "").replace('…', "");
            assert!(
                hit.entity.title.contains(plain.trim()) || plain.contains("ui"),
                "{text:?}: {snippet}"
            );
        }
    });
}
