-- Up Migration

-- The scheduled jobs of each process, and their last runs.
create table app.job_runs (
  process_id uuid not null references app.processes (id) on delete cascade,
  name text not null,
  every_ms bigint not null,
  -- Whether every process runs it; otherwise the one with its lock does.
  per_process boolean not null,
  runs bigint not null,
  failures bigint not null,
  started_at timestamptz not null,
  -- Null while its first run goes on.
  duration_ms double precision,
  next_at timestamptz,
  -- Of the last run that failed.
  error text,
  failed_at timestamptz,
  primary key (process_id, name)
);
