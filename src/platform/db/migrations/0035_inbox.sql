-- Up Migration

create schema inbox;

-- What a user is told of: a function of the read model, written by a consumer of the log and mended by
-- `plaza inbox rebuild`. Follows (one row per user), likes and recasts (one row per cast) are groups, of which only
-- the newest member stands here: a storm of likes writes one narrow row per batch. The members are in the read model.
create table inbox.notifications (
  -- Who is told.
  fid bigint not null,
  -- 1 follows, 2 likes, 3 recasts, 4 mention, 5 reply, 6 quote: src/features/notifications/kinds.ts.
  kind smallint not null,
  -- The cast that was liked or recast, or that mentions, answers or quotes; empty for follows.
  hash bytea not null,
  -- Of the newest member, in Farcaster seconds, and who it is.
  ts bigint not null,
  actor bigint not null,
  -- The parent URL at the root of the cast's thread.
  root_url text,
  -- Other kinds (bit 1 << kind) for which the same cast is told of to the same user, and which say more.
  outranked_by smallint not null default 0,
  primary key (hash, kind, fid)
) with (fillfactor = 85);

-- A page: each kind from the newest back.
create index notifications_by_time on inbox.notifications (fid, kind, ts desc, hash desc);
create index notifications_by_url on inbox.notifications (fid, root_url, kind, ts desc, hash desc)
  where root_url is not null;
-- Groups whose newest member somebody has blocked or muted stand further back than their row says.
create index groups_by_newest on inbox.notifications (actor, fid) where kind <= 3;

-- Up to when a user has seen a kind.
create table inbox.seen (
  fid bigint not null,
  kind smallint not null,
  -- Farcaster seconds.
  ts bigint not null,
  primary key (fid, kind)
) with (fillfactor = 70);

-- The newest recast of a cast, however many likes are newer.
create index recasts_by_target on social.reactions (target_hash, target_fid, ts desc, fid desc) where type = 2;

-- Down Migration

drop index social.recasts_by_target;
drop schema inbox cascade;
