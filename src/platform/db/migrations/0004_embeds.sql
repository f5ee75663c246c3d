-- Up Migration

create schema embeds;

-- Each URL that a cast embeds, and what was found behind it.
create table embeds.urls (
  url text primary key,
  -- Its name or address, in lower case. One request at a time goes to each.
  host text collate "C" not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
  -- Since the last success. Counted when an attempt begins, so that one that ends the process counts too.
  attempts integer not null default 0,
  -- When the next attempt is due. While one is under way: when its lease ends, and it is due for others.
  next_attempt_at timestamptz not null default now(),
  -- Whose attempt is under way. Only who holds it may say how the attempt ended.
  lease uuid,
  -- src/graph/project/embed-kind.ts. By the URL's ending until it is crawled; null while nothing is known.
  kind text,
  -- EmbedUrlMetadata; null before the first attempt that ended.
  metadata jsonb,
  -- Why the last attempt found nothing.
  failure text,
  crawled_at timestamptz,
  first_seen timestamptz not null default now()
);

-- From host to host, and in each the latest that is due.
create index urls_waiting on embeds.urls (host, next_attempt_at) where state = 'pending';
-- Whether anything is due at all.
create index urls_due on embeds.urls (next_attempt_at) where state = 'pending';
-- Which hosts are being visited.
create index urls_leased on embeds.urls (host, next_attempt_at) where lease is not null;
