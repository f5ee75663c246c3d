-- Up Migration

alter table apps.apps
  -- Of the app itself: a registered user, who requests keys of others. Several apps may share it.
  add column fid bigint,
  -- Where its mini app lives: a host name in small letters, in ASCII.
  add column mini_app_domain text constraint apps_mini_app_domain_key unique,
  -- Who develops it: a developer may have several apps.
  add column developer_uuid uuid not null default gen_random_uuid();

-- The keys of an app in the order in which they are listed.
drop index apps.api_keys_by_app;
create index api_keys_by_app on apps.api_keys (app_id, id);

-- Down Migration

drop index apps.api_keys_by_app;
create index api_keys_by_app on apps.api_keys (app_id);

alter table apps.apps
  drop column developer_uuid,
  drop column mini_app_domain,
  drop column fid;
