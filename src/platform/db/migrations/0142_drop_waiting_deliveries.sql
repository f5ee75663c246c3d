-- Up Migration

-- Claims used this index instead of the one of new deliveries, and it cost a third of the deliveries per second
-- (npm run bench:webhooks: 1,340 with it, 1,980 without).
drop index webhooks.deliveries_waiting;
