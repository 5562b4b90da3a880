-- The work lifecycle. All of it is local to this machine: the results of reviews and gates and the
-- questions to people belong to the place where the work is done.

-- Folders in which gates run: the project, and its linked worktrees.
CREATE TABLE repos (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    vcs_type TEXT,                   -- git, or NULL
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE reviews (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,              -- an entity's id
    repo TEXT NOT NULL,              -- where its gates run
    status TEXT NOT NULL,
    session TEXT NOT NULL,           -- who submitted the work
    round INTEGER NOT NULL,          -- how often it was submitted
    summary TEXT,                    -- the summary of the requested changes
    owner TEXT NOT NULL,             -- the process that runs its gates: JSON, empty before
    submitted_at TEXT NOT NULL,
    gates_completed_at TEXT,
    agent_completed_at TEXT,
    human_completed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX reviews_task ON reviews (task, number);
CREATE INDEX reviews_status ON reviews (status, number);
-- A task has at most one active review, even if several sessions submit at the same time.
CREATE UNIQUE INDEX reviews_active ON reviews (task)
    WHERE status IN ('gates_pending', 'gates_escalated', 'agent_pending', 'human_pending');

CREATE TABLE review_comments (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    review TEXT NOT NULL,
    task TEXT NOT NULL,
    author TEXT NOT NULL,            -- human, agent
    session TEXT NOT NULL,
    file_path TEXT,
    line_start INTEGER,
    line_end INTEGER,
    side TEXT,                       -- left, right
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    resolved_at TEXT
) STRICT;

CREATE INDEX review_comments_review ON review_comments (review, number);

-- Gates that people added. Those of `.windlass/gates.toml` are read from there.
CREATE TABLE gates (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    task TEXT,                       -- NULL: for every task
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    timeout_secs INTEGER NOT NULL,
    max_retries INTEGER NOT NULL,
    poll_interval_secs INTEGER NOT NULL,
    max_pending_secs INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX gates_name ON gates (ifnull(task, ''), name);

-- Each attempt of each gate of a review, with the definition at the time it was queued.
CREATE TABLE gate_results (
    review TEXT NOT NULL,
    gate TEXT NOT NULL,              -- an id, or file:NAME
    attempt INTEGER NOT NULL,
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    scope TEXT NOT NULL,             -- repo, or a task's id
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    timeout_secs INTEGER NOT NULL,
    max_retries INTEGER NOT NULL,
    poll_interval_secs INTEGER NOT NULL,
    max_pending_secs INTEGER NOT NULL,
    status TEXT NOT NULL,
    exit_code INTEGER,
    message TEXT,                    -- why it waits, or could not run
    stdout TEXT NOT NULL DEFAULT '',
    stderr TEXT NOT NULL DEFAULT '',
    polls INTEGER NOT NULL DEFAULT 0,
    next_poll_at INTEGER,            -- milliseconds since 1970
    started_at TEXT,
    completed_at TEXT,
    PRIMARY KEY (review, gate, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE help_requests (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    from_status TEXT NOT NULL,
    category TEXT NOT NULL,
    reason TEXT NOT NULL,
    suggested_options TEXT NOT NULL, -- JSON list
    status TEXT NOT NULL,
    response TEXT,
    chosen_option INTEGER,
    session TEXT NOT NULL,
    created_at TEXT NOT NULL,
    responded_at TEXT,
    resumed_at TEXT
) STRICT;

CREATE INDEX help_task ON help_requests (task, number);
CREATE UNIQUE INDEX help_active ON help_requests (task) WHERE status IN ('pending', 'responded');
