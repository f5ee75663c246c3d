-- Up Migration

-- Trades of dust set prices until now, some of them absurd, and a price gives way only to one from a token that is nearer to a dollar.
-- What no trade of a dollar and 100 smallest units on both sides can have priced at its rank is priced anew by the next one.
with sides as (
  select sold_id as id, bought_id as other_id from tokens.trades where usd >= 1 and sold >= 100 and bought >= 100
  union
  select bought_id, sold_id from tokens.trades where usd >= 1 and sold >= 100 and bought >= 100
)
update tokens.tokens t
set price_usd = null, price_rank = null, priced_at = null
where not t.is_dollar and t.price_rank is not null
  and not exists (
    select from sides s
    join tokens.tokens other on other.id = s.other_id
    where s.id = t.id and other.price_rank < t.price_rank
  );
