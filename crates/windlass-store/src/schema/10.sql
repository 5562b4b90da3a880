-- Version 10: words of texts that have vectors, to find what a misspelt word means without reading the
-- index of all words. A word may stay here after its last text is gone: whether a text has it is decided
-- by the search index.
CREATE TABLE words (
    word TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE INDEX words_beginning ON words (substr(word, 1, 2), length(word));
CREATE INDEX words_end ON words (substr(word, -2), length(word));
INSERT INTO words (word)
    SELECT term FROM search_words
    WHERE EXISTS (SELECT 1 FROM vectors)
      AND length(term) BETWEEN 5 AND 40 AND term NOT GLOB '*[0-9]*';
