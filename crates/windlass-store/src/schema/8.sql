-- Version 8: the exchange with other clones, and what belongs to it.

-- Packs that this clone wrote or imported. Their bytes are kept, because a branch may lack a pack
-- that another one has.
CREATE TABLE packs (
    name TEXT PRIMARY KEY,
    bytes BLOB,                      -- NULL unless it is known
    -- known; replaced: another pack has all of it; claimed: another pack says that it has all of it
    standing TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE INDEX packs_standing ON packs (standing, name);

-- The lines of learnings.txt and progress.txt. The id follows from the rest.
CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,              -- learnings, progress
    at TEXT NOT NULL,
    text TEXT NOT NULL,
    packed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX journal_order ON journal (kind, at, id);
CREATE INDEX journal_unpacked ON journal (seq) WHERE packed = 0;

-- Reviews, their comments and help requests travel in the documents of their tasks. Two clones may
-- give the same number, so that a number is not the key any more.
CREATE TABLE new_reviews (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL,
    former_numbers TEXT NOT NULL DEFAULT '[]',
    task TEXT NOT NULL,
    turn INTEGER NOT NULL,           -- counts the submissions of the task
    place TEXT NOT NULL,             -- random, for each submission
    status TEXT NOT NULL,
    session TEXT NOT NULL,
    actor TEXT NOT NULL,
    round INTEGER NOT NULL,
    summary TEXT,
    start_commit TEXT,
    start_tree TEXT,
    submit_commit TEXT,
    submit_tree TEXT,
    submitted_at TEXT NOT NULL,
    gates_completed_at TEXT,
    agent_completed_at TEXT,
    human_completed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- Local to this machine: whether the work was submitted here, where, and who runs its gates.
    here INTEGER NOT NULL DEFAULT 1,
    repo TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '{}'
) STRICT;
INSERT INTO new_reviews (id, number, task, turn, place, status, session, actor, round, summary,
        start_commit, start_tree, submit_commit, submit_tree, submitted_at, gates_completed_at,
        agent_completed_at, human_completed_at, created_at, updated_at, repo, owner)
    SELECT id, number, task, row_number() OVER (PARTITION BY task ORDER BY number), id, status,
        session, actor, round, summary, start_commit, start_tree, submit_commit, submit_tree,
        submitted_at, gates_completed_at, agent_completed_at, human_completed_at, created_at,
        updated_at, repo, owner
    FROM reviews ORDER BY number;
DROP TABLE reviews;
ALTER TABLE new_reviews RENAME TO reviews;
CREATE INDEX reviews_number ON reviews (number);
CREATE INDEX reviews_task ON reviews (task, number);
CREATE INDEX reviews_status ON reviews (status, number);
CREATE UNIQUE INDEX reviews_active ON reviews (task)
    WHERE status IN ('gates_pending', 'gates_escalated', 'agent_pending', 'human_pending');

CREATE TABLE new_review_comments (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL,
    former_numbers TEXT NOT NULL DEFAULT '[]',
    review TEXT NOT NULL,
    task TEXT NOT NULL,
    author TEXT NOT NULL,
    session TEXT NOT NULL,
    file_path TEXT,
    line_start INTEGER,
    line_end INTEGER,
    side TEXT,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    resolved_at TEXT
) STRICT;
INSERT INTO new_review_comments (id, number, review, task, author, session, file_path, line_start,
        line_end, side, body, created_at, resolved_at)
    SELECT id, number, review, task, author, session, file_path, line_start, line_end, side, body,
        created_at, resolved_at
    FROM review_comments ORDER BY number;
DROP TABLE review_comments;
ALTER TABLE new_review_comments RENAME TO review_comments;
CREATE INDEX review_comments_number ON review_comments (number);
CREATE INDEX review_comments_review ON review_comments (review, number);

CREATE TABLE new_gate_results (
    review TEXT NOT NULL,
    gate TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    place TEXT NOT NULL,             -- the submission that it checked
    here INTEGER NOT NULL DEFAULT 1, -- whether it ran on this machine
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,           -- empty unless it ran here: what executes does not travel
    timeout_secs INTEGER NOT NULL,
    max_retries INTEGER NOT NULL,
    poll_interval_secs INTEGER NOT NULL,
    max_pending_secs INTEGER NOT NULL,
    status TEXT NOT NULL,
    exit_code INTEGER,
    message TEXT,
    stdout TEXT NOT NULL DEFAULT '',
    stderr TEXT NOT NULL DEFAULT '',
    polls INTEGER NOT NULL DEFAULT 0,
    next_poll_at INTEGER,
    started_at TEXT,
    completed_at TEXT,
    PRIMARY KEY (review, gate, attempt, place)
) STRICT, WITHOUT ROWID;
INSERT INTO new_gate_results (review, gate, attempt, place, round, position, scope, name, command,
        timeout_secs, max_retries, poll_interval_secs, max_pending_secs, status, exit_code, message,
        stdout, stderr, polls, next_poll_at, started_at, completed_at)
    SELECT review, gate, attempt, review, round, position, scope, name, command, timeout_secs,
        max_retries, poll_interval_secs, max_pending_secs, status, exit_code, message, stdout,
        stderr, polls, next_poll_at, started_at, completed_at
    FROM gate_results;
DROP TABLE gate_results;
ALTER TABLE new_gate_results RENAME TO gate_results;

CREATE TABLE new_help_requests (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL,
    former_numbers TEXT NOT NULL DEFAULT '[]',
    task TEXT NOT NULL,
    from_status TEXT NOT NULL,
    category TEXT NOT NULL,
    reason TEXT NOT NULL,
    suggested_options TEXT NOT NULL,
    status TEXT NOT NULL,
    response TEXT,
    chosen_option INTEGER,
    session TEXT NOT NULL,
    created_at TEXT NOT NULL,
    responded_at TEXT,
    resumed_at TEXT
) STRICT;
INSERT INTO new_help_requests (id, number, task, from_status, category, reason, suggested_options,
        status, response, chosen_option, session, created_at, responded_at, resumed_at)
    SELECT id, number, task, from_status, category, reason, suggested_options, status, response,
        chosen_option, session, created_at, responded_at, resumed_at
    FROM help_requests ORDER BY number;
DROP TABLE help_requests;
ALTER TABLE new_help_requests RENAME TO help_requests;
CREATE INDEX help_number ON help_requests (number);
CREATE INDEX help_task ON help_requests (task, number);
CREATE UNIQUE INDEX help_active ON help_requests (task) WHERE status IN ('pending', 'responded');

-- Former numbers of reviews, comments and help requests.
CREATE TABLE work_aliases (
    kind TEXT NOT NULL,              -- the table
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (kind, number, id)
) STRICT, WITHOUT ROWID;

-- Whether what older versions stored only in rows is in the documents too.
CREATE TABLE carried (done INTEGER NOT NULL) STRICT;
INSERT INTO carried (done) VALUES (0);

-- Entities that an import changed and that have not been compared with the others yet: numbers,
-- names, and whether tasks agree with their reviews.
CREATE TABLE unsettled (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Object storage: what this clone knows about each remote that it has used.
CREATE TABLE remotes (
    url TEXT PRIMARY KEY,
    cursor INTEGER NOT NULL DEFAULT 0,        -- the newest stamp that was listed
    listed_at INTEGER NOT NULL DEFAULT 0,     -- when all of its packs were listed
    packs INTEGER NOT NULL DEFAULT 0,         -- how many there were
    attempted_at INTEGER NOT NULL DEFAULT 0,
    succeeded_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,      -- since the last success
    error TEXT,
    changed_at INTEGER,                       -- when a pass last sent or brought something
    report TEXT                               -- what that pass did, JSON
) STRICT;
-- Packs that are there, or were: none of them is sent again.
CREATE TABLE remote_packs (
    url TEXT NOT NULL,
    name TEXT NOT NULL,
    unusable TEXT,                            -- why it cannot be imported
    PRIMARY KEY (url, name)
) STRICT, WITHOUT ROWID;

-- Tasks of this clone that are, or should be, claimed on the remote too.
CREATE TABLE remote_claims (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,                      -- held, local, conflict, release, release_of_anyone
    owner TEXT NOT NULL,
    nonce TEXT NOT NULL,
    generation INTEGER NOT NULL,
    lease_seconds INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL,
    other TEXT                                -- who else holds it, if that is a conflict
) STRICT;
-- Whether another machine made the claim.
ALTER TABLE claims ADD COLUMN elsewhere INTEGER NOT NULL DEFAULT 0;

-- What was imported from other tools, so that a second import finds it. Where an entity came from is
-- a record of its document and travels with it; this table also knows entities that were deleted.
CREATE INDEX records_origin ON records (body ->> '$.source', body ->> '$.id')
    WHERE collection = 'origin';
CREATE TABLE imports (
    source TEXT NOT NULL,
    external_id TEXT NOT NULL,
    entity TEXT NOT NULL,
    PRIMARY KEY (source, external_id)
) STRICT, WITHOUT ROWID;

-- Which write an event belongs to: the first event of the same transaction. What is taken back is
-- taken back as a whole.
ALTER TABLE events ADD COLUMN first_event INTEGER;
CREATE INDEX events_first ON events (first_event) WHERE first_event IS NOT NULL;

-- The values that changes replaced, by event: they can be shown, and put back. The oldest are dropped
-- when they take too much.
CREATE TABLE replaced (
    seq INTEGER PRIMARY KEY,         -- the event
    changes TEXT NOT NULL            -- JSON
) STRICT;

-- Events that were taken back, and the first event of the write that did it.
CREATE TABLE undone (
    seq INTEGER PRIMARY KEY,
    undone_by INTEGER NOT NULL
) STRICT;
CREATE INDEX undone_by ON undone (undone_by);

-- Results of calls that came with an idempotency key, for when they are repeated.
CREATE TABLE keyed_calls (
    caller TEXT NOT NULL,            -- the kind of caller that may have the result
    key TEXT NOT NULL,
    operation TEXT NOT NULL,
    arguments TEXT NOT NULL,         -- a digest
    at INTEGER NOT NULL,             -- milliseconds since 1970
    owner TEXT NOT NULL,             -- the process that began it: JSON
    result TEXT,                     -- JSON; NULL while the call is under way
    PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keyed_calls_at ON keyed_calls (at);

-- Text without spaces, in pairs of characters beside the words of the search index. An entity without
-- such text has no row here, and nothing in these columns of the index.
CREATE TABLE unspaced (
    row INTEGER PRIMARY KEY,
    title_pairs TEXT NOT NULL,
    pairs TEXT NOT NULL
) STRICT;

DROP TABLE search;
DROP VIEW search_text;

CREATE VIEW search_text AS
    SELECT e.row, e.title,
        replace(replace(replace(trim(e.tags, '[]'), '","', ', '), '"', ''), '\', '') AS tags,
        ifnull(e.content, '') || char(10) || e.extra AS body,
        ifnull(u.title_pairs, '') AS title_pairs,
        ifnull(u.pairs, '') AS pairs
    FROM entities e LEFT JOIN unspaced u ON u.row = e.row WHERE e.deleted = 0;

CREATE VIRTUAL TABLE search USING fts5 (
    title, tags, body, title_pairs, pairs,
    content = 'search_text', content_rowid = 'row',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
INSERT INTO search (search, rank) VALUES ('rank', 'bm25(10.0, 5.0, 1.0, 10.0, 1.0)');
-- The pairs of the rows that exist, and the index, are made by the program.

-- Places in the outbox are not given twice: a process that has packed a part of it removes that part
-- and nothing that came since. What was handed out is a number, so that it costs no rewriting.
CREATE TABLE sealed (through INTEGER NOT NULL) STRICT;
INSERT INTO sealed (through) SELECT ifnull(max(seq), 0) FROM outbox WHERE sealed = 1;
CREATE TABLE new_outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    changes BLOB NOT NULL
) STRICT;
INSERT INTO new_outbox (seq, id, changes) SELECT seq, id, changes FROM outbox ORDER BY seq;
DROP TABLE outbox;
ALTER TABLE new_outbox RENAME TO outbox;
CREATE INDEX outbox_id ON outbox (id, seq);
