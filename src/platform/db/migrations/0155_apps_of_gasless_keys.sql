-- Up Migration

-- The apps of the gasless keys that there are (docs/protocol.md §4.6), a row each. From now on the projection writes them. A key that
-- the registry has, too, keeps the app that the registry names.
insert into social.signer_apps (fid, key, app_fid)
select g.fid, g.key, g.request_fid
from hub.gasless_keys g
where not exists (select from hub.signers s where s.fid = g.fid and s.key = g.key)
on conflict do nothing;
