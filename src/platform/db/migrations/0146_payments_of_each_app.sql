-- Up Migration

-- A transfer completes one payment of each app that waits for it: an app that copies the receiver and token of another takes
-- nothing from it. The version before looks for a transfer in all apps before it writes one, and so keeps the wider rule.
create unique index frames_by_transfer on payments.frames (network, transaction_hash, log_index, app_id);
alter table payments.frames drop constraint frames_network_transaction_hash_log_index_key;
