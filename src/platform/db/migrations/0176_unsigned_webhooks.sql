-- Up Migration

-- Deliveries of a webhook wait while no key of the server decrypts its secret: the target has not failed.
alter table webhooks.lanes add column unsigned_since timestamptz;
comment on column webhooks.lanes.unsigned_since is 'Since when no secret of the webhook could be decrypted; null after an attempt';
create index lanes_unsigned on webhooks.lanes (webhook_id) where unsigned_since is not null;
