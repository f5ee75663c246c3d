-- Up Migration

-- URLs that only crawls on demand have named, so that they can be deleted. Of those that are there it is not known.
alter table embeds.urls add column requested_at timestamptz;
comment on column embeds.urls.requested_at is
  'The last crawl on demand, of a URL that no cast and no manifest has named';
create index urls_requested on embeds.urls (requested_at) where requested_at is not null;
