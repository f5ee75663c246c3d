-- Up Migration

create schema sign_in;

-- Nonces that were handed out for Sign-In with Ethereum and are not used yet. Each is good once, for the app that
-- asked for it.
create table sign_in.nonces (
  nonce text primary key,
  app_id uuid not null references apps.apps,
  expires_at timestamptz not null
);

create index nonces_by_end on sign_in.nonces (expires_at);

-- Down Migration

drop schema sign_in cascade;
