-- Up Migration

-- Casts below a URL in a day, copied from social.url_activity for days that are over: a ranking of 30 days reads 24 times
-- fewer rows. `day` is the hour divided by 24.
create table channels.daily_activity (
  day integer not null,
  url text not null,
  casts integer not null,
  primary key (day, url)
);
-- The days that are copied, both inclusive; no row for none.
create table channels.daily_activity_range (
  is_only boolean primary key default true check (is_only),
  first_day integer not null,
  last_day integer not null
);

-- The casts of an author with thousands of casts that had the most reactions and replies when all were ranked.
create table search.popular_casts (
  fid bigint not null,
  hash bytea not null,
  primary key (fid, hash)
);
create table search.popular_cast_runs (
  fid bigint primary key,
  ranked_at timestamptz not null
);

-- Casts whose parent is missing, and below which a long thread has not been moved to the missing cast yet.
create table social.waiting_threads (
  hash bytea primary key,
  fid bigint not null,
  waiting_since timestamptz not null default now()
);
