-- Up Migration

-- Replays, recounts and comparisons with the upstream that were asked of the admin API.
create table app.maintenance_runs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('replay', 'recount', 'reconcile')),
  -- What happens to messages that only this hub has; for reconcile only.
  extra text,
  state text not null default 'waiting'
    check (state in ('waiting', 'running', 'done', 'failed', 'cancelled', 'interrupted')),
  cancel_requested boolean not null default false,
  step text,
  done bigint not null default 0,
  -- Approximate; null where it is not known.
  total bigint,
  -- Lines for the operator.
  report text[] not null default '{}',
  error text,
  requested_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- Renewed while it runs: an old one means that its process died.
  heartbeat_at timestamptz
);
-- One at a time.
create unique index maintenance_runs_open on app.maintenance_runs ((true)) where state in ('waiting', 'running');
