//! The groups of `windlass help`, in its order, and the line that it prints for each command.

/// Commands that belong together.
pub struct Group {
    pub name: &'static str,
    /// The name of each command, and what it does in short.
    pub commands: &'static [(&'static str, &'static str)],
}

pub const GROUPS: &[Group] = &[
    Group {
        name: "every day",
        commands: &[
            (
                "status",
                "What waits for you, who works on what, what is ready",
            ),
            ("ready", "Tasks that can be worked on now"),
            ("next", "The task to do next"),
            ("show", "Everything about a task or any other entity"),
            ("add", "Add a task, or a note, decision, link …"),
            ("edit", "Edit an entity in your editor"),
            ("start", "Start tasks: in progress, and yours"),
            ("done", "Finish tasks; where gates apply, submit them"),
            ("search", "Search all texts, by words and meaning"),
            ("log", "What changed, by whom and when"),
            ("undo", "Take back your last change"),
            ("board", "The tasks in columns, live"),
            ("watch", "What waits for you and what happens, live"),
        ],
    },
    Group {
        name: "tasks",
        commands: &[(
            "tasks",
            "List, create, change, claim, submit, block, comment …",
        )],
    },
    Group {
        name: "plan",
        commands: &[
            ("features", "The parts of the product that tasks belong to"),
            ("disciplines", "The crafts that tasks need"),
            ("progress", "How far the project is"),
            ("recipes", "Which tools a kind of session gets"),
            ("journal", "The files learnings.txt and progress.txt"),
        ],
    },
    Group {
        name: "knowledge",
        commands: &[
            ("list", "List entities, all or of one type"),
            ("get", "Read entities as the knowledge tools return them"),
            ("update", "Change an entity by options"),
            ("delete", "Delete entities"),
            ("batch", "Many changes in one transaction"),
            ("context", "What is known about a topic, within a budget"),
            ("query", "Search with filters: type, status, tag, date"),
            ("graph", "What waits for what; paths, orphans, suggestions"),
            ("relation", "Add or remove relations between entities"),
            ("decisions", "Replace a decision by a newer one"),
        ],
    },
    Group {
        name: "repository",
        commands: &[
            ("commands", "The commands that this repository defines"),
            ("run", "Run a command of the repository"),
            ("jobs", "What runs and what ran: output, stop"),
            ("allow", "Allow agents to run a command, file or folder"),
            ("deny", "Forbid agents to run a command, file or folder"),
            ("allowed", "What agents may run"),
            ("revoke", "Take back what was allowed or denied"),
            ("runs", "Runs of several steps, their logs and artifacts"),
            ("playbooks", "Stored runs, by name and with variables"),
        ],
    },
    Group {
        name: "review",
        commands: &[
            ("reviews", "Submitted work: the change, comments, approval"),
            ("gates", "Checks that work has to pass, and their results"),
            ("questions", "Questions of agents, and your answers"),
            ("learnings", "What was learned in a task and below it"),
            ("memory", "Notes and learnings: do they still hold?"),
        ],
    },
    Group {
        name: "agents",
        commands: &[
            ("agents", "The agents at work; stop one"),
            ("session", "Sessions of agents: start, launch, show, end"),
            ("setup", "Connect an MCP client to this project"),
            ("prime", "What an agent should know before it begins"),
            ("mcp", "Serve MCP on standard input and output"),
            ("serve", "Serve MCP and JSON-RPC over HTTP"),
            ("dashboard", "Open the dashboard in a browser, as yourself"),
            ("exec", "Run a script over everything Windlass can do"),
            ("sdk", "What scripts can call, and their types"),
            ("call", "Call any tool with its own arguments"),
        ],
    },
    Group {
        name: "project",
        commands: &[
            ("init", "Make a folder a Windlass project"),
            ("tour", "Look around in a temporary project, in two minutes"),
            ("trust", "Take over a state that came from elsewhere"),
            ("sync", "Exchange changes with other clones, by git"),
            ("hook", "Let git carry the changes: install, status"),
            ("doctor", "Check the project and this machine"),
            ("logs", "What servers logged"),
            ("debug", "A file for a bug report"),
            ("backup", "Write a copy of the state to a file"),
            (
                "restore",
                "Bring back a deleted entity, or a copy of the state",
            ),
            ("config", "Read and change the settings"),
            ("models", "The model of the search by meaning"),
            ("import", "Import the plan of another tool"),
            ("export", "Export everything as JSON, JSON lines or CSV"),
            ("snapshot", "Write everything as Markdown"),
            ("completions", "Print the completion script of a shell"),
            ("man", "Print or write the man pages"),
            ("exit-codes", "Explain the exit codes"),
            ("help", "Help on a group or a command"),
        ],
    },
];

/// Aliases of commands. They are not listed.
pub const ALIASES: &[(&str, &str)] = &[
    ("ls", "list"),
    ("rm", "delete"),
    ("new", "add"),
    ("create", "add"),
];

/// The order of subcommands, if it differs from that of the list of operations.
const ORDERS: &[(&str, &[&str])] = &[(
    "tasks",
    &[
        "list",
        "ready",
        "next",
        "blocked",
        "create",
        "update",
        "claim",
        "release",
        "start",
        "submit",
        "complete",
        "cancel",
        "block",
        "unblock",
        "comment",
        "tree",
        "reschedule",
        "enrich",
        "status",
    ],
)];

/// Groups inside of others.
const INNER_GROUPS: &[(&str, &str)] = &[("github", "Execute runs on GitHub: install the workflow")];

/// What a command does, in short.
pub fn short_about(word: &str) -> Option<&'static str> {
    GROUPS
        .iter()
        .flat_map(|group| group.commands)
        .chain(INNER_GROUPS)
        .find(|(known, _)| *known == word)
        .map(|(_, about)| *about)
}

/// The position of a command in the help.
pub fn rank(words: &[&str]) -> (usize, usize) {
    let first = words.first().copied().unwrap_or_default();
    let top = GROUPS
        .iter()
        .flat_map(|group| group.commands)
        .position(|(known, _)| *known == first);
    let below = ORDERS
        .iter()
        .find(|(noun, _)| *noun == first)
        .and_then(|(_, order)| order.iter().position(|word| words.get(1) == Some(word)));
    (top.unwrap_or(usize::MAX), below.unwrap_or(usize::MAX))
}

/// The aliases of a command.
pub fn aliases_of(word: &str) -> impl Iterator<Item = &'static str> {
    ALIASES
        .iter()
        .filter(move |(_, command)| *command == word)
        .map(|(alias, _)| *alias)
}

/// A group by its name; a dash replaces a space.
pub fn group(name: &str) -> Option<&'static Group> {
    let name = name.replace('-', " ");
    GROUPS.iter().find(|group| group.name == name)
}
