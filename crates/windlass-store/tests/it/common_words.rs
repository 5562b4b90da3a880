//! Searches in a project where a word is in more texts than are ranked one by one.

use std::collections::BTreeSet;

use windlass_core::{Page, SearchQuery};
use windlass_store::{Hit, SearchFilter};

use crate::support::{Sandbox, sandbox};

const ENTITIES: i64 = 12_000;

/// Every text has the word `common`, every fourth title too; there are some special ones.
fn large_project() -> Sandbox {
    let sandbox = sandbox();
    let database = rusqlite::Connection::open(sandbox.project.database()).expect("opened");
    let title = "CASE WHEN n = 3 THEN 'Common'
                      WHEN n = 4 THEN 'zebra'
                      WHEN n = 5 THEN 'commonplace'
                      WHEN n % 4 = 0 THEN 'A common title ' || n
                      ELSE 'Something else ' || n END";
    let rows = database.execute(
        &format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
             INSERT INTO entities (id, number, type, title, content, tags, properties, extra, created_at, updated_at)
             SELECT printf('00000000-0000-4000-8000-%012d', n), n, iif(n % 100 = 0, 'decision', 'note'), {title},
                 iif(n IN (4, 5), 'nothing', 'This is common text.'), '[]', '{{}}', '',
                 '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
             FROM numbers"
        ),
        [ENTITIES],
    );
    assert_eq!(rows, Ok(12_000));
    database
        .execute("INSERT INTO search (search) VALUES ('rebuild')", [])
        .expect("indexed");
    sandbox
}

fn search(sandbox: &Sandbox, query: &str, limit: u32, offset: u32) -> (Vec<Hit>, bool) {
    let filter = SearchFilter {
        query: SearchQuery::parse(query).expect("valid"),
        page: Page { limit, offset },
    };
    let found = sandbox.store.read(None, |reader| reader.search(&filter));
    found.expect(query)
}

fn titles(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.entity.title.as_str()).collect()
}

#[test]
fn what_matches_best_comes_first_and_everything_that_matches_comes_once() {
    let sandbox = large_project();
    let (hits, every) = search(&sandbox, "common", 20, 0);
    assert!(every);
    assert_eq!(hits[0].entity.title, "Common", "the title that it is");
    let in_title = hits.iter().all(|hit| {
        let title = hit.entity.title.to_lowercase();
        title.contains("common") && hit.snippet.as_ref().is_some_and(|it| it.contains("**"))
    });
    assert!(in_title, "{:?}", titles(&hits));
    assert!(hits.is_sorted_by(|one, next| one.score >= next.score || one.entity.title == "Common"));

    let mut seen = BTreeSet::new();
    let mut offset = 0;
    loop {
        let (hits, _) = search(&sandbox, "common ", 900, offset);
        let new = hits.iter().filter(|hit| seen.insert(hit.entity.number));
        assert_eq!(new.count(), hits.len(), "twice, from {offset}");
        offset += 900;
        if hits.len() < 900 {
            break;
        }
    }
    // All but the zebra and what only begins with the word.
    assert_eq!(seen.len(), 11_998);
    assert!(!seen.contains(&4) && !seen.contains(&5));
}

#[test]
fn filters_find_all_of_the_few() {
    let sandbox = large_project();
    let (hits, _) = search(&sandbox, "common type:decision", 900, 0);
    assert_eq!(hits.len(), 120);
    assert!(hits.iter().all(|hit| hit.entity.kind.name() == "decision"));
}

#[test]
fn a_rare_word_is_found_beside_a_common_one() {
    let sandbox = large_project();
    let (hits, every) = search(&sandbox, "common zebra", 20, 0);
    assert!(!every);
    assert_eq!(titles(&hits), ["zebra"]);
    // A word that is rare as it stands may be the beginning of a common one.
    let (hits, every) = search(&sandbox, "commo", 20, 0);
    assert!(every);
    assert_eq!(hits.len(), 20);
    let (hits, _) = search(&sandbox, "commonp", 20, 0);
    assert_eq!(titles(&hits), ["commonplace"]);
    let (hits, every) = search(&sandbox, "something common 4001", 20, 0);
    assert!(every);
    assert_eq!(titles(&hits), ["Something else 4001"]);
}
