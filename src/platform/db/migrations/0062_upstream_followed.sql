-- Up Migration

-- Whom of the network this server follows, where it does not follow everybody. A user who has no row any more is
-- followed no longer: what is here of it stays.
create table upstream.followed (
  fid bigint not null,
  -- asked: by the configuration; channel: has cast in one that is followed; follow: somebody who was asked for follows
  -- it; touch: has reacted or replied to such a one.
  reason text not null check (reason in ('asked', 'channel', 'follow', 'touch')),
  -- Of a follow, who follows; 0 otherwise.
  via bigint not null default 0,
  primary key (fid, reason, via)
);

create index followed_by_via on upstream.followed (via) where via > 0;

-- How far each importer of a public API is.
create table upstream.imports (
  name text primary key,
  -- What the next request begins with.
  cursor text not null,
  imported_at timestamptz not null default now()
);

-- Accounts elsewhere that the public client has verified. What a profile says of itself goes before it.
create table social.verified_accounts (
  fid bigint not null,
  platform text not null check (platform in ('x', 'github')),
  username text not null,
  -- Unix seconds.
  verified_at bigint not null,
  primary key (fid, platform)
);

create index verified_accounts_by_name on social.verified_accounts (lower(username)) where platform = 'x';

-- Down Migration

drop table social.verified_accounts;
drop table upstream.imports;
drop table upstream.followed;
