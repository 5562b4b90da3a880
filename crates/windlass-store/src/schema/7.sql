-- A change to a document is added here, so that a write costs as much as its change. Now and then
-- the changes are folded into the document.
CREATE TABLE document_updates (
    seq INTEGER PRIMARY KEY,
    row INTEGER NOT NULL REFERENCES entities (row),
    changes BLOB NOT NULL
) STRICT;
CREATE INDEX document_updates_row ON document_updates (row, seq);

-- Whether other clones may have the update. What no other clone has can still be rewritten.
ALTER TABLE outbox ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX outbox_unsealed ON outbox (id, seq) WHERE sealed = 0;

-- How often changes were rewritten. A process that finds another number than before uses a new id
-- for its changes, because those under its old id may have been replaced.
CREATE TABLE rewrites (count INTEGER NOT NULL) STRICT;
INSERT INTO rewrites (count) VALUES (0);
