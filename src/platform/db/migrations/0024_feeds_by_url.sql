-- Up Migration

-- With the author, so that a feed is read without visiting the casts also where authors are left out.
drop index social.casts_by_parent_url;
create index casts_by_parent_url on social.casts (parent_url, ts desc, hash desc) include (fid)
where parent_url is not null;
drop index social.casts_by_root_url;
create index casts_by_root_url on social.casts (root_parent_url, ts desc, hash desc) include (fid)
where root_parent_url is not null;

-- Down Migration

drop index social.casts_by_root_url;
create index casts_by_root_url on social.casts (root_parent_url, ts desc, hash desc)
where root_parent_url is not null;
drop index social.casts_by_parent_url;
create index casts_by_parent_url on social.casts (parent_url, ts desc, hash desc)
where parent_url is not null;
