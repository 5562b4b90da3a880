-- Jobs of all processes on this machine: who started what, when, and how it ended.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    unique_name TEXT NOT NULL,
    state TEXT NOT NULL,             -- running, exited, failed
    started_at TEXT NOT NULL,
    ended_at TEXT,
    exit_code INTEGER,
    reason TEXT,                     -- why it failed
    actor TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT NOT NULL,
    owner TEXT NOT NULL,             -- the process that supervises it, and its job socket: JSON
    details TEXT NOT NULL,           -- command, args, cwd, file, ...: JSON
    tail TEXT,                       -- the end of its output, once it has ended
    total_bytes INTEGER
) STRICT;

CREATE INDEX jobs_pid ON jobs (pid, id);
CREATE INDEX jobs_running ON jobs (id) WHERE state = 'running';

-- Runs: the specification as given, and the current record.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,            -- created, running, success, failed, timeout, cancelled
    runtime TEXT NOT NULL,
    playbook_id TEXT,
    parent_run_id TEXT,
    created_at TEXT NOT NULL,
    session TEXT NOT NULL,
    owner TEXT NOT NULL,             -- the process that executes it: JSON, empty before
    cancel INTEGER NOT NULL DEFAULT 0,
    spec TEXT NOT NULL,              -- JSON
    record TEXT NOT NULL             -- JSON
) STRICT;

CREATE INDEX runs_running ON runs (id) WHERE status = 'running';
