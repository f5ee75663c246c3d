-- Up Migration

-- The owner of a channel is who has verified the address of its owner.
create index messages_by_verified_address on hub.messages (key) where set = 4;

-- Down Migration

drop index hub.messages_by_verified_address;
