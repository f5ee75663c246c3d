-- Up Migration

-- When a chain last confirmed the owner of a name that a message proves, in Unix seconds; null since its merge never.
alter table hub.username_proofs add column checked_at bigint;

-- Older versions merged names without asking a chain: these are checked once.
alter table hub.username_proofs add column must_check boolean not null default false;
update hub.username_proofs set must_check = true where message_hash is not null;

create index username_proofs_to_check on hub.username_proofs (must_check desc, checked_at nulls first)
where message_hash is not null;

-- Down Migration

drop index hub.username_proofs_to_check;
alter table hub.username_proofs drop column must_check;
alter table hub.username_proofs drop column checked_at;
