-- Up Migration

-- Direct registrations of a wallet without funds are retried less and less often.
alter table accounts.direct_registrations
  add column failures integer not null default 0,
  add column next_attempt_at timestamptz not null default now();
comment on column accounts.direct_registrations.failures is 'Attempts in a row for which the wallet lacked funds';
