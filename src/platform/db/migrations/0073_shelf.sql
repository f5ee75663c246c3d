-- Up Migration

-- Fids that are registered before anybody asks for one, each for an address of its own whose key is here: an address
-- holds one fid. Ordered (no fid) → on the shelf → held (until a moment) → used.
create table accounts.shelf (
  id uuid primary key,
  network text not null,
  -- On whose account it is registered.
  paid_by uuid not null references accounts.wallets,
  custody_address bytea not null,
  -- The private key of that address, sealed; null once the fid is its user's.
  sealed_key bytea,
  ordered_at timestamptz not null,
  -- An order is not tried again before.
  next_attempt_at timestamptz not null,
  failures integer not null default 0,
  fid bigint unique,
  -- For whom it is held, or was held last, and until when.
  held_by uuid references accounts.wallets,
  held_until timestamptz,
  -- When its registration was taken on.
  used_at timestamptz
);

create index shelf_free on accounts.shelf (network, fid) where fid is not null and used_at is null;
create index shelf_held on accounts.shelf (held_by, held_until) where used_at is null;
create index shelf_ordered on accounts.shelf (paid_by, ordered_at) where fid is null;

-- Down Migration

drop table accounts.shelf;
