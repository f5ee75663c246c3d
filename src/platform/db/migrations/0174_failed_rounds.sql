-- Up Migration

-- A new cast lets a URL that was given up be crawled again, after a pause that grows with its failures.
alter table embeds.urls add column failed_rounds integer not null default 0;
comment on column embeds.urls.failed_rounds is 'How often it was given up since the last success';
