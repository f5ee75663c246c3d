-- Up Migration

create schema social;

-- The read model: functions of what stands in schema hub, written in the merge's transaction and rebuilt by
-- `plaza replay`. Times (`ts`) are Farcaster seconds, as in hub.messages.

-- Every registered fid, with its profile. Counters are apart: they change often, and a narrow row is cheap to
-- write anew.
create table social.users (
  fid bigint primary key,
  custody_address bytea not null,
  -- Unix seconds. pro_since is the last purchase of the tier.
  registered_at bigint not null,
  pro_since bigint,
  pro_until bigint not null default 0,
  username text,
  display_name text,
  pfp_url text,
  bio text,
  url text,
  location text,
  twitter text,
  github text,
  banner_url text,
  primary_eth_address text,
  primary_sol_address text,
  profile_token text,
  live_at text,
  live_at_ts bigint,
  -- The probability that the account is not spam; null until it has been computed.
  score real
);

create index users_by_username on social.users (username text_pattern_ops) where username is not null;
create index users_by_custody on social.users (custody_address);
create index users_by_twitter on social.users (lower(twitter)) where twitter is not null;

create table social.user_counts (
  fid bigint primary key,
  follower_count integer not null default 0,
  following_count integer not null default 0
) with (fillfactor = 70);

-- Which app asked for a key: the requestFid in the metadata of its signer event.
create table social.signer_apps (
  fid bigint not null,
  key bytea not null,
  app_fid bigint not null,
  primary key (fid, key)
);

create table social.casts (
  hash bytea primary key,
  fid bigint not null,
  ts bigint not null,
  text text not null,
  parent_fid bigint,
  parent_hash bytea,
  parent_url text,
  -- The first cast of its thread, as far as it is known: social/threads.ts.
  thread_hash bytea not null,
  root_parent_url text,
  -- In their order: {"url": …} or {"fid": …, "hash": "0x…"}.
  embeds jsonb not null,
  mentions bigint[] not null,
  -- Byte offsets in the UTF-8 text.
  mention_positions integer[] not null,
  signer bytea not null
);

create index casts_by_time on social.casts (ts desc, hash desc);
create index casts_by_author on social.casts (fid, ts desc, hash desc);
create index casts_by_parent on social.casts (parent_hash, ts, hash) where parent_hash is not null;
create index casts_by_thread on social.casts (thread_hash);
create index casts_by_root_url on social.casts (root_parent_url, ts desc, hash desc) where root_parent_url is not null;
create index casts_by_parent_url on social.casts (parent_url, ts desc, hash desc) where parent_url is not null;

-- Counters of a cast, also of casts that are not here (yet). The author is part of a cast's name wherever others
-- speak of it: a reaction that names another author speaks of no cast.
create table social.cast_counts (
  hash bytea not null,
  fid bigint not null,
  likes integer not null default 0,
  recasts integer not null default 0,
  replies integer not null default 0,
  quotes integer not null default 0,
  primary key (hash, fid)
) with (fillfactor = 70);

-- A cast and each other cast that it embeds.
create table social.quotes (
  quoted_hash bytea not null,
  quoted_fid bigint not null,
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  primary key (quoted_hash, quoted_fid, hash)
);

create index quotes_by_time on social.quotes (quoted_hash, quoted_fid, ts desc, hash desc);
create index quotes_by_cast on social.quotes (hash);

-- A cast and each URL that it embeds.
create table social.url_embeds (
  url text not null,
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  primary key (hash, url)
);

create index url_embeds_by_time on social.url_embeds (url, ts desc, hash desc);

-- Reactions to casts. type: 1 like, 2 recast.
create table social.reactions (
  fid bigint not null,
  type smallint not null,
  target_hash bytea not null,
  target_fid bigint not null,
  ts bigint not null,
  signer bytea not null,
  primary key (target_hash, target_fid, type, fid)
);

create index reactions_by_target on social.reactions (target_hash, target_fid, ts desc, fid desc, type);
create index reactions_by_user on social.reactions (fid, type, ts desc, target_hash desc);

-- Reactions to anything that has an address but is no cast.
create table social.url_reactions (
  fid bigint not null,
  type smallint not null,
  url text not null,
  ts bigint not null,
  primary key (url, type, fid)
);

create table social.follows (
  fid bigint not null,
  target_fid bigint not null,
  ts bigint not null,
  signer bytea not null,
  primary key (fid, target_fid)
);

create index follows_by_time on social.follows (fid, ts desc, target_fid desc);
create index follows_by_target on social.follows (target_fid, ts desc, fid desc);

-- Links of type "block".
create table social.blocks (
  fid bigint not null,
  target_fid bigint not null,
  ts bigint not null,
  primary key (fid, target_fid)
);

create index blocks_by_target on social.blocks (target_fid, fid);

create table social.verifications (
  fid bigint not null,
  address bytea not null,
  -- Protocol: 0 Ethereum, 1 Solana.
  protocol smallint not null,
  ts bigint not null,
  signer bytea not null,
  primary key (fid, address)
);

create index verifications_by_address on social.verifications (address);

-- Casts per hour below a parent URL, replies included; hour = ts / 3600.
create table social.url_activity (
  url text not null,
  hour integer not null,
  casts integer not null,
  primary key (url, hour)
);

create index url_activity_by_hour on social.url_activity (hour);

-- Down Migration

drop schema social cascade;
