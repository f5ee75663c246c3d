-- Up Migration

-- The filter of an audience is read only while its campaign is queued, also by processes of the version before. Those that ended
-- are cleared, the largest first; small ones cost nothing beside their row. At most 10,000 of up to a megabyte (270 of 0.7 MB took 0.3
-- s), and without waiting for a row that somebody writes. The lock of 0153 comes after it.
update miniapps.campaigns
set audience = '{}'
where id in (
  select id
  from miniapps.campaigns
  where state in ('completed', 'failed', 'canceled') and open_batches = 0 and pg_column_size(audience) > 1000
  order by pg_column_size(audience) desc
  limit 10000
  for no key update skip locked
);
comment on column miniapps.campaigns.audience is
  'The filter of src/features/miniapps/campaigns/audience/audience.ts while the campaign is queued; {} from then on';
