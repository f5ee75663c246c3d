-- Up Migration

create schema payments;

-- Payments that apps have requested with `frame/transaction/pay`.
create table payments.frames (
  id uuid primary key,
  -- Order of creation: a follower finds out by it whether its filter was complete.
  seq bigint generated always as identity unique,
  app_id uuid not null references apps.apps,
  -- Idempotency key of the app and the request that it stands for.
  idem text,
  request_key text not null,
  -- Line items, button and allowlist, as requested.
  config jsonb not null,
  network text not null,
  token bytea not null,
  receiver bytea not null,
  -- As requested, in units, and in the smallest unit of the token.
  amount double precision not null,
  amount_raw numeric(78, 0) not null check (amount_raw > 0),
  symbol text not null,
  -- Users whose payments count; empty for everybody.
  allowlist_fids bigint[] not null,
  -- Transfers of earlier blocks do not count.
  from_block bigint not null,
  created_at timestamptz not null,
  -- Not followed afterwards.
  expires_at timestamptz not null,
  -- The transfer that has completed it.
  completed_at timestamptz,
  block bigint,
  transaction_hash bytea,
  log_index integer,
  unique (app_id, idem),
  unique (network, transaction_hash, log_index)
);

create index frames_open on payments.frames (network, expires_at, seq) where completed_at is null;
create index frames_by_app on payments.frames (app_id, created_at);
create index frames_by_block on payments.frames (network, block) where completed_at is not null;

create schema nfts;

-- Collections that wallets of apps have deployed.
create table nfts.collections (
  network text not null,
  address bytea not null,
  wallet_id uuid not null references accounts.wallets,
  -- The document of the collection.
  metadata jsonb not null,
  created_at timestamptz not null default now(),
  primary key (network, address)
);

-- Metadata of tokens, by the owners of their contracts.
create table nfts.token_metadata (
  network text not null,
  contract bytea not null,
  token_id numeric(78, 0) not null,
  metadata jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (network, contract, token_id)
);

-- Down Migration

drop schema nfts cascade;
drop schema payments cascade;
