-- Up Migration

create schema hub;

-- One row per shard. Writers queue on an advisory lock and hand out block heights from here.
create table hub.shards (
  shard smallint primary key,
  height bigint not null default 0,
  block_hash bytea not null default '\x0000000000000000000000000000000000000000000000000000000000000000',
  -- Events with a lower id have been dropped by retention; 0 while none has.
  dropped_below bigint not null default 0
);

-- Small facts about this database, such as its network: what is written once and compared at every start.
create table hub.settings (
  name text primary key,
  value jsonb not null
);

-- Every set of every user: one row per conflict key, holding the message that stands.
create table hub.messages (
  fid bigint not null,
  set smallint not null,
  key bytea not null,
  -- Farcaster seconds. (ts, hash) is the protocol's order within a set.
  ts bigint not null,
  hash bytea not null,
  type smallint not null,
  -- The encoded protobuf Message, with data_bytes and without data.
  message bytea not null,
  -- What others may look a message up by: hub/lookup.ts says what goes in. Null when nothing does.
  target bytea,
  primary key (fid, set, key)
);

create index messages_by_time on hub.messages (fid, set, ts, hash);
create index messages_by_target on hub.messages (target, ts, hash) where target is not null;

-- The casts that mention a user, in the order in which they are listed: an index over arrays could not keep one.
create table hub.cast_mentions (
  mentioned_fid bigint not null,
  -- Of the cast, as in hub.messages.
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  primary key (mentioned_fid, ts, hash, fid)
);

-- How many messages stand in each set of each user: what storage limits are compared with.
create table hub.set_counts (
  fid bigint not null,
  set smallint not null,
  count integer not null,
  primary key (fid, set)
) with (fillfactor = 80);

-- Who holds a name now: fname transfers and name proofs that arrive as messages compete here.
create table hub.username_proofs (
  name text primary key,
  fid bigint not null,
  -- UserNameType: 1 fname, 2 ENS, 3 basename.
  type smallint not null,
  -- Unix seconds.
  ts bigint not null,
  -- The encoded protobuf UserNameProof.
  proof bytea not null,
  -- The hash of the message that carried it; null for fname transfers.
  message_hash bytea
);

comment on column hub.username_proofs.fid is
  '0 when the name was released: the row stays, so that an older transfer cannot bring the name back';

create index username_proofs_by_fid on hub.username_proofs (fid);

-- What happened on the chains, as reported; the three tables after it are derived from it.
create table hub.onchain_events (
  fid bigint not null,
  -- OnChainEventType.
  type smallint not null,
  block_number bigint not null,
  log_index integer not null,
  -- Unix seconds.
  block_time bigint not null,
  -- The encoded protobuf OnChainEvent.
  event bytea not null,
  primary key (fid, type, block_number, log_index)
);

create table hub.fids (
  fid bigint primary key,
  shard smallint not null,
  custody_address bytea not null,
  recovery_address bytea not null,
  -- Unix seconds.
  registered_at bigint not null,
  -- When the pro tier ends; 0 if never bought.
  pro_until bigint not null default 0
);

create index fids_by_shard on hub.fids (shard, fid);
create index fids_by_custody on hub.fids (custody_address);

create table hub.signers (
  fid bigint not null,
  key bytea not null,
  key_type integer not null,
  active boolean not null,
  block_number bigint not null,
  log_index integer not null,
  -- The encoded OnChainEvent that added it.
  event bytea not null,
  primary key (fid, key)
);

create table hub.storage_rents (
  fid bigint not null,
  block_number bigint not null,
  log_index integer not null,
  -- 0 legacy, 1 of 2024, 2 of 2025: StorageUnitType.
  unit_type smallint not null,
  units integer not null,
  -- Unix seconds.
  rented_at bigint not null,
  expires_at bigint not null,
  primary key (fid, block_number, log_index)
);

-- Storage units that are lent, one row per standing loan.
create table hub.storage_loans (
  from_fid bigint not null,
  to_fid bigint not null,
  unit_type smallint not null,
  units integer not null,
  primary key (from_fid, to_fid)
);

create index storage_loans_by_borrower on hub.storage_loans (to_fid);

-- Keys that custody addresses granted by KEY_ADD messages, without a transaction on chain.
create table hub.gasless_keys (
  key bytea primary key,
  fid bigint not null,
  -- The app that asked for the key.
  request_fid bigint not null,
  -- The MessageTypes that it may sign.
  scopes smallint[] not null,
  -- How long it lives unused, and when it was last used: seconds, Farcaster seconds.
  ttl_seconds integer not null,
  last_used_at bigint not null
);

create index gasless_keys_by_fid on hub.gasless_keys (fid);

-- The highest nonce that was used: by a user's custody address (kind 1), or by an app (kind 2).
create table hub.key_nonces (
  kind smallint not null,
  fid bigint not null,
  nonce bigint not null,
  primary key (kind, fid)
);

-- The log. Partitions hold a UTC day each and are dropped whole.
create table hub.events (
  day date not null,
  shard smallint not null,
  -- block << 14 | sequence (docs/protocol.md §1.3).
  id bigint not null,
  type smallint not null,
  -- Whom it is about; null for block confirmations.
  fid bigint,
  -- The encoded protobuf HubEvent.
  event bytea not null,
  primary key (shard, id, day)
) partition by range (day);

-- Down Migration

drop schema hub cascade;
