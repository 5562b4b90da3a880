//! An MCP bundle, which desktop clients install by a double click. It asks for the folder of the
//! project.

use serde_json::json;

use super::{File, SUMMARY};
use crate::dist::archive::{Entry, zip};
use crate::dist::release::{Release, below};

pub fn make(release: &Release) -> Result<Option<File>, String> {
    let program = format!("server/{}", release.platform.program());
    let manifest = json!({
        "manifest_version": "0.3",
        "name": "windlass",
        "display_name": "Windlass",
        "version": release.version,
        "description": SUMMARY,
        "author": { "name": "Windlass contributors" },
        "license": "MIT OR Apache-2.0",
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": format!("${{__dirname}}/{program}"),
                "args": ["mcp", "--cwd", "${user_config.project}"],
            },
        },
        "tools_generated": true,
        "prompts_generated": true,
        "compatibility": { "platforms": [release.platform.bundle] },
        "user_config": {
            "project": {
                "type": "directory",
                "title": "Project",
                "description": "The folder of a Windlass project, made by: windlass init",
                "required": true,
            },
        },
    });
    let mut entries = vec![
        release.program("server/"),
        Entry::text("manifest.json", &format!("{manifest:#}\n")),
    ];
    entries.extend(below("", &release.licenses));
    let bytes = zip::archive(&entries, release.seconds, release.level)?;
    Ok(Some((file_name(release), bytes)))
}

fn file_name(release: &Release) -> String {
    let (system, cpu) = release.platform.npm;
    format!("windlass-{}-{system}-{cpu}.mcpb", release.version)
}
