-- Up Migration

create schema topics;

-- The topics of the latest run.
create table topics.topics (
  slug text primary key,
  name text not null,
  score double precision not null,
  top_level_topic text not null,
  summary text,
  author_fids bigint[] not null
);
create index topics_by_score on topics.topics (score desc, slug);

create table topics.casts (
  slug text not null references topics.topics on delete cascade,
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  primary key (slug, ts, hash)
);

-- What a language model has written about topics, so that it is not asked at every run.
create table topics.descriptions (
  slug text primary key,
  name text not null,
  top_level_topic text,
  summary text not null,
  described_at bigint not null
);

create schema ai;

-- Requests to the AI endpoint by UTC day, of all processes.
create table ai.usage (
  day date primary key,
  requests integer not null
);

-- Down Migration

drop schema ai cascade;
drop schema topics cascade;
