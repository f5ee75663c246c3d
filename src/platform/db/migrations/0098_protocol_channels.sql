-- Up Migration

-- Channels of the protocol stand beside imported ones (docs/read-model.md, "Channels of the protocol").
alter table channels.channels add column protocol_id bytea;
create unique index channels_by_protocol_id on channels.channels (protocol_id) where protocol_id is not null;

-- Follows that a message says; imports do not touch them.
alter table channels.follows add column by_message boolean not null default false;

-- Casts that the owner or a moderator has hidden from the channel.
create table channels.hidden_casts (
  channel_id text not null references channels.channels (id) on delete cascade,
  hash bytea not null,
  primary key (channel_id, hash)
);

-- Users who may not become members of the channel.
create table channels.bans (
  channel_id text not null references channels.channels (id) on delete cascade,
  fid bigint not null,
  primary key (channel_id, fid)
);

-- Down Migration

drop table channels.bans;
drop table channels.hidden_casts;
alter table channels.follows drop column by_message;
drop index channels.channels_by_protocol_id;
alter table channels.channels drop column protocol_id;
