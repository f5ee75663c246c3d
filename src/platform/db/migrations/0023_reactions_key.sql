-- Up Migration

-- What a viewer did with the casts of a page is looked up by this key: with the viewer first, its rows stand together,
-- and no look-up reads what others did with a much liked cast. Those are in reactions_by_target.
alter table social.reactions drop constraint reactions_pkey;
alter table social.reactions add primary key (fid, target_hash, target_fid, type);

-- Down Migration

alter table social.reactions drop constraint reactions_pkey;
alter table social.reactions add primary key (target_hash, target_fid, type, fid);
