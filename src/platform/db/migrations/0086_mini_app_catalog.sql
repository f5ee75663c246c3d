-- The catalog of mini apps: which domains have one, what their manifests say, and who shared them (docs/miniapps.md).

create table miniapps.manifests (
  domain text collate "C" primary key,
  first_seen timestamptz not null default now(),
  next_read_at timestamptz not null default now(),
  -- Failed reads since the last success, and the reason of the last one.
  failures integer not null default 0,
  failure text,
  -- Null, or empty, until a manifest was read whose signature is of the fid in it.
  read_at timestamptz,
  author_fid bigint,
  -- As replies show it: {account_association, miniapp}.
  manifest jsonb,
  home_url text,
  category text,
  -- Names of the required chains, or their CAIP-2 ids; empty for a mini app that requires none.
  networks text[] not null default '{}',
  words tsvector,
  -- Verified, and without noindex.
  listed boolean not null default false
);

create index manifests_due on miniapps.manifests (next_read_at);
create index manifests_by_words on miniapps.manifests using gin (words) where listed;

-- Casts of the last two weeks that embed a URL of such a domain. Counted by the hour from social.url_embeds.
create table miniapps.shares (
  domain text collate "C" not null,
  hash bytea not null,
  fid bigint not null,
  -- Farcaster seconds.
  ts bigint not null,
  primary key (hash, domain)
);

create index shares_by_time on miniapps.shares (ts);
create index shares_by_user on miniapps.shares (fid, ts);

-- The hours that were counted, in Farcaster hours.
create table miniapps.counted_hours (
  hour integer primary key,
  counted_at timestamptz not null
);

-- How the use of each listed mini app changed within a time window.
create table miniapps.trends (
  time_window text not null,
  domain text collate "C" not null,
  change double precision not null,
  primary key (time_window, domain)
);

create index trends_by_change on miniapps.trends (time_window, change desc, domain);

-- Who has added a mini app lately.
create index tokens_by_time on miniapps.tokens (created_at);
create index host_tokens_by_time on miniapps.host_tokens (created_at);

-- What is known before this version.
insert into miniapps.manifests (domain)
select host from embeds.urls where metadata->'frame' is not null and metadata #>> '{frame,version}' <> 'vNext'
union
select domain from miniapps.host_tokens where state = 'enabled';
