-- Up Migration

-- Pools whose swaps are trades.
create table assets.pools (
  network text not null,
  address bytea not null,
  token0_id integer not null references assets.tokens,
  token1_id integer not null references assets.tokens,
  primary key (network, address)
);

create index pools_by_token0 on assets.pools (token0_id);
create index pools_by_token1 on assets.pools (token1_id);

create table assets.trades (
  network text not null,
  block bigint not null,
  log_index integer not null,
  -- Unix seconds.
  traded_at bigint not null,
  transaction_hash bytea not null,
  pool bytea not null,
  -- `uniswap` and its version.
  protocol_family text not null,
  protocol_version text not null,
  -- Who has sent the transaction.
  trader bytea not null,
  sold_id integer not null references assets.tokens,
  sold numeric(78, 0) not null,
  bought_id integer not null references assets.tokens,
  bought numeric(78, 0) not null,
  -- Dollars; null where neither token had a price.
  usd double precision,
  -- Whether webhooks have been told: once its block is final.
  told boolean not null default false,
  primary key (network, block, log_index)
);

create index trades_sold on assets.trades (sold_id, block desc, log_index desc);
create index trades_bought on assets.trades (bought_id, block desc, log_index desc);
create index trades_by_time on assets.trades (network, traded_at desc);
create index trades_untold on assets.trades (network, block) where not told;

-- Down Migration

drop table assets.trades;
drop table assets.pools;
