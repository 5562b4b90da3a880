-- Which project this is. The user's machine knows the id too, so that another database in its place
-- is noticed.
CREATE TABLE project (
    id TEXT NOT NULL
) STRICT;
