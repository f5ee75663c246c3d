-- Up Migration

create schema signers;

-- Keys that apps asked for. Whether one may act, and for whom, is what hub.signers says: a state is not stored here,
-- so that it cannot drift from the chain (src/features/signers/signer-record.ts derives it).
create table signers.signers (
  id uuid primary key default gen_random_uuid(),
  app_id uuid not null references apps.apps,
  -- As the key registry has it: 1 is an Ed25519 key, 2 an address that may sign in for the user.
  key_type smallint not null default 1 check (key_type in (1, 2)),
  -- An Ed25519 key, or an address as an ABI word: 32 bytes.
  public_key bytea not null,
  -- The private half, sealed by the vault; null where the developer holds it.
  sealed_key bytea,
  -- What it may do; null is everything.
  permissions text[],
  -- Whose choice the permissions are, where the user made it before the key was on the chain. They count for this
  -- user only.
  permissions_fid bigint,
  -- The app's SignedKeyRequest, once there is one: who asks (fid and address), until when (Unix seconds), signed.
  app_fid bigint,
  request_signer bytea,
  request_deadline bigint,
  request_signature bytea,
  -- Who says that it pays for the user: another fid, by its signature; or whoever runs this server.
  sponsor_fid bigint,
  sponsor_signature bytea,
  sponsored_by_service boolean not null default false,
  redirect_url text,
  -- Part of the approval page's address: whoever has it may see the request.
  approval_token text unique,
  -- When a user said no, and who. It is final, like a removal on the chain.
  refused_at timestamptz,
  refused_by bigint,
  created_at timestamptz not null default now(),
  unique (key_type, public_key)
);

create index signers_by_app on signers.signers (app_id, created_at);

create index signers_by_key on hub.signers (key);

-- Down Migration

drop index hub.signers_by_key;
drop schema signers cascade;
