-- Up Migration

create schema publish;

-- Requests that may be repeated under the `idem` that the app gave them, so that a repeat publishes nothing new. The
-- message is written down before it is submitted: whoever repeats the request submits the same one.
create table publish.requests (
  app_id uuid not null references apps.apps on delete cascade,
  idem text not null,
  -- SHA-256 of what was asked: another request must not come under the same idem.
  request_hash bytea not null,
  -- The encoded protobuf Message; null where nothing had to be said.
  message bytea,
  -- The hash of a cast: no two requests publish the same one. Null for what replaces something.
  cast_hash bytea unique,
  -- What was answered, JSON.
  answer text not null,
  -- Whether the message is known to have been merged.
  is_done boolean not null,
  created_at timestamptz not null,
  primary key (app_id, idem)
);

create index requests_by_age on publish.requests (created_at);

-- Down Migration

drop schema publish cascade;
