-- Up Migration

create schema chain;

-- How far each follower of a chain has come. One process at a time has it, for as long as the lease runs.
create table chain.followers (
  name text primary key,
  chain_id bigint not null,
  -- The first block that has not been handled.
  next_block bigint not null,
  -- The newest block of the chain when it was last looked; null before the first look.
  head bigint,
  leased_by uuid,
  leased_until timestamptz not null default '-infinity'
);

-- What was handled last, by follower: the newest final block, and every block after it that may still be taken back.
create table chain.blocks (
  follower text not null references chain.followers on delete cascade,
  number bigint not null,
  hash bytea not null,
  primary key (follower, number)
);

-- Down Migration

drop schema chain cascade;
