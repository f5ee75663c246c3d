-- Up Migration

-- The days that have ended are deleted a batch at a time. A new entry goes to the end of this index.
create index pruned_messages_by_day on hub.pruned_messages (day);
