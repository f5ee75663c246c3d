-- Up Migration

-- Users that cannot be compared, and names that no chain answers for, go behind the others of their kind instead of being the first
-- again.
drop index sync.fids_queued;
create index fids_queued on sync.fids (queued_at, fid) where reconcile_reason is not null;

drop index hub.username_proofs_to_check;
create index username_proofs_to_check on hub.username_proofs (checked_at nulls first) where message_hash is not null;
