-- The tables of the index. Statements are set apart by an empty line. Raise VERSION in
-- lookup.py with every change: an older index is made anew.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- A memory: from `id` to `basis` what an answer can show of it (`Located`), then the
-- measures of its passages, its place among the episodes by when it happened and by when
-- it was learned of, and its seal. `posted` says whether its words are in postings,
-- `citation` by what short name it is cited.
CREATE TABLE items (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, store TEXT NOT NULL, path TEXT NOT NULL,
    line INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
    aside TEXT NOT NULL, names TEXT NOT NULL, at INTEGER, scope TEXT NOT NULL,
    origin TEXT NOT NULL, gone TEXT NOT NULL, company TEXT NOT NULL,
    place INTEGER NOT NULL, speaker TEXT NOT NULL, page TEXT NOT NULL,
    basis TEXT NOT NULL, shape BLOB NOT NULL,
    moment INTEGER, learned INTEGER, seal BLOB NOT NULL,
    posted INTEGER NOT NULL DEFAULT 0, citation TEXT NOT NULL,
    UNIQUE (id, path)
);

CREATE INDEX items_by_path ON items (path);

CREATE INDEX items_by_citation ON items (citation);

CREATE INDEX items_by_store ON items (store);

CREATE INDEX items_by_page ON items (page) WHERE page != '';

-- Pages that ask something of their human: looked for with every look at what waits.
CREATE INDEX items_asking ON items (id) WHERE store = 'semantic' AND page = ''
AND (instr(text, 'Which holds:') OR instr(text, 'Is this the same as'));

CREATE INDEX items_due ON items (substr(names, instr(names, ' ') + 1, 10), page)
WHERE page != '' AND instr(names, ' ');

CREATE INDEX items_unposted ON items (number) WHERE posted = 0;

CREATE INDEX items_scoped ON items (id, scope) WHERE scope != '';

CREATE INDEX items_learned ON items (learned) WHERE learned IS NOT NULL;

CREATE TABLE sketches (
    band INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (band, item)
) WITHOUT ROWID;

CREATE INDEX sketches_by_item ON sketches (item);

CREATE TABLE called (
    name TEXT NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (name, item)
) WITHOUT ROWID;

CREATE INDEX called_by_item ON called (item);

CREATE TABLE postings (
    term TEXT NOT NULL, run INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (term, run)
) WITHOUT ROWID;

CREATE INDEX postings_by_run ON postings (run);

CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL);

CREATE TABLE vectors (
    item INTEGER NOT NULL, model TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (item, model)
);

-- How many of them a model made, without reading them.
CREATE INDEX vectors_by_model ON vectors (model, item);

-- The last memories that went away, moved or lost their vectors, in this order: who keeps
-- a view lets go of these, or of everything where it is too far behind.
CREATE TABLE removed (at INTEGER PRIMARY KEY AUTOINCREMENT, item INTEGER NOT NULL);

CREATE TABLE traces (
    id TEXT PRIMARY KEY, store TEXT NOT NULL, base REAL NOT NULL,
    created TEXT NOT NULL, last_accessed TEXT NOT NULL,
    accesses INTEGER NOT NULL, pinned INTEGER NOT NULL, archived INTEGER NOT NULL
);

-- What was used since it was written, without reading all that was not.
CREATE INDEX traces_used ON traces (id, accesses) WHERE accesses != 1;

CREATE TABLE resurrected (id TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE edges (
    path TEXT NOT NULL, origin TEXT NOT NULL, relation TEXT NOT NULL,
    target TEXT NOT NULL, confidence TEXT NOT NULL, first_seen TEXT NOT NULL,
    seal BLOB NOT NULL
);

CREATE INDEX edges_by_path ON edges (path);

CREATE INDEX edges_by_origin ON edges (origin);

CREATE INDEX edges_by_target ON edges (target);

-- A file as it was when it was last seen (`FileRecord`).
CREATE TABLE files (
    path TEXT PRIMARY KEY, name TEXT NOT NULL, blob TEXT NOT NULL,
    size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
    inode INTEGER NOT NULL, since TEXT NOT NULL, lines INTEGER NOT NULL,
    touched TEXT NOT NULL, seal BLOB NOT NULL
) WITHOUT ROWID;

CREATE INDEX files_by_name ON files (name);

CREATE TABLE folds (
    name TEXT PRIMARY KEY, data BLOB NOT NULL, seal BLOB NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER item_went AFTER DELETE ON items BEGIN
    DELETE FROM vectors WHERE item = OLD.number;
    DELETE FROM sketches WHERE item = OLD.number;
    DELETE FROM called WHERE item = OLD.number;
    INSERT INTO removed (item) VALUES (OLD.number);
END;

CREATE TRIGGER item_shifted AFTER UPDATE OF place ON items
WHEN OLD.place != NEW.place BEGIN
    INSERT INTO removed (item) VALUES (NEW.number);
END;

CREATE TRIGGER removed_long_ago AFTER INSERT ON removed BEGIN
    DELETE FROM removed WHERE at <= NEW.at - 4096;
END;

-- The vectors of an answer have a share of its question, and go when that changes.
CREATE TRIGGER question_came AFTER INSERT ON items
WHEN (NEW.id GLOB 'turn:*/user/0' OR NEW.id GLOB 'turn:*/system/0')
AND EXISTS (
    SELECT 1 FROM items JOIN vectors ON item = number WHERE id = replace(
        replace(NEW.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0')
) BEGIN
    INSERT INTO removed (item) SELECT number FROM items WHERE id = replace(
        replace(NEW.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0');
    DELETE FROM vectors WHERE item IN (SELECT number FROM items WHERE id = replace(
        replace(NEW.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0'));
END;

CREATE TRIGGER question_went AFTER DELETE ON items
WHEN OLD.id GLOB 'turn:*/user/0' OR OLD.id GLOB 'turn:*/system/0' BEGIN
    INSERT INTO removed (item) SELECT number FROM items WHERE id = replace(
        replace(OLD.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0');
    DELETE FROM vectors WHERE item IN (SELECT number FROM items WHERE id = replace(
        replace(OLD.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0'));
END;

-- Which turn of the same number each answer answers, the user's before the system's.
-- What is for one person alone is no question to an answer for everybody.
CREATE VIEW questions AS
SELECT items.number AS item, (
    SELECT question.number FROM items AS question
    WHERE question.id IN (
        replace(items.id, '/assistant/0', '/user/0'),
        replace(items.id, '/assistant/0', '/system/0')
    ) AND question.scope IN ('', items.scope)
    ORDER BY question.id GLOB '*/system/0', question.path LIMIT 1
) AS question
FROM items WHERE items.id GLOB 'turn:*/assistant/0';
