//! The open tasks as a graph of Mermaid: what waits for what.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use windlass_core::{Exported, RelationType};

use super::escape::label;

/// More than this is not drawn: it could not be read, and pages that draw it refuse.
const MOST_EDGES: usize = 300;

/// The graph of the open tasks that wait for each other; nothing if none does.
pub fn mermaid(tasks: &[&Exported]) -> Option<String> {
    let open: BTreeSet<&str> = tasks.iter().map(|task| task.entity.id.as_str()).collect();
    let mut edges = Vec::new();
    let mut nodes = BTreeSet::new();
    let mut omitted = 0;
    for task in tasks {
        for relation in &task.relations {
            let arrow = match relation.kind {
                RelationType::Blocks => "-->",
                RelationType::Parent => "-.-",
                _ => continue,
            };
            if !open.contains(relation.target.as_str()) {
                continue;
            }
            if edges.len() == MOST_EDGES {
                omitted += 1;
                continue;
            }
            let (from, to) = (task.entity.number, relation.target_number);
            nodes.extend([from, to]);
            edges.push(format!("    t{from} {arrow} t{to}"));
        }
    }
    if edges.is_empty() {
        return None;
    }
    let mut out = String::from("```mermaid\ngraph LR\n");
    for task in tasks {
        let number = task.entity.number;
        if nodes.contains(&number) {
            let text = label(&task.entity.title);
            let _ = writeln!(out, "    t{number}[\"{number} {text}\"]");
        }
    }
    for edge in edges {
        let _ = writeln!(out, "{edge}");
    }
    out.push_str("```\n");
    if omitted > 0 {
        let _ = writeln!(out, "\n{omitted} more relations are not drawn.");
    }
    Some(out)
}
