//! What people and models say for a method whose name and description use other words.

/// A method, and phrases that mean it. Each word of a phrase counts by itself; a phrase of which
/// all words are in the query counts most.
pub const INTENTS: &[(&str, &[&str])] = &[
    (
        "focus.begin",
        &[
            "begin work",
            "start work",
            "what next",
            "should work",
            "work on",
            "next task",
            "start session",
            "briefing",
            "context task",
            "my task",
        ],
    ),
    (
        "commands.start",
        &[
            "run tests",
            "run build",
            "build project",
            "run command",
            "start command",
            "run script",
            "execute command",
            "run lint",
            "compile",
            "npm test",
            "cargo test",
            "make",
            "dev server",
            "check code",
        ],
    ),
    (
        "commands.list",
        &[
            "commands exist",
            "may run",
            "commands available",
            "available scripts",
            "allowed commands",
            "list commands",
        ],
    ),
    (
        "jobs.output",
        &[
            "read log",
            "test output",
            "command output",
            "console output",
            "tail",
            "see errors",
        ],
    ),
    (
        "jobs.stop",
        &[
            "kill process",
            "kill server",
            "terminate",
            "stop server",
            "stop command",
        ],
    ),
    (
        "jobs.wait",
        &[
            "wait for command",
            "wait until finished",
            "wait for port",
            "wait for server",
        ],
    ),
    (
        "focus.done",
        &[
            "finish task",
            "task finished",
            "complete work",
            "hand in work",
            "submit work",
            "end work",
            "mark done",
        ],
    ),
    (
        "tasks.submit",
        &[
            "submit task",
            "submit review",
            "request review",
            "hand in",
            "finish task",
            "ready for review",
        ],
    ),
    (
        "tasks.complete",
        &[
            "finish task",
            "close task",
            "mark done",
            "task finished",
            "mark complete",
        ],
    ),
    (
        "tasks.next",
        &["do next", "what next", "next task", "pick task"],
    ),
    (
        "tasks.next_ready",
        &[
            "do next",
            "what next",
            "next task",
            "begin work",
            "take task",
        ],
    ),
    (
        "tasks.ready",
        &[
            "available tasks",
            "open tasks",
            "unblocked tasks",
            "queue",
            "todo",
        ],
    ),
    (
        "tasks.start",
        &[
            "begin task",
            "start work",
            "take task",
            "pick task",
            "work on task",
        ],
    ),
    (
        "tasks.blocked",
        &[
            "who blocks",
            "what blocks",
            "why blocked",
            "waiting for",
            "dependencies",
            "blockers",
        ],
    ),
    (
        "tasks.block",
        &["add dependency", "depends on", "task waits for task"],
    ),
    (
        "tasks.create",
        &["new task", "add task", "todo item", "file issue", "subtask"],
    ),
    (
        "tasks.claim",
        &["reserve task", "lock task", "assign me", "take task"],
    ),
    (
        "tasks.reschedule",
        &["due date", "deadline", "postpone", "move date"],
    ),
    (
        "tasks.update",
        &["rename task", "change priority", "change task", "edit task"],
    ),
    (
        "tasks.cancel",
        &["drop task", "abandon task", "give up task"],
    ),
    (
        "tasks.progress",
        &["how far", "percentage done", "how much left"],
    ),
    (
        "tasks.tree",
        &["subtasks", "children", "hierarchy", "milestone tasks"],
    ),
    (
        "entities.create",
        &[
            "record decision",
            "write decision",
            "decide",
            "write note",
            "take note",
            "remember",
            "document",
            "save note",
            "add component",
            "add link",
        ],
    ),
    (
        "decisions.supersede",
        &[
            "replace decision",
            "change decision",
            "outdated decision",
            "overrule",
        ],
    ),
    (
        "entities.get",
        &[
            "read task",
            "show details",
            "look up",
            "open note",
            "read decision",
        ],
    ),
    (
        "entities.list",
        &[
            "all decisions",
            "all notes",
            "list everything",
            "list decisions",
            "list notes",
        ],
    ),
    (
        "entities.batch",
        &["many at once", "bulk", "several changes", "transaction"],
    ),
    (
        "entities.delete",
        &["remove note", "remove decision", "delete task", "trash"],
    ),
    (
        "search.fulltext",
        &[
            "find text",
            "find decision",
            "find note",
            "look for words",
            "grep",
        ],
    ),
    (
        "graph.relations",
        &[
            "related",
            "linked",
            "what implements",
            "neighbours",
            "connected",
            "relations of",
        ],
    ),
    (
        "relations.create",
        &["link entities", "connect", "attach", "relate"],
    ),
    (
        "help.request",
        &[
            "ask human",
            "ask person",
            "ask question",
            "need help",
            "need decision",
        ],
    ),
    (
        "focus.ask",
        &[
            "ask human",
            "ask person",
            "ask question",
            "need help",
            "unclear",
        ],
    ),
    (
        "focus.stuck",
        &["cannot go on", "give up", "stuck", "give back task"],
    ),
    ("focus.partial", &["stop early", "part done", "pause work"]),
    (
        "focus.learned",
        &[
            "record lesson",
            "remember lesson",
            "note learning",
            "lesson learned",
        ],
    ),
    (
        "learnings.add",
        &[
            "record lesson",
            "record learning",
            "lesson learned",
            "remember lesson",
        ],
    ),
    (
        "learnings.get_inherited",
        &["lessons for task", "what was learned", "earlier lessons"],
    ),
    (
        "gates.results",
        &[
            "why failed gate",
            "gate failed",
            "check results",
            "gate output",
            "did checks pass",
        ],
    ),
    (
        "gates.get_effective",
        &[
            "which checks",
            "which gates",
            "what must pass",
            "required checks",
        ],
    ),
    (
        "gates.try",
        &[
            "try gate",
            "run gate",
            "check before submit",
            "run checks",
            "run gates",
            "would pass",
        ],
    ),
    (
        "gates.rerun",
        &["retry gate", "run gates again", "retry checks"],
    ),
    (
        "reviews.list_comments",
        &[
            "review feedback",
            "read comments",
            "what changes requested",
            "reviewer say",
        ],
    ),
    (
        "reviews.show",
        &[
            "see diff",
            "changed files",
            "review changes",
            "look at review",
        ],
    ),
    (
        "reviews.comment",
        &["comment code", "add comment", "remark line"],
    ),
    (
        "reviews.approve",
        &["accept work", "approve", "sign off", "lgtm"],
    ),
    (
        "reviews.request_changes",
        &["reject work", "send back", "ask for changes"],
    ),
    (
        "events.list",
        &[
            "what happened",
            "history",
            "who changed",
            "audit",
            "log of changes",
            "recent activity",
        ],
    ),
    ("events.subscribe", &["wait for change", "watch", "notify"]),
    ("runs.logs", &["output of run", "run log", "step output"]),
    (
        "playbooks.run",
        &["run playbook", "run pipeline", "run workflow", "run ci"],
    ),
    (
        "plan.get_project_info",
        &["about project", "project description", "what is project"],
    ),
    (
        "plan.get_project_progress",
        &["project progress", "overview", "how far project"],
    ),
    ("plan.add_task_comment", &["comment task", "note on task"]),
    (
        "features.list",
        &["which features", "areas", "list features"],
    ),
];
