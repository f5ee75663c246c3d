-- Up Migration

create schema upstream;

-- How far the log of each upstream is merged, by its own shards, which need not be ours.
create table upstream.cursors (
  -- host:port
  upstream text not null,
  shard smallint not null,
  -- Every event with a lower id is merged.
  next_id bigint not null,
  -- When the last block before it was made, in Farcaster seconds; 0 while nobody knows. By it the place is found in
  -- the log of another upstream, whose ids are others.
  block_time bigint not null,
  primary key (upstream, shard)
) with (fillfactor = 50);

-- Down Migration

drop schema upstream cascade;
