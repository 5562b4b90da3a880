-- Features and disciplines have unique names, and tasks refer to them by name.
ALTER TABLE entities ADD COLUMN name TEXT;
ALTER TABLE entities ADD COLUMN feature TEXT;
ALTER TABLE entities ADD COLUMN discipline TEXT;

CREATE INDEX entities_name ON entities (type, name) WHERE deleted = 0 AND name IS NOT NULL;
CREATE INDEX entities_feature ON entities (feature, number) WHERE deleted = 0 AND feature IS NOT NULL;
CREATE INDEX entities_discipline ON entities (discipline, number)
    WHERE deleted = 0 AND discipline IS NOT NULL;

-- Records attached to an entity: comments, learnings. A projection of the entity's document.
CREATE TABLE records (
    row INTEGER NOT NULL REFERENCES entities (row),
    collection TEXT NOT NULL,
    key TEXT NOT NULL,               -- random, the same in every clone
    number INTEGER NOT NULL,         -- unique within its collection
    body TEXT,                       -- JSON; NULL if it was removed
    PRIMARY KEY (row, collection, key)
) STRICT, WITHOUT ROWID;

-- Sessions: one agent's work each. Local to this machine.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    recipe TEXT NOT NULL,
    discipline TEXT,
    feature TEXT,
    task TEXT,                       -- an entity's id
    status TEXT NOT NULL,            -- started, running, ended
    started_at TEXT NOT NULL,
    ended_at TEXT,
    exit_code INTEGER,
    closing TEXT,                    -- how it ended: done, partial, stuck
    owner TEXT NOT NULL,             -- the process that launched its client: JSON, or empty
    details TEXT NOT NULL            -- JSON
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_started ON sessions (started_at);

-- Signals that an agent sent in its session.
CREATE TABLE signals (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    task TEXT NOT NULL,
    at TEXT NOT NULL,
    verb TEXT NOT NULL,
    body TEXT NOT NULL               -- JSON
) STRICT;
CREATE INDEX signals_session ON signals (session, id);
CREATE INDEX signals_task ON signals (task, id);
