//! The same as Markdown, for people and for the resource.

use std::fmt::Write as _;

use super::{About, Known};

impl About {
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n", self.topic);
        if self.is_empty() {
            out.push_str("\nNothing is known about this.\n");
        }
        for (name, items) in self.sections() {
            if items.is_empty() {
                continue;
            }
            let _ = write!(out, "\n## {name}\n\n");
            for item in items {
                out.push_str(&line(item));
            }
        }
        for (name, lines) in [
            ("No longer in force", &self.replaced),
            ("Relations", &self.relations),
        ] {
            if lines.is_empty() {
                continue;
            }
            let _ = write!(out, "\n## {name}\n\n");
            for line in lines {
                let _ = writeln!(out, "- {line}");
            }
        }
        if self.left_out > 0 {
            let _ = write!(
                out,
                "\n{} more were found; a larger budget shows them.\n",
                self.left_out
            );
        }
        if let Some(hint) = &self.hint {
            let _ = write!(out, "\n{hint}\n");
        }
        out
    }
}

fn line(item: &Known) -> String {
    let status = item
        .status
        .as_deref()
        .map_or(String::new(), |it| format!(", {it}"));
    let text = item
        .text
        .as_deref()
        .map_or(String::new(), |it| format!(": {it}"));
    format!(
        "- {} {} ({}{status}){text}\n",
        item.id, item.title, item.date
    )
}
