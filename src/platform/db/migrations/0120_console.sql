-- Up Migration

-- One-time links to the console that wait for their use. The code itself is in the link only.
create table app.console_logins (
  code_hash bytea primary key,
  expires_at timestamptz not null
);

-- Browsers that are signed in to the console. The secret itself is in their cookie only.
create table app.console_sessions (
  id bigint generated always as identity primary key,
  secret_hash bytea not null unique,
  -- 'token' or 'link': with what it was begun.
  origin text not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

-- What was changed through the admin API.
create table app.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- The session, null for the admin token.
  session_id bigint,
  address text not null,
  -- As documented: `PATCH apps/{id}`.
  operation text not null,
  params jsonb not null,
  -- Without secrets; null when there was none, or it was too long.
  body jsonb,
  -- Null while it runs, and when its process died on the way.
  status integer,
  -- The code of the error, if it was refused.
  error text
);
