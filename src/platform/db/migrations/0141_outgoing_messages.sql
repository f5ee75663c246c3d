-- Up Migration

-- Messages that clients of this server published and that wait for the upstream, and those that it has refused.
create table hub.outgoing_messages (
  -- Messages of a user are merged under the lock of their shard, so their ids have the order of their merges.
  id bigint generated always as identity primary key,
  fid bigint not null,
  message bytea not null,
  merged_at timestamptz not null default now(),
  -- When the upstream last refused it; null while it waits.
  refused_at timestamptz,
  -- When a refused one is offered again; null for never.
  retry_at timestamptz,
  refusal_code text,
  refusal text
);

create index outgoing_messages_waiting on hub.outgoing_messages (id) where refused_at is null;
create index outgoing_messages_refused on hub.outgoing_messages (refused_at) where refused_at is not null;
create index outgoing_messages_retried on hub.outgoing_messages (retry_at) where retry_at is not null;
