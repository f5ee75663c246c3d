-- Up Migration

-- What the keys have left of a rate limit, for all processes together. Worth nothing after a crash: not in the WAL.
create unlogged table app.request_budgets (
  scope text not null,
  -- The API key.
  key bigint not null,
  -- The limit.
  size integer not null,
  -- What was left at this time; below 0 more was used.
  tokens double precision not null,
  at timestamptz not null,
  primary key (scope, key)
);
