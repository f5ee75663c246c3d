-- Up Migration

-- What a feed of recasts reads of each user, without visiting the rows.
create index recasts_by_user on social.reactions (fid, ts desc, target_hash desc) include (target_fid) where type = 2;

-- Down Migration

drop index social.recasts_by_user;
