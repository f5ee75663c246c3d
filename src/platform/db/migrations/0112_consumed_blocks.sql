-- Up Migration

-- The last blocks that a consumer has taken: newest first, each height (6 bytes) and hash (8 bytes). They find the fork
-- when the log went back behind its cursor.
alter table hub.consumers add column blocks bytea not null default '\x';
