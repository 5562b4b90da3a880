-- Jobs of all processes of this machine: who started what, when, and how it ended.
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
    owner TEXT NOT NULL,             -- the process that looks after it, and where it answers: JSON
    details TEXT NOT NULL,           -- command, args, cwd, file, ...: JSON
    tail TEXT,                       -- the end of its output, once it has ended
    total_bytes INTEGER
) STRICT;

CREATE INDEX jobs_pid ON jobs (pid, id);
CREATE INDEX jobs_running ON jobs (id) WHERE state = 'running';
