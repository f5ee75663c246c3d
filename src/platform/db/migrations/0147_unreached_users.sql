-- Up Migration

-- The users of a batch whom it has not reached and will not reach: a reply lists them. A process of the version before leaves it empty.
alter table miniapps.batches add column unreached_fids bigint[] not null default '{}';
