//! The texts for agents that clients read by themselves, and the files that each client reads.

use crate::surface::cli::prime::{Reader, rules};

/// A file with a section for agents.
#[derive(Debug, PartialEq, Eq)]
pub struct Instructions {
    /// The file in the project.
    pub file: &'static str,
    /// What the file begins with if it is made for the section.
    pub header: &'static str,
    reader: Reader,
}

/// Read by Codex, OpenCode, Zed, VS Code and others. Some of them may have no MCP server.
pub const AGENTS: Instructions = Instructions {
    file: "AGENTS.md",
    header: "",
    reader: Reader::WithToolsOrShell,
};

pub const CLAUDE: Instructions = Instructions {
    file: "CLAUDE.md",
    header: "",
    reader: Reader::WithTools,
};

pub const CLAUDE_SKILL: Instructions = Instructions {
    file: ".claude/skills/windlass/SKILL.md",
    header: "---\nname: windlass\ndescription: Work on this project's tasks with Windlass. Use it to \
             begin a task, run the project's commands, finish work, ask a person, or look up decisions \
             and learnings.\n---\n\n",
    reader: Reader::WithToolsOrShell,
};

pub const GEMINI: Instructions = Instructions {
    file: "GEMINI.md",
    header: "",
    reader: Reader::WithTools,
};

pub const CURSOR_RULE: Instructions = Instructions {
    file: ".cursor/rules/windlass.mdc",
    header: "---\ndescription: How to work on this project's tasks with Windlass\nalwaysApply: true\n---\n\n",
    reader: Reader::WithTools,
};

impl Instructions {
    /// The text between the markers. It says nothing about the state of the project, which changes.
    pub fn body(&self) -> String {
        format!(
            "## Windlass\n\nWindlass keeps this project's tasks, decisions and checks. Work here \
             begins with a task.\n\n{}",
            rules(self.reader)
        )
    }
}
