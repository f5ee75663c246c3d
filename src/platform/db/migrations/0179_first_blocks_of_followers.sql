-- Up Migration

-- CHAIN_FIRST_BLOCK may be lowered later: what is below was never read.
alter table chain.followers add column first_block bigint;
comment on column chain.followers.first_block is 'CHAIN_FIRST_BLOCK, or its default, when it began or began anew; null where this has no effect';
