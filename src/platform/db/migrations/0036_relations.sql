-- Up Migration

-- Whom an app shows to nobody.
create table relations.bans (
  app_id uuid not null references apps.apps on delete cascade,
  fid bigint not null,
  -- Unix seconds.
  banned_at bigint not null,
  primary key (app_id, fid)
);

-- The lists go from the newest back.
create index bans_by_time on relations.bans (app_id, banned_at desc, fid desc);
create index mutes_by_time on relations.mutes (fid, muted_at desc, target_fid desc);
create index blocks_by_time on social.blocks (fid, ts desc, target_fid desc);
create index blocks_by_target_time on social.blocks (target_fid, ts desc, fid desc);

-- Down Migration

drop index social.blocks_by_target_time;
drop index social.blocks_by_time;
drop index relations.mutes_by_time;
drop table relations.bans;
