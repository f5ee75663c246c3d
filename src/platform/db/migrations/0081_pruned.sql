-- Up Migration

-- Messages that were pruned, for as long as the log tells of it: what comes again, and is pruned at once, is not told
-- again.
create table hub.pruned (
  hash bytea primary key,
  -- When it was told, as `hub.events` has its days.
  day date not null
);

-- Down Migration

drop table hub.pruned;
