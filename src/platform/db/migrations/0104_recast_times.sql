-- Up Migration

-- When a reaction was stored, whatever time its message has; null if that was before this migration. Feeds leave out
-- recasts that were stored after their first page: one with an old time would bring a cast in again. The default is set
-- in a statement of its own, so that the table is not rewritten.
alter table social.reactions add column merged_at timestamptz;
alter table social.reactions alter column merged_at set default clock_timestamp();
