-- Up Migration

-- The last trade with a value may be one whose other token it priced.
alter table tokens.tokens add column priced_at bigint;
comment on column tokens.tokens.priced_at is 'Time of the trade that set the price, in Unix seconds';
update tokens.tokens t
set priced_at = greatest(
  (
    select traded_at from tokens.trades where sold_id = t.id and usd is not null
    order by block desc, log_index desc limit 1
  ),
  (
    select traded_at from tokens.trades where bought_id = t.id and usd is not null
    order by block desc, log_index desc limit 1
  )
)
where price_usd is not null and not is_dollar;
