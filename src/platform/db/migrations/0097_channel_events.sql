-- Up Migration

-- The events of each channel of the registry. All of them have fid 0, so hub.onchain_events finds none by channel.
create table hub.channel_events (
  channel_id bytea not null,
  block_number bigint not null,
  log_index integer not null,
  primary key (channel_id, block_number, log_index)
);

-- Down Migration

drop table hub.channel_events;
