-- Up Migration

-- Readers of one user's events want those that take something from the user, too: a name, or the slot of a channel.
alter table hub.events add column former_fid bigint;
comment on column hub.events.former_fid is 'Who held what the event gives to another user; null if nobody did, and where an earlier version wrote it';
