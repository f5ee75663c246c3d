-- Up Migration

-- What is known of each user of the upstream: whether all of it was taken over, and when it was compared.
create table upstream.fids (
  fid bigint primary key,
  -- Null while everything of the user is still to be fetched.
  backfilled_at timestamptz,
  -- When what is here was last compared with the upstream.
  compared_at timestamptz,
  -- Why it should be compared soon; null when nothing is known to be wrong.
  suspect text,
  -- When it was last suspected: a comparison that began before does not clear it.
  suspected_at timestamptz
) with (fillfactor = 80);

create index fids_to_fetch on upstream.fids (fid) where backfilled_at is null;
create index fids_suspect on upstream.fids (fid) where suspect is not null;
create index fids_by_comparison on upstream.fids (compared_at nulls first, fid);

-- Down Migration

drop table upstream.fids;
