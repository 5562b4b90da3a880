//! The table of agents: how what they start can be told from what a person starts.
//!
//! One row per agent. A variable that people set themselves, in their profile or in an editor's
//! terminal, is no sign of an agent, even if its name looks like one.

/// How one agent shows.
#[derive(Debug)]
pub struct Agent {
    pub name: &'static str,
    /// The variables that it sets for what it runs. A star at the end stands for any ending.
    pub variables: &'static [&'static str],
    /// Variables with such names that people set themselves.
    pub settings: &'static [&'static str],
    /// The names of its program, or of the script that an interpreter runs.
    pub programs: &'static [&'static str],
    /// Parts of the path of its program or script, for programs with any name.
    pub paths: &'static [&'static str],
}

/// The row of an agent about which nothing is known yet.
const AGENT: Agent = Agent {
    name: "",
    variables: &[],
    settings: &[],
    programs: &[],
    paths: &[],
};

pub const AGENTS: &[Agent] = &[
    Agent {
        name: "Claude Code",
        variables: &["CLAUDECODE", "CLAUDE_CODE", "CLAUDE_CODE_*"],
        // Of its settings reference, and what its editor extension sets in every terminal.
        settings: &[
            "CLAUDE_CODE_API_KEY*",
            "CLAUDE_CODE_ATTRIBUTION*",
            "CLAUDE_CODE_AUTO_*",
            "CLAUDE_CODE_CLIENT_*",
            "CLAUDE_CODE_DISABLE_*",
            "CLAUDE_CODE_EFFORT*",
            "CLAUDE_CODE_ENABLE_*",
            "CLAUDE_CODE_EXPERIMENTAL_*",
            "CLAUDE_CODE_EXTRA_BODY",
            "CLAUDE_CODE_FILE_*",
            "CLAUDE_CODE_GIT_BASH_PATH",
            "CLAUDE_CODE_GLOB_*",
            "CLAUDE_CODE_IDE_*",
            "CLAUDE_CODE_MAX_*",
            "CLAUDE_CODE_NO_*",
            "CLAUDE_CODE_OAUTH_*",
            "CLAUDE_CODE_OTEL_*",
            "CLAUDE_CODE_PLUGIN_*",
            "CLAUDE_CODE_PROXY_*",
            "CLAUDE_CODE_SHELL",
            "CLAUDE_CODE_SHELL_PREFIX",
            "CLAUDE_CODE_SKIP_*",
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_SUBAGENT_MODEL",
            "CLAUDE_CODE_TMPDIR",
            "CLAUDE_CODE_USE_*",
        ],
        programs: &["claude", "claude-code"],
        paths: &["/@anthropic-ai/claude-code", "/claude/versions/"],
    },
    Agent {
        name: "Codex",
        variables: &["CODEX_*"],
        settings: &[
            "CODEX_HOME",
            "CODEX_SQLITE_HOME",
            "CODEX_API_KEY",
            "CODEX_ACCESS_TOKEN",
            "CODEX_GITHUB_PERSONAL_ACCESS_TOKEN",
            "CODEX_OSS_*",
            "CODEX_INSTALL_DIR",
        ],
        programs: &["codex", "codex-linux-sandbox"],
        paths: &["/@openai/codex"],
    },
    Agent {
        name: "Gemini CLI",
        variables: &["GEMINI_CLI"],
        programs: &["gemini", "gemini-cli"],
        paths: &["/@google/gemini-cli"],
        ..AGENT
    },
    Agent {
        // CURSOR_TRACE_ID is in every terminal of the editor, also where a person types.
        name: "Cursor's agent",
        variables: &["CURSOR_AGENT"],
        programs: &["cursor-agent"],
        paths: &["/cursor-agent/versions/"],
        ..AGENT
    },
    Agent {
        name: "OpenCode",
        variables: &["OPENCODE", "OPENCODE_*"],
        settings: &[
            "OPENCODE_API_KEY",
            "OPENCODE_AUTO_SHARE",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "OPENCODE_DISABLE_*",
            "OPENCODE_ENABLE_*",
            "OPENCODE_EXPERIMENTAL*",
            "OPENCODE_GIT_BASH_PATH",
            "OPENCODE_INSTALL_DIR",
            "OPENCODE_MODELS_URL",
        ],
        programs: &["opencode"],
        paths: &["/opencode-ai/"],
    },
    Agent {
        name: "goose",
        variables: &["GOOSE_TERMINAL"],
        programs: &["goose", "goosed"],
        ..AGENT
    },
    Agent {
        name: "Aider",
        programs: &["aider"],
        paths: &["/aider/main.py", "/aider/__main__.py"],
        ..AGENT
    },
    Agent {
        name: "Amp",
        variables: &["AMP_CURRENT_THREAD_ID"],
        programs: &["amp"],
        paths: &["/@sourcegraph/amp"],
        ..AGENT
    },
    Agent {
        name: "GitHub Copilot",
        variables: &["COPILOT_AGENT*", "COPILOT_CLI"],
        programs: &["copilot"],
        paths: &["/@github/copilot"],
        ..AGENT
    },
    Agent {
        name: "Cline",
        variables: &["CLINE_ACTIVE"],
        programs: &["cline"],
        ..AGENT
    },
    Agent {
        name: "Roo Code",
        variables: &["ROO_ACTIVE"],
        ..AGENT
    },
    Agent {
        name: "Auggie",
        variables: &["AUGMENT_AGENT"],
        programs: &["auggie"],
        paths: &["/@augmentcode/auggie"],
        ..AGENT
    },
    Agent {
        name: "Antigravity",
        variables: &["ANTIGRAVITY_AGENT"],
        ..AGENT
    },
    Agent {
        name: "Qwen Code",
        variables: &["QWEN_CODE"],
        programs: &["qwen"],
        paths: &["/@qwen-code/qwen-code"],
        ..AGENT
    },
    Agent {
        name: "Crush",
        variables: &["CRUSH"],
        programs: &["crush"],
        ..AGENT
    },
    Agent {
        name: "Droid",
        programs: &["droid"],
        ..AGENT
    },
    Agent {
        name: "Kiro",
        programs: &["kiro-cli", "kiro-cli-chat", "qchat"],
        ..AGENT
    },
    Agent {
        name: "Kimi",
        programs: &["kimi", "kimi-cli"],
        ..AGENT
    },
    Agent {
        name: "OpenHands",
        programs: &["openhands"],
        ..AGENT
    },
    Agent {
        name: "Plandex",
        programs: &["plandex"],
        ..AGENT
    },
    Agent {
        name: "Continue",
        paths: &["/@continuedev/cli"],
        ..AGENT
    },
    Agent {
        name: "an agent",
        variables: &["AGENT", "AI_AGENT"],
        ..AGENT
    },
    Agent {
        // Its own processes are recognised by their arguments.
        name: "Windlass",
        variables: &[
            "WINDLASS_SESSION",
            "WINDLASS_MCP_CONFIG",
            "WINDLASS_JOB",
            "WINDLASS_RUN_ID",
            "WINDLASS_GATE_NAME",
            "WINDLASS_REVIEW_ID",
        ],
        ..AGENT
    },
];

impl Agent {
    /// The agent that sets a variable of this name.
    pub fn of_variable(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| {
            let among = |patterns: &[&str]| patterns.iter().any(|it| matches(it, name));
            among(agent.variables) && !among(agent.settings)
        })
    }

    /// The agent whose program has this name.
    pub fn of_program(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.programs.contains(&name))
    }

    /// The agent whose program or script is at this path.
    pub fn of_path(path: &str) -> Option<&'static Self> {
        AGENTS
            .iter()
            .find(|agent| agent.paths.iter().any(|part| path.contains(part)))
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<&'static str> {
        Agent::of_variable(name).map(|agent| agent.name)
    }

    #[test]
    fn what_agents_set_is_told_from_what_people_set() {
        for (name, agent) in [
            ("CLAUDECODE", Some("Claude Code")),
            ("CLAUDE_CODE_ENTRYPOINT", Some("Claude Code")),
            ("CLAUDE_CODE_SESSION_ID", Some("Claude Code")),
            ("CLAUDE_CODE_USE_BEDROCK", None),
            ("CLAUDE_CODE_SSE_PORT", None),
            ("CLAUDE_CONFIG_DIR", None),
            ("CODEX_SANDBOX", Some("Codex")),
            ("CODEX_SANDBOX_NETWORK_DISABLED", Some("Codex")),
            ("CODEX_THREAD_ID", Some("Codex")),
            ("CODEX_HOME", None),
            ("OPENCODE", Some("OpenCode")),
            ("OPENCODE_CLIENT", Some("OpenCode")),
            ("OPENCODE_CONFIG", None),
            ("CURSOR_AGENT", Some("Cursor's agent")),
            ("CURSOR_TRACE_ID", None),
            ("AGENT", Some("an agent")),
            ("SSH_AGENT_PID", None),
            ("USER_AGENT", None),
            ("WINDLASS_SESSION", Some("Windlass")),
            ("WINDLASS_LOG_LEVEL", None),
            ("PATH", None),
        ] {
            assert_eq!(of(name), agent, "{name}");
        }
    }

    #[test]
    fn every_row_can_match_and_no_name_is_in_two() {
        let mut seen = std::collections::HashSet::new();
        for agent in AGENTS {
            let signs = agent.variables.iter().chain(agent.programs);
            for sign in signs.chain(agent.paths) {
                assert!(seen.insert(*sign), "{sign}");
            }
            for setting in agent.settings {
                let sign = agent.variables.iter().any(|it| {
                    let beginning = it.trim_end_matches('*');
                    it.ends_with('*') && setting.starts_with(beginning)
                });
                assert!(sign, "{setting} needs no exception");
            }
            assert!(!agent.name.is_empty());
        }
    }
}
