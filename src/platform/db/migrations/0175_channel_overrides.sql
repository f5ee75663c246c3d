-- Up Migration

-- Members of the channel's document that users or operators have set on this server: scheduled imports leave them
-- (docs/channels.md).
alter table channels.channels add column overridden text[] not null default '{}';
-- By how many the follows and members that were changed on this server differ from the imported numbers.
alter table channels.channels add column local_followers integer not null default 0;
alter table channels.channels add column local_members integer not null default 0;
-- Whether the public client has listed it: an import may give its URLs to another channel of the list.
alter table channels.channels add column is_imported boolean not null default false;

-- Users whose follow or membership was changed on this server, also if it was ended: scheduled imports leave them.
create table channels.user_overrides (
  channel_id text not null references channels.channels on delete cascade,
  kind text not null check (kind in ('follow', 'membership')),
  fid bigint not null,
  primary key (channel_id, kind, fid)
);

-- Only calls of users restrict others and accept invites. Earlier follows and edits cannot be told from imported ones.
insert into channels.user_overrides (channel_id, kind, fid)
select channel_id, 'membership', fid from channels.restricted
union
select i.channel_id, 'membership', i.fid
from channels.invites i
join channels.members m on m.channel_id = i.channel_id and m.fid = i.fid
where i.state = 'accepted';
