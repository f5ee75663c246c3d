-- Up Migration

-- Channels of the registry (docs/protocol.md §7.1): the fold of on-chain events of type 6. The position is that of
-- the event applied last.
create table hub.channels (
  channel_id bytea primary key,
  channel_key text not null,
  owner_address bytea not null,
  expires_at bigint not null,
  block_number bigint,
  tx_index integer,
  log_index integer
);

-- Reads by owner are in the order of the channels' keys as bytes.
create index channels_by_owner on hub.channels (owner_address, channel_key collate "C");

-- The message in each slot of a channel: metadata, member, pin and moderation. The last to arrive holds it.
create table hub.channel_messages (
  channel_id bytea not null,
  type smallint not null,
  -- Empty, or the member's fid in 4 bytes, or the hash of the moderated cast.
  key bytea not null,
  -- The member's state (ChannelMemberState), or the moderation's action; else 0.
  state smallint not null,
  fid bigint not null,
  ts bigint not null,
  hash bytea not null,
  message bytea not null,
  primary key (channel_id, type, key)
);

create index channel_memberships on hub.channel_messages (key, channel_id) where type = 19;

-- Slots and moderators by channel, so that caps are checked without counting.
create table hub.channel_counts (
  channel_id bytea primary key,
  members integer not null,
  moderators integer not null,
  moderations integer not null
);

-- Down Migration

drop table hub.channel_counts;
drop table hub.channel_messages;
drop table hub.channels;
