-- Up Migration

-- What is older than this in a block that copied what another hub had stored is history. It is decided when the block is merged:
-- consumers may come days later. A process of the version before leaves it to the default. Blocks from before
-- have the day before this migration: to change each of them would hold up merges of copies, and few are not consumed yet.
alter table hub.historical_blocks
  add column news_from timestamptz not null default now() - interval '1 day';
