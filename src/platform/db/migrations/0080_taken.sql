-- Up Migration

-- What was taken of the logs of other hubs lately, one row for each transaction that merged some of it: whatever comes
-- again is not merged again. What no reader goes back to is forgotten.
create table hub.taken (
  -- Whose log, and which shard of it.
  log text not null,
  last_id bigint not null,
  -- The ids of the events there, of which the last one is the highest.
  ids bigint[] not null
);

create index taken_by_place on hub.taken (log, last_id);

-- Down Migration

drop table hub.taken;
