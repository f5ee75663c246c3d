-- The beginning of the response to the last attempt of a webhook delivery that failed. Null after a success.
alter table webhooks.deliveries add column response text;
