-- Up Migration

-- Where each reader of the log that must miss nothing goes on: the first event that it has not had. The row is also
-- its lock: who has it works on the shard, and a process that dies lets go of it.
create table hub.consumers (
  name text not null,
  shard smallint not null,
  next_id bigint not null,
  primary key (name, shard)
) with (fillfactor = 50);

-- Down Migration

drop table hub.consumers;
