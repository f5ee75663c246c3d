-- Up Migration

-- A request to notify users of a mini app, and what has come of it so far.
create table miniapps.campaigns (
  id uuid primary key default gen_random_uuid(),
  -- The order in which they were asked for.
  seq bigint generated always as identity,
  app_id uuid not null references apps.apps,
  -- The idempotency key, where one was given: whom one campaign with it has reached no other one tells again.
  uuid uuid,
  title text not null,
  body text not null,
  target_url text not null,
  -- Whom it is for, as it was asked: src/features/miniapps/campaigns/audience/audience.ts.
  audience jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'failed', 'canceled')),
  -- Null for one that is sent within its request.
  queued_at timestamptz,
  -- How often its audience could not be selected.
  failures smallint not null default 0,
  -- Tokens of the audience and the clients that they belong to, once it has been selected.
  audience_size integer not null default 0,
  client_fids bigint[] not null default '{}',
  -- Batches that have not ended. The last one to end completes the campaign.
  open_batches integer not null default 0,
  created_at timestamptz not null default now(),
  completed_at timestamptz
);

create index campaigns_by_app on miniapps.campaigns (app_id, seq);
create index campaigns_by_uuid on miniapps.campaigns (app_id, uuid) where uuid is not null;
create index campaigns_queued on miniapps.campaigns (seq) where state = 'queued';
create index campaigns_to_clear on miniapps.campaigns (id) where state = 'canceled' and open_batches > 0;

-- The queue: up to 100 users of one client, who are told in one request.
create table miniapps.batches (
  id bigint generated always as identity primary key,
  campaign_id uuid not null references miniapps.campaigns,
  campaign_seq bigint not null,
  app_id uuid not null,
  client_fid bigint not null,
  -- Host and port of the client's URL. Batches of a host go by their turns: the first of a small campaign is sent
  -- before the second of a large one.
  host text not null,
  turn integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'ended')),
  -- Who sends it.
  sender uuid,
  -- Whom it has told, or may still tell: all at first, in the end those whom it has reached.
  fids bigint[] not null,
  -- Whom it has not reached, and may another time.
  retryable_fids bigint[] not null default '{}',
  -- When it was first taken to be sent. One that waits again is of a sender that died: whom it has told is not known.
  claimed_at timestamptz,
  ended_at timestamptz
);

create index batches_waiting on miniapps.batches (host, turn, campaign_seq) where state = 'waiting';
create index batches_sending on miniapps.batches (sender) where state = 'sending';
create index batches_by_campaign on miniapps.batches (campaign_id);
create index batches_by_end on miniapps.batches (ended_at) where state = 'ended';

-- What has come of a campaign's tokens, by client. What is not here waits or is being sent.
create table miniapps.campaign_counts (
  campaign_id uuid not null references miniapps.campaigns,
  client_fid bigint not null,
  -- src/features/miniapps/campaigns/outcome.ts.
  outcome text not null,
  -- Of an answer that was an error; 0 for all others.
  http_status smallint not null default 0,
  tokens integer not null,
  primary key (campaign_id, client_fid, outcome, http_status)
) with (fillfactor = 70);

-- Processes that send. One that has not said for a while that it lives is dead, and what it holds is free.
create table miniapps.senders (
  id uuid primary key,
  alive_until timestamptz not null
);

-- Down Migration

drop table miniapps.senders;
drop table miniapps.campaign_counts;
drop table miniapps.batches;
drop table miniapps.campaigns;
