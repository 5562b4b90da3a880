//! The JavaScript libraries of the dashboard, which are part of the binary too.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

/// A library from npm.
#[derive(Debug)]
pub struct Library {
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub license: &'static str,
    pub license_text: String,
}

/// What the libraries are licensed under: the beginning of the text, and the name.
const LICENSES: &[(&str, &str)] = &[
    ("The MIT License", "MIT"),
    ("MIT License", "MIT"),
    ("Eclipse Public License - v 2.0", "EPL-2.0"),
    ("Apache License", "Apache-2.0"),
];

pub fn libraries(root: &Path) -> Result<Vec<Library>, String> {
    let crate_folder = root.join("crates/windlass-web");
    let read = |path: &str| {
        fs::read_to_string(crate_folder.join(path)).map_err(|problem| format!("{path}: {problem}"))
    };
    let list: Json = serde_json::from_str(&read("tools/vendor.json")?)
        .map_err(|problem| format!("vendor.json: {problem}"))?;
    let list = list.as_object().ok_or("vendor.json is not a list")?;
    let library = |(name, details): (&String, &Json)| {
        let file = name.trim_start_matches('@').replace('/', "-");
        let license_text = read(&format!("web/vendor/LICENSE-{file}"))?;
        let begins = |start: &str| {
            license_text
                .trim_start_matches(['#', ' ', '\n'])
                .starts_with(start)
        };
        let license = LICENSES.iter().find(|(start, _)| begins(start));
        Ok(Library {
            name: name.clone(),
            version: details["version"].as_str().unwrap_or_default().to_owned(),
            license: license
                .ok_or_else(|| format!("the licence of {name} is not known"))?
                .1,
            license_text,
        })
    };
    list.iter().map(library).collect()
}
