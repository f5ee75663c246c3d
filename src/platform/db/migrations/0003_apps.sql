-- Up Migration

create schema apps;

-- Who uses the API.
create table apps.apps (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default now()
);

create table apps.api_keys (
  id integer generated always as identity primary key,
  app_id uuid not null references apps.apps,
  -- SHA-256 of the key, which itself is stored nowhere. A key is 256 random bits, so no salt is needed.
  hash bytea not null unique,
  -- How the key begins, to tell keys apart by.
  prefix text not null,
  -- Requests per minute; null is the server's default, 0 is no limit.
  rate_limit integer,
  created_at timestamptz not null default now(),
  -- To the minute: it is written down now and again, not with each request.
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index api_keys_by_app on apps.api_keys (app_id);

-- Down Migration

drop schema apps cascade;
