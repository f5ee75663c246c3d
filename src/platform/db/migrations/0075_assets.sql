-- Up Migration

create schema assets;

-- ERC-20 tokens that are known: those whose owners are kept, and the other tokens of their pools.
create table assets.tokens (
  id integer generated always as identity primary key,
  network text not null,
  address bytea not null,
  name text not null,
  symbol text not null,
  decimals smallint not null,
  logo text,
  -- Why its owners are kept: the operator watches it, or somebody has asked for it. Null: they are not.
  kept_for text check (kept_for in ('operator', 'request')),
  -- Whether a unit is a dollar: what trades are valued by.
  is_dollar boolean not null default false,
  -- Of a unit, by the last trade that had a value; null while there was none.
  price_usd double precision,
  -- How many trades away from a dollar that price is: 0 for a dollar itself. A price is taken from the nearer one.
  price_rank smallint,
  -- The first block that may have transfers; null until it has been looked for.
  first_block bigint,
  -- From this block on, the network's follower counts its transfers; those before are read once. Null: not yet.
  live_from bigint,
  -- The first block before `live_from` that has not been read.
  read_to bigint,
  asked_at timestamptz not null default now(),
  unique (network, address)
);

-- How much each address holds: the sum of all transfers. The zero address, which tokens come from, owes what there is.
create table assets.balances (
  token_id integer not null references assets.tokens on delete cascade,
  holder bytea not null,
  -- Exact, in the token's smallest unit.
  balance numeric(78, 0) not null,
  -- With the balance in it, so that looking thousands of addresses up reads no rows.
  primary key (token_id, holder) include (balance)
);

create index balances_by_size on assets.balances (token_id, balance desc, holder) where balance > 0;

-- What blocks that are not final have changed, so that it can be taken back.
create table assets.changes (
  network text not null,
  block bigint not null,
  token_id integer not null references assets.tokens on delete cascade,
  holder bytea not null,
  amount numeric(78, 0) not null,
  primary key (network, block, token_id, holder)
);

-- Down Migration

drop schema assets cascade;
