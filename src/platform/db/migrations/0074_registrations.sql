-- Up Migration

-- Accounts on their way from the shelf to their users, and those that have arrived. Each step is done once however
-- often it is begun, so that anybody may go on where another has ended.
create table accounts.registrations (
  id uuid primary key,
  fid bigint not null,
  shelf_id uuid not null references accounts.shelf,
  wallet_id uuid not null references accounts.wallets,
  app_id uuid not null references apps.apps,
  -- SHA-256 of what was asked: the same request again goes on with this one.
  digest bytea not null,
  -- The user's address, and its signature for the transfer to it.
  custody_address bytea not null,
  signature bytea not null,
  -- Unix seconds.
  deadline bigint not null,
  -- The name, in small letters; nobody else gets it while this is under way.
  fname text,
  -- The signer that the account gets, and its key as the key registry takes it: null metadata is our own request.
  signer_id uuid,
  signer_key bytea,
  signer_metadata bytea,
  -- What the profile is to say: null is nothing.
  profile jsonb,
  step text not null default 'accepted'
    check (step in ('accepted', 'keyed', 'transferred', 'named', 'done', 'undoing', 'undone')),
  -- What could not be done, for whoever asks.
  problems text[] not null default '{}',
  -- The code of the error that undid it.
  undone_by text,
  -- The process that works on it: the one that holds the advisory lock of this name.
  worker uuid,
  accepted_at timestamptz not null,
  attempted_at timestamptz not null,
  finished_at timestamptz
);

create unique index registrations_by_fid on accounts.registrations (fid) where step <> 'undone';
create unique index registrations_by_fname on accounts.registrations (fname)
  where fname is not null and step not in ('done', 'undone');
create index registrations_open on accounts.registrations (attempted_at) where step not in ('done', 'undone');

-- Accounts that developers register with keys of their own: a list of purchases, made in their order.
create table accounts.direct_registrations (
  id uuid primary key,
  app_id uuid not null references apps.apps,
  wallet_id uuid not null references accounts.wallets,
  -- What the app calls the request, or else a digest of it.
  name text not null,
  -- SHA-256 of what was asked.
  digest bytea not null,
  -- The calls, as JSON with bytes in hex.
  calls jsonb not null,
  -- How many of them are done with.
  done integer not null default 0,
  fid bigint,
  -- Of the transaction that has registered the fid, 32 bytes.
  hash bytea,
  -- What could not be done, for whoever asks.
  problems text[] not null default '{}',
  attempted_at timestamptz not null,
  finished_at timestamptz,
  unique (app_id, name)
);

create index direct_registrations_open on accounts.direct_registrations (attempted_at) where finished_at is null;

-- Down Migration

drop table accounts.direct_registrations;
drop table accounts.registrations;
