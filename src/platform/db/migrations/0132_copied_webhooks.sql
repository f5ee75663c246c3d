-- The webhook_id at the service from which `plaza migrate webhooks` has copied it. Null: it was made here.
alter table webhooks.webhooks add column copied_from text;
create unique index webhooks_by_source on webhooks.webhooks (app_id, copied_from) where copied_from is not null and deleted_at is null;
