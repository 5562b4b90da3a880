-- Version 9: vectors of texts, for the search by meaning, and what is known about memory.

-- Entities whose text has no vectors yet, or has changed since. A change gives a new ticket, so that
-- vectors of an older text are not stored for the newer one.
CREATE TABLE to_embed (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT,
    row INTEGER NOT NULL UNIQUE
) STRICT;
INSERT INTO to_embed (row) SELECT row FROM entities NOT INDEXED WHERE deleted = 0;

-- One row for each piece of an entity's text. Numbers are not given twice: the file that searches go
-- through has them too.
CREATE TABLE vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    row INTEGER NOT NULL,
    type TEXT NOT NULL,              -- of the entity, which never changes
    first INTEGER NOT NULL,          -- the piece: bytes of the text
    last INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE INDEX vectors_row ON vectors (row);

-- Vectors of short texts that are not entities, such as learnings, by a digest of the text.
CREATE TABLE text_vectors (
    digest TEXT PRIMARY KEY,
    vector BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: the model of all vectors, the file that has them up to `last`, and which process may add
-- vectors until when (milliseconds since 1970).
CREATE TABLE embedding (
    model TEXT NOT NULL,
    file TEXT,
    last INTEGER NOT NULL,
    owner TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
INSERT INTO embedding (model, file, last, owner, expires_at) VALUES ('', NULL, 0, '', 0);

-- The words of the search index, to find what a misspelt one means.
CREATE VIRTUAL TABLE search_words USING fts5vocab('search', 'row');

-- How often a note or a learning was given to an agent. Local to this machine.
CREATE TABLE memory_uses (
    key TEXT PRIMARY KEY,            -- the id of a note, or the digest of a learning's text
    uses INTEGER NOT NULL,
    last_used TEXT NOT NULL
) STRICT, WITHOUT ROWID;
