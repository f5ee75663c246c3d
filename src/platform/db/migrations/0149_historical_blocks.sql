-- Up Migration

-- The blocks that copied what another hub had stored before: what they contain is no news (docs/webhooks.md).
create table hub.historical_blocks (
  shard smallint not null,
  block bigint not null,
  merged_at timestamptz not null default now(),
  primary key (shard, block)
);
