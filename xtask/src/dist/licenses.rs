//! The licences of everything that is in the binary, in one text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::linked::Crate;
use super::web::Library;

/// How the names of files with licences begin.
const NAMES: &[&str] = &[
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "unlicense",
];

/// What is compiled in from sources that crates carry along, and has no licence file there.
const BUNDLED: &str = "\
SQLite (in libsqlite3-sys) is in the public domain: https://sqlite.org/copyright.html
";

/// All licences: first who uses which, then each text once.
pub fn text(crates: &[Crate], libraries: &[Library]) -> Result<String, String> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    for linked in crates.iter().filter(|it| !it.is_own()) {
        let title = format!("{} {}", linked.name, linked.version);
        let _ = writeln!(list, "{title}: {}", linked.license);
        for text in texts_in(&linked.folder)? {
            users.entry(text).or_default().push(title.clone());
        }
    }
    for library in libraries {
        let title = format!("{} {} (dashboard)", library.name, library.version);
        let _ = writeln!(list, "{title}: {}", library.license);
        users
            .entry(normal(&library.license_text))
            .or_default()
            .push(title);
    }
    let mut result = format!(
        "Windlass contains the following libraries, under these licences.\n\n{list}\n{BUNDLED}"
    );
    for (text, users) in users {
        let line = "=".repeat(80);
        let users = users.join(", ");
        let _ = writeln!(result, "\n{line}\n{users}\n{line}\n\n{text}");
    }
    Ok(result)
}

/// The texts of the files with licences in the folder of a crate.
fn texts_in(folder: &Path) -> Result<Vec<String>, String> {
    let failed = |problem: std::io::Error| format!("{}: {problem}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if NAMES.iter().any(|known| name.starts_with(known)) && entry.path().is_file() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let read = |path| fs::read(path).map(|bytes| normal(&String::from_utf8_lossy(&bytes)));
    paths
        .into_iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(failed)
}

/// Texts that differ in line ends and blank lines around them are the same.
fn normal(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}
