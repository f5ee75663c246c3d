-- Up Migration

-- A token may have millions of holders, whom a request cannot count.
alter table tokens.tokens add column holder_count integer;
comment on column tokens.tokens.holder_count is 'Holders at the last count';
