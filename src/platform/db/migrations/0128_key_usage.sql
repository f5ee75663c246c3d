-- Up Migration

-- Requests with a key by operation and UTC day. Written from the counts of each process every few seconds, kept for a month.
create table apps.usage (
  key_id integer not null,
  day date not null,
  -- As documented: `GET cast/search`.
  operation text not null,
  requests bigint not null,
  -- Of these, replies with a status of 400 and above.
  refusals bigint not null,
  primary key (key_id, day, operation)
);
create index usage_by_day on apps.usage (day);
