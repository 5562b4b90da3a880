//! What the tests of readers share.

use std::path::{Path, PathBuf};

use windlass_interchange::{Item, Plan, Severity, Source, read};

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Reads a source that has no broken records.
pub fn plan(source: Source, path: &Path) -> Plan {
    let plan = read(source, path);
    let broken: Vec<_> = plan
        .problems
        .iter()
        .filter(|it| it.severity == Severity::Broken)
        .collect();
    assert!(broken.is_empty(), "{broken:?}");
    plan
}

pub fn item<'a>(plan: &'a Plan, id: &str) -> &'a Item {
    let found = plan.items.iter().find(|item| item.id == id);
    found.unwrap_or_else(|| panic!("there is no {id}"))
}

/// A text field.
pub fn text<'a>(item: &'a Item, field: &str) -> &'a str {
    item.properties
        .get(field)
        .and_then(|it| it.as_str())
        .unwrap_or_default()
}

/// Relations as text: `blocks<shop-1`.
pub fn links(item: &Item) -> Vec<String> {
    item.links
        .iter()
        .map(|link| {
            let arrow = if link.reversed { "<" } else { ">" };
            format!("{}{arrow}{}", link.kind.name(), link.other)
        })
        .collect()
}
