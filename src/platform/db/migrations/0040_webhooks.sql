-- Up Migration

create schema webhooks;

-- Counts changes of subscriptions. Whoever changes one holds this row until the commit, so that changes become
-- visible in the order of their numbers and a reader that has seen one has seen all before it.
create table webhooks.revision (
  one boolean primary key default true check (one),
  revision bigint not null default 0
);

insert into webhooks.revision default values;

create table webhooks.webhooks (
  id uuid primary key default gen_random_uuid(),
  app_id uuid not null references apps.apps,
  title text not null,
  target_url text not null,
  active boolean not null default true,
  -- Why the server has switched it off; null while it is on, and when its owner has.
  off_reason text,
  http_timeout_ms integer not null,
  rate_limit integer not null,
  rate_limit_ms integer not null,
  -- Filters by kind of event, as they were given; null for a webhook that only gets tests.
  filters jsonb,
  -- SHA-256 of target and filters, however both are spelled: what is alike in it is the same subscription.
  digest bytea,
  subscription_id uuid not null default gen_random_uuid(),
  subscribed_at timestamptz not null default now(),
  subscription_updated_at timestamptz not null default now(),
  -- Of webhooks.revision, when it was last changed in a way that matters to matching.
  revision bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

create index webhooks_by_app on webhooks.webhooks (app_id, created_at) where deleted_at is null;
create index webhooks_by_revision on webhooks.webhooks (revision);
create unique index webhooks_alike on webhooks.webhooks (app_id, digest) where deleted_at is null;

create table webhooks.secrets (
  uid uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks.webhooks,
  -- By the vault.
  sealed bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- It signs until then; null without end.
  expires_at timestamptz
);

create index secrets_by_webhook on webhooks.secrets (webhook_id, created_at);

-- What has happened that some webhook is told of.
create table webhooks.events (
  -- `<shard>-<event id of the log>`, with `-<n>` behind it for what is not the first that one entry of the log says.
  id text primary key,
  kind text not null,
  -- In the protocol, and when the server merged it or noticed it.
  happened_at timestamptz not null,
  noticed_at timestamptz not null,
  -- What `data` is made from.
  subject jsonb not null,
  -- The member `data` of the bodies, as JSON text: made by the first delivery, and the same for all.
  data text,
  created_at timestamptz not null default now()
);

create index events_by_age on webhooks.events (created_at);

-- The queue: one row per event and webhook.
create table webhooks.deliveries (
  id uuid primary key,
  -- Deliveries of one webhook start in this order.
  seq bigint generated always as identity,
  webhook_id uuid not null references webhooks.webhooks,
  event_id text not null references webhooks.events,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'delivered', 'failed', 'canceled')),
  -- Whose attempt is under way.
  worker uuid,
  attempts integer not null default 0,
  -- Of those, the ones before it was last sent anew.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  -- Of the last attempt: HTTP status, how long it took, and why it failed.
  status integer,
  latency_ms integer,
  failure text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);

create index deliveries_new on webhooks.deliveries (webhook_id, seq) where state = 'waiting' and attempts = 0;
create index deliveries_due on webhooks.deliveries (webhook_id, next_attempt_at, seq)
  where state = 'waiting' and attempts > 0;
create index deliveries_sending on webhooks.deliveries (worker) where state = 'sending';
create index deliveries_by_webhook on webhooks.deliveries (webhook_id, seq);
create index deliveries_lost on webhooks.deliveries (webhook_id, seq) where state in ('failed', 'canceled');
-- An entry of the log that is read again makes no second delivery.
create unique index deliveries_once on webhooks.deliveries (event_id, webhook_id);
create index deliveries_finished on webhooks.deliveries (finished_at) where finished_at is not null;

-- What is known of a webhook's target, and who is at it. One worker at a time sends to a webhook.
create table webhooks.lanes (
  webhook_id uuid primary key references webhooks.webhooks,
  worker uuid,
  -- Attempts that may be made at once, as of `counted_at`: a bucket that fills up evenly.
  allowance double precision not null,
  counted_at timestamptz not null default now(),
  -- The target asked to be left alone until then.
  held_until timestamptz,
  -- When the first attempt failed after which none has succeeded.
  failing_since timestamptz,
  failures integer not null default 0
);

create index lanes_by_worker on webhooks.lanes (worker) where worker is not null;

-- Processes that send. One that has not said for a while that it lives is dead, and what it holds is free.
create table webhooks.workers (
  id uuid primary key,
  alive_until timestamptz not null
);

-- The follows that a compact state has ended, by its place in the log, which does not tell them: kept until the
-- consumer has read it.
create table webhooks.compacted_follows (
  shard smallint not null,
  event_id bigint not null,
  target_fids bigint[] not null,
  created_at timestamptz not null default now(),
  primary key (shard, event_id)
);

-- Down Migration

drop schema webhooks cascade;
