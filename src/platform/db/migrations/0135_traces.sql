-- Up Migration

-- The spans that merged blocks, of traces that are recorded: consumers of the log continue them.
create table hub.traced_blocks (
  shard smallint not null,
  block bigint not null,
  -- W3C Trace Context.
  traceparent text not null,
  merged_at timestamptz not null default now(),
  primary key (shard, block)
);

-- The span that caused the event; null where nothing was traced.
alter table webhooks.events add column traceparent text;
