-- Which processes live, and what each of them does (src/app/processes.ts).
create schema app;

create table app.processes (
  id uuid primary key,
  roles text[] not null,
  version text not null,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  alive_until timestamptz not null
);
