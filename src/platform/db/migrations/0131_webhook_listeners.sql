-- The only worker that sends deliveries of this webhook: a `plaza webhook listen`, which deletes the webhook when it ends.
-- Null: any worker.
alter table webhooks.webhooks add column listener uuid;
create index webhooks_by_listener on webhooks.webhooks (listener) where listener is not null and deleted_at is null;
