-- Up Migration

create schema channels;

-- Channels are not told by messages: they are created here and keep what the read model cannot rebuild.
create table channels.channels (
  id text primary key,
  url text not null,
  parent_url text not null,
  name text not null,
  description text not null default '',
  -- Fids that the description mentions, and the byte offsets in it where they belong.
  description_mentions bigint[] not null default '{}',
  description_mention_positions integer[] not null default '{}',
  image_url text,
  header_image_url text,
  lead_fid bigint not null,
  moderator_fids bigint[] not null default '{}',
  -- Unix seconds.
  created_at bigint not null,
  follower_count integer not null default 0,
  -- The lead and the moderators included.
  member_count integer not null default 0,
  pinned_cast_hash bytea,
  external_link_title text,
  external_link_url text
);

create index channels_by_followers on channels.channels (follower_count desc, id);

-- Every parent URL that a channel is known by; its own among them.
create table channels.urls (
  url text primary key,
  channel_id text not null references channels.channels on delete cascade
);

create index urls_by_channel on channels.urls (channel_id);

create table channels.follows (
  channel_id text not null references channels.channels on delete cascade,
  fid bigint not null,
  -- Unix seconds.
  followed_at bigint not null,
  primary key (channel_id, fid)
);

create index follows_by_channel on channels.follows (channel_id, followed_at desc, fid desc);
create index follows_by_user on channels.follows (fid, followed_at desc, channel_id desc);

create table channels.members (
  channel_id text not null references channels.channels on delete cascade,
  fid bigint not null,
  -- member or moderator; the owner is the channel's lead.
  role text not null check (role in ('member', 'moderator')),
  -- Unix seconds.
  member_since bigint not null,
  primary key (channel_id, fid)
);

create index members_by_user on channels.members (fid, channel_id);

create schema relations;

-- Whom a user does not want to see. Blocks are messages and stand in the read model.
create table relations.mutes (
  fid bigint not null,
  target_fid bigint not null,
  -- Unix seconds.
  muted_at bigint not null,
  primary key (fid, target_fid)
);

-- Down Migration

drop schema relations cascade;
drop schema channels cascade;
