-- Up Migration

-- A pause of the server, or days without an event, are no time in which a target fails.
alter table webhooks.lanes add column failed_at timestamptz;
update webhooks.lanes set failed_at = now() where failing_since is not null;
comment on column webhooks.lanes.failed_at is 'When the last attempt failed; tells how long nothing was attempted';
