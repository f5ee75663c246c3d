-- Up Migration

-- The owner of a channel is who has verified the address of its owner.
create index messages_by_verified_address on hub.messages (key) where set = 4;

-- Follows of channels are likes of a token: the targets that begin with 'eip155:' (docs/protocol.md §7.1.7).
create index channel_followers on hub.messages (target, fid)
where target >= '\x0201026569703135353a'::bytea and target < '\x0201026569703135353b'::bytea;

create index channel_follows on hub.messages (fid, target)
where target >= '\x0201026569703135353a'::bytea and target < '\x0201026569703135353b'::bytea;

-- Down Migration

drop index hub.channel_follows;
drop index hub.channel_followers;
drop index hub.messages_by_verified_address;
