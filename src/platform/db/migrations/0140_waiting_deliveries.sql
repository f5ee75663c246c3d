-- Lists of a webhook's waiting deliveries, and their number: the indexes of the queue have conditions on attempts.
create index deliveries_waiting on webhooks.deliveries (webhook_id, seq) where state = 'waiting';
