-- Frame actions that apps have validated (POST frame/validate), for their analytics. Kept for 30 days.

create schema frames;

create table frames.validations (
  app_id uuid not null references apps.apps,
  -- Of the message: an action that is validated twice counts once.
  hash bytea not null,
  url text not null,
  fid bigint not null,
  cast_fid bigint,
  cast_hash bytea,
  input_text text not null,
  validated_at timestamptz not null,
  primary key (app_id, hash)
);

create index validations_by_url on frames.validations (app_id, url, validated_at);
create index validations_by_age on frames.validations (validated_at);

-- Embedded pages with a frame, for GET feed/frames.
create index urls_with_frame on embeds.urls (url) where metadata ? 'frame';

-- Frames that this server hosts for apps (POST frame).
create table frames.hosted (
  uuid uuid primary key default gen_random_uuid(),
  app_id uuid not null references apps.apps,
  name text not null,
  -- As requests have them; the first page is the one that casts embed.
  pages jsonb not null,
  created_at timestamptz not null default now()
);

create index hosted_by_app on frames.hosted (app_id, created_at, uuid);
