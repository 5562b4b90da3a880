-- One row for each entity, deleted ones too: numbers are never reused. Everything here is a
-- projection of the entity's document, except the last line.
CREATE TABLE entities (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    content TEXT,
    tags TEXT NOT NULL,              -- JSON list
    properties TEXT NOT NULL,        -- JSON object, task statuses by their stored names
    status TEXT,
    priority INTEGER,                -- 0 is urgent
    due_date TEXT,
    extra TEXT NOT NULL,             -- searchable properties as text
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    former_numbers TEXT NOT NULL DEFAULT '[]',
    deleted INTEGER NOT NULL DEFAULT 0,
    -- Computed from status and relations in every write that changes them: 1 ready, 2 blocked.
    queue INTEGER
) STRICT;

CREATE INDEX entities_number ON entities (number);
CREATE INDEX entities_type ON entities (type, number) WHERE deleted = 0;
CREATE INDEX entities_status ON entities (type, status, number) WHERE deleted = 0;
CREATE INDEX entities_due ON entities (due_date, number) WHERE deleted = 0 AND due_date IS NOT NULL;
CREATE INDEX entities_queue ON entities (queue, priority, ifnull(due_date, '9999-12-32'), number)
    WHERE queue IS NOT NULL;

CREATE TABLE documents (
    row INTEGER PRIMARY KEY REFERENCES entities (row),
    document BLOB NOT NULL           -- a Loro snapshot, or all updates of a new document
) STRICT;

CREATE TABLE tags (
    tag TEXT NOT NULL,
    row INTEGER NOT NULL REFERENCES entities (row),
    PRIMARY KEY (tag, row)
) STRICT, WITHOUT ROWID;

-- Relations of sources that are not deleted. The target may not have arrived yet; readers join it.
CREATE TABLE relations (
    source TEXT NOT NULL,
    type TEXT NOT NULL,
    target TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (source, type, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX relations_target ON relations (target, type, source);

-- Former numbers of entities that were renumbered when two clones were merged.
CREATE TABLE aliases (
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (number, id)
) STRICT, WITHOUT ROWID;

-- Leases on tasks. Local to this machine, so not in any document.
CREATE TABLE claims (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    expires_at INTEGER NOT NULL      -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT NOT NULL,
    correlation_id TEXT,
    type TEXT NOT NULL,
    entity TEXT,
    entity_type TEXT,
    payload TEXT NOT NULL            -- JSON object
) STRICT;

CREATE INDEX events_entity ON events (entity, seq);

-- Updates that are not in a pack yet.
CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    changes BLOB NOT NULL
) STRICT;

-- Updates from other clones that depend on updates which have not arrived.
CREATE TABLE pending (
    id TEXT NOT NULL,
    changes BLOB NOT NULL,
    PRIMARY KEY (id, changes)
) STRICT, WITHOUT ROWID;

-- The text that search indexes. Only plain functions: the index cannot read through json_each.
CREATE VIEW search_text AS
    SELECT row, title,
        replace(replace(replace(trim(tags, '[]'), '","', ', '), '"', ''), '\', '') AS tags,
        ifnull(content, '') || char(10) || extra AS body
    FROM entities WHERE deleted = 0;

CREATE VIRTUAL TABLE search USING fts5 (
    title, tags, body,
    content = 'search_text', content_rowid = 'row',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
-- Title ranks above tags, tags above text.
INSERT INTO search (search, rank) VALUES ('rank', 'bm25(10.0, 5.0, 1.0)');
