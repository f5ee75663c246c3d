-- Up Migration

create schema miniapps;

-- Permissions to notify: what each client app has last granted to a mini app for a user. A token that has ended stays
-- here until another one takes its place; no row is removed.
create table miniapps.tokens (
  app_id uuid not null references apps.apps,
  fid bigint not null,
  -- The client app: who asked for the key that signed the event (requestFid); 0 where an address signed.
  client_fid bigint not null,
  -- Where the client takes notifications, and by which token.
  url text not null,
  token text not null,
  -- enabled; disabled: the user has switched notifications off; invalid: the user has removed the mini app, or the
  -- client has said that the token is not good. A token never goes back to a state that stands further left.
  state text not null default 'enabled' check (state in ('enabled', 'disabled', 'invalid')),
  -- When this token was granted, and when its state was last changed.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When the last event of this user and client came that changed something.
  last_event_at timestamptz not null default now(),
  primary key (app_id, fid, client_fid)
);

-- Who can be notified, in the order of pages.
create index tokens_enabled on miniapps.tokens (app_id, fid, client_fid) where state = 'enabled';
-- What clients answer speaks of tokens.
create index tokens_by_token on miniapps.tokens (app_id, token);

-- Tokens that another one has replaced. Events bear no time, so that an old one that comes again is known by its token:
-- each is granted once.
create table miniapps.past_tokens (
  app_id uuid not null,
  fid bigint not null,
  client_fid bigint not null,
  -- SHA-256 of the token.
  digest bytea not null,
  replaced_at timestamptz not null default now(),
  primary key (app_id, fid, client_fid, digest),
  foreign key (app_id, fid, client_fid) references miniapps.tokens
);

-- The other side: tokens that an app gives out as a client that opens mini apps of others.
create table miniapps.host_tokens (
  token text primary key,
  -- The app that opens mini apps.
  app_id uuid not null references apps.apps,
  fid bigint not null,
  -- Of the mini app.
  domain text not null,
  -- offered: made, and not yet told to the mini app; enabled: the mini app has it; disabled: ended for good.
  state text not null default 'offered' check (state in ('offered', 'enabled', 'disabled')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index host_tokens_enabled on miniapps.host_tokens (app_id, fid, domain) where state = 'enabled';
create index host_tokens_by_user on miniapps.host_tokens (app_id, fid, domain, updated_at);
create index host_tokens_unused on miniapps.host_tokens (updated_at) where state <> 'enabled';

-- Notifications that mini apps have sent to users of such apps, to be shown to them.
create table miniapps.host_notifications (
  id bigint generated always as identity primary key,
  app_id uuid not null references apps.apps,
  fid bigint not null,
  domain text not null,
  token text not null references miniapps.host_tokens,
  -- The mini app's: one that comes again is dropped.
  notification_id text not null,
  title text not null,
  body text not null,
  target_url text not null,
  created_at timestamptz not null default now(),
  unique (app_id, fid, domain, notification_id)
);

create index host_notifications_by_user on miniapps.host_notifications (app_id, fid, id);
create index host_notifications_by_token on miniapps.host_notifications (token, created_at);
create index host_notifications_by_age on miniapps.host_notifications (created_at);

-- Down Migration

drop schema miniapps cascade;
