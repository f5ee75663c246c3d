-- Up Migration

-- The lead owns the channel: what it is stands in channels.channels alone.
delete from channels.members m
using channels.channels c
where c.id = m.channel_id and c.lead_fid = m.fid;

-- Roles are read from channels.members. Imports that named moderators and listed no members left no rows there.
insert into channels.members (channel_id, fid, role, member_since)
select c.id, moderator.fid, 'moderator', c.created_at
from channels.channels c
cross join lateral (select distinct fid from unnest(c.moderator_fids) as named (fid)) moderator
where moderator.fid <> c.lead_fid
on conflict (channel_id, fid) do update set role = 'moderator';

update channels.channels c
set moderator_fids = array(
  select m.fid from channels.members m
  where m.channel_id = c.id and m.role = 'moderator'
  order by m.member_since, m.fid
);

-- The last invite of a user to a channel. One key is what makes it one: there is no second that could be open.
create table channels.invites (
  channel_id text not null references channels.channels on delete cascade,
  fid bigint not null,
  role text not null check (role in ('member', 'moderator')),
  inviter_fid bigint not null,
  state text not null check (state in ('invited', 'accepted', 'rejected', 'withdrawn')),
  -- Unix seconds.
  invited_at bigint not null,
  -- When it ceased to be open; null while it is. Unix seconds.
  ended_at bigint,
  primary key (channel_id, fid),
  check ((state = 'invited') = (ended_at is null))
);

create index invites_by_channel on channels.invites (channel_id, invited_at desc, fid desc) where state = 'invited';
create index moderator_invites on channels.invites (channel_id) where state = 'invited' and role = 'moderator';
create index invites_by_user on channels.invites (fid, invited_at desc, channel_id desc) where state = 'invited';

-- Who was removed: a link does not let them in again, only a new invite does.
create table channels.restricted (
  channel_id text not null references channels.channels on delete cascade,
  fid bigint not null,
  -- Unix seconds.
  restricted_at bigint not null,
  primary key (channel_id, fid)
);

-- How often a user has called for changes of a channel's membership in the hour that began with the first call.
create table channels.membership_calls (
  channel_id text not null references channels.channels on delete cascade,
  fid bigint not null,
  -- Unix seconds.
  hour_began_at bigint not null,
  calls integer not null,
  primary key (channel_id, fid)
) with (fillfactor = 80);

-- The lists go from the newest back; the lead is found by the channel.
create index members_by_time on channels.members (channel_id, member_since desc, fid desc);
create index members_by_user_time on channels.members (fid, member_since desc, channel_id desc);
create index moderators_by_channel on channels.members (channel_id) where role = 'moderator';
create index channels_by_lead on channels.channels (lead_fid, created_at desc, id desc);
drop index channels.members_by_user;

-- Down Migration

create index members_by_user on channels.members (fid, channel_id);
drop index channels.channels_by_lead;
drop index channels.moderators_by_channel;
drop index channels.members_by_user_time;
drop index channels.members_by_time;
drop table channels.membership_calls;
drop table channels.restricted;
drop table channels.invites;
