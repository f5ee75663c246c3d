-- Up Migration

-- What each process has measured, for all of them together.
create table app.process_measures (
  process_id uuid primary key references app.processes on delete cascade,
  measured_at timestamptz not null default now(),
  -- How many requests of each operation took at most how long.
  operations jsonb not null,
  -- Failures of the last hour.
  errors jsonb not null
);

-- The size of the database, every hour for 90 days.
create table app.database_sizes (
  at timestamptz primary key default now(),
  bytes bigint not null
);
