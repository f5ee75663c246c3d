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

-- Down Migration

drop table upstream.imports;
drop table upstream.followed;
