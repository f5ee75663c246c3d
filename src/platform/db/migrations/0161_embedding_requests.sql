-- Up Migration

-- The embedding job has a share of the requests of a day, whatever process it runs in and however often that restarts.
alter table ai.usage add column embedding_requests integer not null default 0;
comment on column ai.usage.embedding_requests is 'Requests of the embedding job';
