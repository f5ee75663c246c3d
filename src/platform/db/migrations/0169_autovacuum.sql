-- Up Migration

-- Feeds read casts and reactions from indexes alone, which works for pages that a vacuum has seen. By default it comes when a fifth of
-- a table is new: for 200 million casts after months. Without dead rows it reads the new pages and no index.
alter table social.casts set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table social.reactions set (autovacuum_vacuum_insert_scale_factor = 0.02);
