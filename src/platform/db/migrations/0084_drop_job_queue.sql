-- The tables of graphile-worker, which woke the workers of webhooks. The outbox wakes its workers itself.
drop schema if exists graphile_worker cascade;
