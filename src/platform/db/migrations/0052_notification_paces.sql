-- Up Migration

-- When each token was last used: clients refuse what comes too often. One row for each token that was ever notified.
create table miniapps.paces (
  app_id uuid not null,
  fid bigint not null,
  client_fid bigint not null,
  -- Of the last 24 hours, the newest last; older ones go when the next comes. Attempts that failed are taken out.
  sent_at timestamptz[] not null,
  primary key (app_id, fid, client_fid)
) with (fillfactor = 70);

-- Down Migration

drop table miniapps.paces;
