-- Up Migration

-- Users who opened a notification. Rows go after the batches that show who was notified.
create table miniapps.campaign_opens (
  campaign_id uuid not null references miniapps.campaigns,
  fid bigint not null,
  -- The client that the first open came from.
  client_fid bigint not null,
  opens smallint not null,
  opened_at timestamptz not null default now(),
  primary key (campaign_id, fid)
) with (fillfactor = 80);
create index campaign_opens_by_time on miniapps.campaign_opens (opened_at);

-- How often the notifications of a campaign were opened, and by how many users.
create table miniapps.campaign_open_counts (
  campaign_id uuid not null references miniapps.campaigns,
  client_fid bigint not null,
  opens integer not null,
  users integer not null,
  primary key (campaign_id, client_fid)
) with (fillfactor = 70);
