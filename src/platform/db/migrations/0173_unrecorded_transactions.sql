-- Up Migration

-- Transactions in blocks that a wallet's key has signed and accounts.transactions lacks: sent elsewhere with the key, or lost by a
-- fail-over of the database. A purchase that is repeated finds its own here.
create table accounts.unrecorded_transactions (
  wallet_id uuid not null references accounts.wallets,
  nonce bigint not null,
  -- Of its purpose, if this server has signed it.
  gas_tag smallint not null,
  hash bytea not null,
  raw bytea not null,
  found_at timestamp with time zone not null default now(),
  primary key (wallet_id, nonce)
);
