-- Which processes serve agents, and which agents they serve. What a process holds is free again when
-- it has exited.
CREATE TABLE servers (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,             -- the process, as JSON
    surface TEXT NOT NULL,           -- stdio, http
    started_at TEXT NOT NULL,
    seen_at INTEGER NOT NULL         -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
    session TEXT PRIMARY KEY,        -- the name under which the agent works
    server TEXT NOT NULL,
    client TEXT,                     -- what the client calls itself
    started_at TEXT NOT NULL,
    calls INTEGER NOT NULL,
    last_tool TEXT,
    last_at TEXT,
    characters INTEGER NOT NULL      -- how much it was given to read
) STRICT, WITHOUT ROWID;

ALTER TABLE claims ADD COLUMN session TEXT;                        -- who made it, if not its owner
ALTER TABLE claims ADD COLUMN server TEXT;                         -- renewed by it, and ends with it
ALTER TABLE claims ADD COLUMN until INTEGER;                       -- when it ends at the latest
ALTER TABLE claims ADD COLUMN claimed_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX claims_owner ON claims (owner, claimed_at);

-- What was submitted, and by whom.
ALTER TABLE reviews ADD COLUMN actor TEXT NOT NULL DEFAULT 'agent';
ALTER TABLE reviews ADD COLUMN start_commit TEXT;
ALTER TABLE reviews ADD COLUMN start_tree TEXT;
ALTER TABLE reviews ADD COLUMN submit_commit TEXT;
ALTER TABLE reviews ADD COLUMN submit_tree TEXT;
