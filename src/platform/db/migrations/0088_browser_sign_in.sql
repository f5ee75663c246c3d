-- Browser sign-in (docs/sign-in.md): the settings of an app, sign-ins in progress, and the signers made for them.
alter table apps.apps
  -- Origins and schemes of deep links that may receive the result of a sign-in.
  add column authorized_origins text[] not null default '{}',
  add column sign_in_permission text not null default 'read_and_write'
    check (sign_in_permission in ('read_only', 'read_and_write')),
  -- The private key of the custody address of the app's fid. It signs requests for keys.
  add column sealed_custody_key bytea;

-- The user whose sign-in made a signer that the user has not approved yet, so that the next sign-in uses it again.
alter table signers.signers add column sign_in_fid bigint;
create index signers_by_sign_in on signers.signers (app_id, sign_in_fid) where sign_in_fid is not null;

create table sign_in.sessions (
  -- SHA-256 of the session's secret.
  hash bytea primary key,
  app_id uuid not null references apps.apps (id),
  fid bigint not null,
  -- What the user signs.
  message text not null,
  redirect_uri text,
  deeplink_url text,
  -- Null until the user has signed the message.
  signer_id uuid references signers.signers (id),
  expires_at timestamptz not null
);
create index sessions_by_end on sign_in.sessions (expires_at);
