-- Up Migration

create schema accounts;

-- Wallets that pay for accounts of users. Each belongs to an app, whose API keys may spend from it.
create table accounts.wallets (
  id uuid primary key default gen_random_uuid(),
  app_id uuid not null references apps.apps,
  -- Where its money is: `local`, or a chain as `eip155:10`.
  network text not null,
  -- 20 bytes.
  address bytea not null,
  -- The private key, sealed by the vault.
  sealed_key bytea not null,
  -- Of its next transaction. Whoever makes one holds this row until it is recorded.
  next_nonce bigint not null default 0,
  -- On the local network: what it has, in wei. Null on a chain, which knows it.
  balance numeric(78, 0) check (balance >= 0),
  -- How many fids are to be ready on the shelf on its account.
  shelf_size integer not null check (shelf_size between 0 and 1000),
  -- Fids that were ordered on its account, and those of them and of others' that its users have got.
  fids_ordered bigint not null default 0,
  fids_used bigint not null default 0,
  created_at timestamptz not null default now(),
  unique (network, address)
);

create index wallets_by_app on accounts.wallets (app_id, created_at);

-- What wallets pay for. A transaction is recorded, signed, before anybody is sent it: whatever ends in between, the
-- very same one is sent again.
create table accounts.transactions (
  id bigint generated always as identity primary key,
  wallet_id uuid not null references accounts.wallets,
  -- What it is for. Nothing is paid for twice: see the index.
  purpose text not null,
  -- What was asked for, where a client has named the purpose: the same name for something else is refused.
  asked text,
  nonce bigint not null,
  state text not null default 'recorded' check (state in ('recorded', 'confirmed', 'reverted')),
  -- The most that it can take from the wallet, and what it has taken: value and fees, in wei.
  max_cost numeric(78, 0) not null,
  cost numeric(78, 0),
  -- On the local network: the encoded on-chain events that it causes.
  events bytea[],
  -- Of the one that counts, 32 bytes; the fid that it has registered; why it was reverted.
  hash bytea,
  fid bigint,
  failure text,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  unique (wallet_id, nonce)
);

create unique index transactions_by_purpose on accounts.transactions (purpose) where state <> 'reverted';
create index transactions_open on accounts.transactions (wallet_id, nonce) where state = 'recorded';

-- What was signed for a transaction on a chain: all have its nonce, so that one of them counts. A later one offers
-- more for being taken.
create table accounts.attempts (
  transaction_id bigint not null references accounts.transactions,
  attempt integer not null,
  hash bytea not null,
  -- As it is sent.
  raw bytea not null,
  signed_at timestamptz not null,
  primary key (transaction_id, attempt)
);

-- The nonces of what addresses have signed for the contracts of the local network.
create table accounts.local_nonces (
  contract text not null,
  address bytea not null,
  nonce bigint not null,
  primary key (contract, address)
);

-- Down Migration

drop schema accounts cascade;
