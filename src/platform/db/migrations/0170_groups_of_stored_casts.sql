-- Up Migration

-- Likes and recasts of casts that are not stored have no group in the inbox any more: each page of notifications read all of them.
delete from inbox.notifications n
where n.kind in (2, 3) and not exists (select from social.casts c where c.hash = n.hash and c.fid = n.fid);
