-- Up Migration

-- The day of the newest events of a shard. Merges write no earlier one: a process whose clock is behind would put the newest
-- events into a day that is dropped first.
-- The log before the shards, as the drop of a day locks them.
lock table hub.events in access share mode;
alter table hub.shards add column last_day date;
update hub.shards s
set last_day = (select e.day from hub.events e where e.shard = s.shard order by e.id desc limit 1);
