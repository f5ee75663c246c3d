-- Up Migration

alter table miniapps.campaigns
  add column first_failed_at timestamptz,
  add column permanent_failures smallint not null default 0;
comment on column miniapps.campaigns.failures is
  'Selections of the audience that failed for any reason; campaigns with more go behind those with fewer';
comment on column miniapps.campaigns.permanent_failures is 'Those of them that failed for a reason that does not pass';
comment on column miniapps.campaigns.first_failed_at is 'When a selection of the audience failed for the first time';
