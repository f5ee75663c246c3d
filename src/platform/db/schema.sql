-- What all migrations together make. Written by `npm run schema`, to be read in reviews; nothing runs it.
create extension pg_trgm;
create schema accounts;
create schema ai;
create schema app;
create schema apps;
create schema chain;
create schema channels;
create schema embeds;
create schema frames;
create schema hub;
create schema inbox;
create schema miniapps;
create schema moderation;
create schema nfts;
create schema payments;
create schema publish;
create schema score;
create schema search;
create schema sign_in;
create schema signers;
create schema social;
create schema subscriptions;
create schema sync;
create schema tokens;
create schema topics;
create schema webhooks;

CREATE OR REPLACE FUNCTION search.words_of(text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case
    when octet_length(text) = char_length(text) then text
    else
      regexp_replace(
        regexp_replace(
          text,
          '[\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u1680\u2000-\u206f\u20a0-\u2bff\u2e00-\u2e7f\u3000-\u303f\u30fb\ufe00-\ufe6f\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff\U0001f000-\U0001faff\U000e0000-\U000e01ef]',
          ' ', 'g'
        ),
        '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]',
        ' \& ', 'g'
      ) || coalesce(
        (
          select string_agg(' u' || to_hex(ascii(sign[1])) || 'x', '')
          from regexp_matches(text, '[\u203c\u2049\u2139\u2194-\u21aa\u231a-\u23ff\u25aa-\u27bf\u2934-\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]', 'g') as sign
        ),
        ''
      )
  end
$function$;

CREATE OR REPLACE FUNCTION search.words_with_mentions(text text, mentions bigint[], positions integer[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  bytes bytea := convert_to(text, 'UTF8');
  result text := '';
  slice_start integer := 0;
  slice_end integer;
begin
  for i in 1 .. cardinality(mentions) loop
    slice_end := least(greatest(coalesce(positions[i], length(bytes)), slice_start), length(bytes));
    -- To the end of a character.
    while slice_end < length(bytes) and get_byte(bytes, slice_end) & 192 = 128 loop
      slice_end := slice_end + 1;
    end loop;
    result := result || convert_from(substring(bytes from slice_start + 1 for slice_end - slice_start), 'UTF8')
      || ' zqm' || mentions[i] || 'x ';
    slice_start := slice_end;
  end loop;
  return search.words_of(result || convert_from(substring(bytes from slice_start + 1), 'UTF8'));
end
$function$;

create table accounts.attempts (
  transaction_id bigint not null,
  attempt integer not null,
  hash bytea not null,
  raw bytea not null,
  signed_at timestamp with time zone not null,
  constraint attempts_pkey PRIMARY KEY (transaction_id, attempt),
  constraint attempts_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES accounts.transactions(id)
);

create table accounts.direct_registrations (
  id uuid not null,
  app_id uuid not null,
  wallet_id uuid not null,
  name text not null,
  digest bytea not null,
  calls jsonb not null,
  done integer not null default 0,
  fid bigint,
  hash bytea,
  problems text[] not null default '{}'::text[],
  attempted_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  failures integer not null default 0,
  next_attempt_at timestamp with time zone not null default now(),
  constraint direct_registrations_pkey PRIMARY KEY (id),
  constraint direct_registrations_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint direct_registrations_app_id_name_key UNIQUE (app_id, name),
  constraint direct_registrations_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES accounts.wallets(id)
);
comment on column accounts.direct_registrations.failures is 'Attempts in a row for which the wallet lacked funds';
CREATE INDEX direct_registrations_open ON accounts.direct_registrations USING btree (attempted_at) WHERE (finished_at IS NULL);

create table accounts.fid_pool (
  id uuid not null,
  network text not null,
  paid_by uuid not null,
  custody_address bytea not null,
  sealed_key bytea,
  ordered_at timestamp with time zone not null,
  next_attempt_at timestamp with time zone not null,
  failures integer not null default 0,
  fid bigint,
  held_by uuid,
  held_until timestamp with time zone,
  used_at timestamp with time zone,
  constraint fid_pool_pkey PRIMARY KEY (id),
  constraint fid_pool_fid_key UNIQUE (fid),
  constraint fid_pool_held_by_fkey FOREIGN KEY (held_by) REFERENCES accounts.wallets(id),
  constraint fid_pool_paid_by_fkey FOREIGN KEY (paid_by) REFERENCES accounts.wallets(id)
);
CREATE INDEX fid_pool_free ON accounts.fid_pool USING btree (network, fid) WHERE ((fid IS NOT NULL) AND (used_at IS NULL));
CREATE INDEX fid_pool_held ON accounts.fid_pool USING btree (held_by, held_until) WHERE (used_at IS NULL);
CREATE INDEX fid_pool_ordered ON accounts.fid_pool USING btree (paid_by, ordered_at) WHERE (fid IS NULL);

create table accounts.local_nonces (
  contract text not null,
  address bytea not null,
  nonce bigint not null,
  constraint local_nonces_pkey PRIMARY KEY (contract, address)
);

create table accounts.registrations (
  id uuid not null,
  fid bigint not null,
  pool_entry_id uuid not null,
  wallet_id uuid not null,
  app_id uuid not null,
  digest bytea not null,
  custody_address bytea not null,
  signature bytea not null,
  deadline bigint not null,
  fname text,
  signer_id uuid,
  signer_key bytea,
  signer_metadata bytea,
  profile jsonb,
  step text not null default 'accepted'::text,
  problems text[] not null default '{}'::text[],
  undone_by text,
  worker uuid,
  accepted_at timestamp with time zone not null,
  attempted_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint registrations_pkey PRIMARY KEY (id),
  constraint registrations_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint registrations_pool_entry_id_fkey FOREIGN KEY (pool_entry_id) REFERENCES accounts.fid_pool(id),
  constraint registrations_step_check CHECK ((step = ANY (ARRAY['accepted'::text, 'keyed'::text, 'transferred'::text, 'named'::text, 'done'::text, 'undoing'::text, 'undone'::text]))),
  constraint registrations_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES accounts.wallets(id)
);
CREATE UNIQUE INDEX registrations_by_fid ON accounts.registrations USING btree (fid) WHERE (step <> 'undone'::text);
CREATE UNIQUE INDEX registrations_by_fname ON accounts.registrations USING btree (fname) WHERE ((fname IS NOT NULL) AND (step <> ALL (ARRAY['done'::text, 'undone'::text])));
CREATE INDEX registrations_open ON accounts.registrations USING btree (attempted_at) WHERE (step <> ALL (ARRAY['done'::text, 'undone'::text]));

create table accounts.transactions (
  id bigint not null generated always as identity,
  wallet_id uuid not null,
  purpose text not null,
  request_key text,
  nonce bigint not null,
  state text not null default 'recorded'::text,
  max_cost numeric(78,0) not null,
  cost numeric(78,0),
  events bytea[],
  hash bytea,
  fid bigint,
  failure text,
  created_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_state_check CHECK ((state = ANY (ARRAY['recorded'::text, 'confirmed'::text, 'reverted'::text]))),
  constraint transactions_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES accounts.wallets(id),
  constraint transactions_wallet_id_nonce_key UNIQUE (wallet_id, nonce)
);
CREATE UNIQUE INDEX transactions_by_purpose ON accounts.transactions USING btree (purpose) WHERE (state <> 'reverted'::text);
CREATE INDEX transactions_open ON accounts.transactions USING btree (wallet_id, nonce) WHERE (state = 'recorded'::text);

create table accounts.unrecorded_transactions (
  wallet_id uuid not null,
  nonce bigint not null,
  gas_tag smallint not null,
  hash bytea not null,
  raw bytea not null,
  found_at timestamp with time zone not null default now(),
  constraint unrecorded_transactions_pkey PRIMARY KEY (wallet_id, nonce),
  constraint unrecorded_transactions_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES accounts.wallets(id)
);

create table accounts.wallets (
  id uuid not null default gen_random_uuid(),
  app_id uuid not null,
  network text not null,
  address bytea not null,
  sealed_key bytea not null,
  next_nonce bigint not null default 0,
  balance numeric(78,0),
  fid_pool_size integer not null,
  fids_ordered bigint not null default 0,
  fids_used bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  constraint wallets_pkey PRIMARY KEY (id),
  constraint wallets_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint wallets_balance_check CHECK ((balance >= (0)::numeric)),
  constraint wallets_fid_pool_size_check CHECK (((fid_pool_size >= 0) AND (fid_pool_size <= 1000))),
  constraint wallets_network_address_key UNIQUE (network, address)
);
CREATE INDEX wallets_by_app ON accounts.wallets USING btree (app_id, created_at);

create table ai.usage (
  day date not null,
  requests integer not null,
  embedding_requests integer not null default 0,
  constraint usage_pkey PRIMARY KEY (day)
);
comment on column ai.usage.embedding_requests is 'Requests of the embedding job';

create table app.audit_log (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default now(),
  session_id bigint,
  address text not null,
  operation text not null,
  params jsonb not null,
  body jsonb,
  status integer,
  error text,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table app.console_logins (
  code_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint console_logins_pkey PRIMARY KEY (code_hash)
);

create table app.console_sessions (
  id bigint not null generated always as identity,
  secret_hash bytea not null,
  origin text not null,
  address text not null,
  user_agent text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint console_sessions_pkey PRIMARY KEY (id),
  constraint console_sessions_secret_hash_key UNIQUE (secret_hash)
);

create table app.database_sizes (
  at timestamp with time zone not null default now(),
  bytes bigint not null,
  constraint database_sizes_pkey PRIMARY KEY (at)
);

create table app.job_runs (
  process_id uuid not null,
  name text not null,
  every_ms bigint not null,
  per_process boolean not null,
  runs bigint not null,
  failures bigint not null,
  started_at timestamp with time zone not null,
  duration_ms double precision,
  next_at timestamp with time zone,
  error text,
  failed_at timestamp with time zone,
  is_failing boolean,
  constraint job_runs_pkey PRIMARY KEY (process_id, name),
  constraint job_runs_process_id_fkey FOREIGN KEY (process_id) REFERENCES app.processes(id) ON DELETE CASCADE
);
comment on column app.job_runs.is_failing is 'Whether the newest run failed; false while it runs';

create table app.maintenance_runs (
  id bigint not null generated always as identity,
  kind text not null,
  extra text,
  state text not null default 'waiting'::text,
  cancel_requested boolean not null default false,
  step text,
  done bigint not null default 0,
  total bigint,
  report text[] not null default '{}'::text[],
  error text,
  requested_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  heartbeat_at timestamp with time zone,
  constraint maintenance_runs_pkey PRIMARY KEY (id),
  constraint maintenance_runs_kind_check CHECK ((kind = ANY (ARRAY['replay'::text, 'recount'::text, 'reconcile'::text]))),
  constraint maintenance_runs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text, 'interrupted'::text])))
);
CREATE UNIQUE INDEX maintenance_runs_open ON app.maintenance_runs USING btree ((true)) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));

create table app.process_measures (
  process_id uuid not null,
  measured_at timestamp with time zone not null default now(),
  operations jsonb not null,
  errors jsonb not null,
  constraint process_measures_pkey PRIMARY KEY (process_id),
  constraint process_measures_process_id_fkey FOREIGN KEY (process_id) REFERENCES app.processes(id) ON DELETE CASCADE
);

create table app.processes (
  id uuid not null,
  roles text[] not null,
  version text not null,
  host text not null,
  pid integer not null,
  started_at timestamp with time zone not null default now(),
  alive_until timestamp with time zone not null,
  connections integer not null default 0,
  constraint processes_pkey PRIMARY KEY (id)
);

create table app.request_budgets (
  scope text not null,
  key bigint not null,
  size integer not null,
  tokens double precision not null,
  at timestamp with time zone not null,
  constraint request_budgets_pkey PRIMARY KEY (scope, key)
);

create table apps.api_keys (
  id integer not null generated always as identity,
  app_id uuid not null,
  hash bytea not null,
  prefix text not null,
  rate_limit integer,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint api_keys_hash_key UNIQUE (hash)
);
CREATE INDEX api_keys_by_app ON apps.api_keys USING btree (app_id, id);

create table apps.apps (
  id uuid not null default gen_random_uuid(),
  name text not null,
  created_at timestamp with time zone not null default now(),
  fid bigint,
  mini_app_domain text,
  developer_uuid uuid not null default gen_random_uuid(),
  authorized_origins text[] not null default '{}'::text[],
  sign_in_permission text not null default 'read_and_write'::text,
  sealed_custody_key bytea,
  constraint apps_pkey PRIMARY KEY (id),
  constraint apps_mini_app_domain_key UNIQUE (mini_app_domain),
  constraint apps_name_key UNIQUE (name),
  constraint apps_sign_in_permission_check CHECK ((sign_in_permission = ANY (ARRAY['read_only'::text, 'read_and_write'::text])))
);

create table apps.usage (
  key_id integer not null,
  day date not null,
  operation text not null,
  requests bigint not null,
  refusals bigint not null,
  constraint usage_pkey PRIMARY KEY (key_id, day, operation)
);
CREATE INDEX usage_by_day ON apps.usage USING btree (day);

create table chain.blocks (
  follower text not null,
  number bigint not null,
  hash bytea not null,
  constraint blocks_pkey PRIMARY KEY (follower, number),
  constraint blocks_follower_fkey FOREIGN KEY (follower) REFERENCES chain.followers(name) ON DELETE CASCADE
);

create table chain.followers (
  name text not null,
  chain_id bigint not null,
  next_block bigint not null,
  head bigint,
  leased_by uuid,
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  contracts text[] not null default '{}'::text[],
  first_block bigint,
  constraint followers_pkey PRIMARY KEY (name)
);
comment on column chain.followers.first_block is 'CHAIN_FIRST_BLOCK, or its default, when it began or began anew; null where this has no effect';

create table channels.bans (
  channel_id text not null,
  fid bigint not null,
  constraint bans_pkey PRIMARY KEY (channel_id, fid),
  constraint bans_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE
);

create table channels.channels (
  id text not null,
  url text not null,
  parent_url text not null,
  name text not null,
  description text not null default ''::text,
  description_mentions bigint[] not null default '{}'::bigint[],
  description_mention_positions integer[] not null default '{}'::integer[],
  image_url text,
  header_image_url text,
  lead_fid bigint not null,
  moderator_fids bigint[] not null default '{}'::bigint[],
  created_at bigint not null,
  follower_count integer not null default 0,
  member_count integer not null default 0,
  pinned_cast_hash bytea,
  external_link_title text,
  external_link_url text,
  protocol_id bytea,
  overridden text[] not null default '{}'::text[],
  local_followers integer not null default 0,
  local_members integer not null default 0,
  is_imported boolean not null default false,
  constraint channels_pkey PRIMARY KEY (id)
);
CREATE INDEX channels_by_followers ON channels.channels USING btree (follower_count DESC, id);
CREATE INDEX channels_by_lead ON channels.channels USING btree (lead_fid, created_at DESC, id DESC);
CREATE UNIQUE INDEX channels_by_protocol_id ON channels.channels USING btree (protocol_id) WHERE (protocol_id IS NOT NULL);

create table channels.daily_activity (
  day integer not null,
  url text not null,
  casts integer not null,
  constraint daily_activity_pkey PRIMARY KEY (day, url)
);

create table channels.daily_activity_range (
  is_only boolean not null default true,
  first_day integer not null,
  last_day integer not null,
  constraint daily_activity_range_pkey PRIMARY KEY (is_only),
  constraint daily_activity_range_is_only_check CHECK (is_only)
);

create table channels.follows (
  channel_id text not null,
  fid bigint not null,
  followed_at bigint not null,
  by_message boolean not null default false,
  constraint follows_pkey PRIMARY KEY (channel_id, fid),
  constraint follows_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE
);
CREATE INDEX follows_by_channel ON channels.follows USING btree (channel_id, followed_at DESC, fid DESC);
CREATE INDEX follows_by_user ON channels.follows USING btree (fid, followed_at DESC, channel_id DESC);

create table channels.hidden_casts (
  channel_id text not null,
  hash bytea not null,
  constraint hidden_casts_pkey PRIMARY KEY (channel_id, hash),
  constraint hidden_casts_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE
);

create table channels.invites (
  channel_id text not null,
  fid bigint not null,
  role text not null,
  inviter_fid bigint not null,
  state text not null,
  invited_at bigint not null,
  ended_at bigint,
  constraint invites_pkey PRIMARY KEY (channel_id, fid),
  constraint invites_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE,
  constraint invites_check CHECK (((state = 'invited'::text) = (ended_at IS NULL))),
  constraint invites_role_check CHECK ((role = ANY (ARRAY['member'::text, 'moderator'::text]))),
  constraint invites_state_check CHECK ((state = ANY (ARRAY['invited'::text, 'accepted'::text, 'rejected'::text, 'withdrawn'::text])))
);
CREATE INDEX invites_by_channel ON channels.invites USING btree (channel_id, invited_at DESC, fid DESC) WHERE (state = 'invited'::text);
CREATE INDEX invites_by_user ON channels.invites USING btree (fid, invited_at DESC, channel_id DESC) WHERE (state = 'invited'::text);
CREATE INDEX moderator_invites ON channels.invites USING btree (channel_id) WHERE ((state = 'invited'::text) AND (role = 'moderator'::text));

create table channels.members (
  channel_id text not null,
  fid bigint not null,
  role text not null,
  member_since bigint not null,
  constraint members_pkey PRIMARY KEY (channel_id, fid),
  constraint members_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE,
  constraint members_role_check CHECK ((role = ANY (ARRAY['member'::text, 'moderator'::text])))
);
CREATE INDEX members_by_time ON channels.members USING btree (channel_id, member_since DESC, fid DESC);
CREATE INDEX members_by_user_time ON channels.members USING btree (fid, member_since DESC, channel_id DESC);
CREATE INDEX moderators_by_channel ON channels.members USING btree (channel_id) WHERE (role = 'moderator'::text);

create table channels.membership_calls (
  channel_id text not null,
  fid bigint not null,
  hour_began_at bigint not null,
  calls integer not null,
  constraint membership_calls_pkey PRIMARY KEY (channel_id, fid),
  constraint membership_calls_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE
) with (fillfactor=80);

create table channels.restricted (
  channel_id text not null,
  fid bigint not null,
  restricted_at bigint not null,
  constraint restricted_pkey PRIMARY KEY (channel_id, fid),
  constraint restricted_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE
);

create table channels.urls (
  url text not null,
  channel_id text not null,
  constraint urls_pkey PRIMARY KEY (url),
  constraint urls_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE
);
CREATE INDEX urls_by_channel ON channels.urls USING btree (channel_id);

create table channels.user_overrides (
  channel_id text not null,
  kind text not null,
  fid bigint not null,
  constraint user_overrides_pkey PRIMARY KEY (channel_id, kind, fid),
  constraint user_overrides_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels.channels(id) ON DELETE CASCADE,
  constraint user_overrides_kind_check CHECK ((kind = ANY (ARRAY['follow'::text, 'membership'::text])))
);

create table embeds.urls (
  url text not null,
  host text collate "C" not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default now(),
  lease uuid,
  kind text,
  metadata jsonb,
  failure text,
  crawled_at timestamp with time zone,
  first_seen timestamp with time zone not null default now(),
  due boolean not null default true,
  requested_at timestamp with time zone,
  failed_rounds integer not null default 0,
  constraint urls_pkey PRIMARY KEY (url),
  constraint urls_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text])))
);
comment on column embeds.urls.due is 'Whether a claim looks at it: set once next_attempt_at has passed, cleared by the claim';
comment on column embeds.urls.requested_at is 'The last crawl on demand, of a URL that no cast and no manifest has named';
comment on column embeds.urls.failed_rounds is 'How often it was given up since the last success';
CREATE INDEX urls_by_kind ON embeds.urls USING btree (kind) WHERE (kind IS NOT NULL);
CREATE INDEX urls_due ON embeds.urls USING btree (next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX urls_due_by_host ON embeds.urls USING btree (host, next_attempt_at) WHERE ((state = 'pending'::text) AND due);
CREATE INDEX urls_leased ON embeds.urls USING btree (host, next_attempt_at) WHERE (lease IS NOT NULL);
CREATE INDEX urls_put_off ON embeds.urls USING btree (next_attempt_at) WHERE ((state = 'pending'::text) AND (NOT due));
CREATE INDEX urls_requested ON embeds.urls USING btree (requested_at) WHERE (requested_at IS NOT NULL);
CREATE INDEX urls_waiting ON embeds.urls USING btree (host, next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX urls_with_frame ON embeds.urls USING btree (url) WHERE (metadata ? 'frame'::text);

create table frames.hosted (
  uuid uuid not null default gen_random_uuid(),
  app_id uuid not null,
  name text not null,
  pages jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint hosted_pkey PRIMARY KEY (uuid),
  constraint hosted_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id)
);
CREATE INDEX hosted_by_app ON frames.hosted USING btree (app_id, created_at, uuid);

create table frames.validations (
  app_id uuid not null,
  hash bytea not null,
  url text not null,
  fid bigint not null,
  cast_fid bigint,
  cast_hash bytea,
  input_text text not null,
  validated_at timestamp with time zone not null,
  constraint validations_pkey PRIMARY KEY (app_id, hash),
  constraint validations_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id)
);
CREATE INDEX validations_by_age ON frames.validations USING btree (validated_at);
CREATE INDEX validations_by_url ON frames.validations USING btree (app_id, url, validated_at);

create table hub.applied_offsets (
  log text not null,
  last_id bigint not null,
  ids bigint[] not null
);
CREATE INDEX applied_offsets_by_last_id ON hub.applied_offsets USING btree (log, last_id);

create table hub.cast_mentions (
  mentioned_fid bigint not null,
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  constraint cast_mentions_pkey PRIMARY KEY (mentioned_fid, ts, hash, fid)
);

create table hub.channel_counts (
  channel_id bytea not null,
  members integer not null,
  moderators integer not null,
  moderations integer not null,
  constraint channel_counts_pkey PRIMARY KEY (channel_id)
);

create table hub.channel_events (
  channel_id bytea not null,
  block_number bigint not null,
  log_index integer not null,
  constraint channel_events_pkey PRIMARY KEY (channel_id, block_number, log_index)
);

create table hub.channel_messages (
  channel_id bytea not null,
  type smallint not null,
  key bytea not null,
  state smallint not null,
  fid bigint not null,
  ts bigint not null,
  hash bytea not null,
  message bytea not null,
  constraint channel_messages_pkey PRIMARY KEY (channel_id, type, key)
);
CREATE INDEX channel_memberships ON hub.channel_messages USING btree (key, channel_id) WHERE (type = 19);

create table hub.channels (
  channel_id bytea not null,
  channel_key text not null,
  owner_address bytea not null,
  expires_at bigint not null,
  block_number bigint,
  tx_index integer,
  log_index integer,
  constraint channels_pkey PRIMARY KEY (channel_id)
);
CREATE INDEX channels_by_owner ON hub.channels USING btree (owner_address, channel_key COLLATE "C");

create table hub.consumers (
  name text not null,
  shard smallint not null,
  next_id bigint not null,
  blocks bytea not null default '\x'::bytea,
  constraint consumers_pkey PRIMARY KEY (name, shard)
) with (fillfactor=50);

create table hub.ended_loans (
  fid bigint not null,
  key bytea not null,
  ts bigint not null,
  hash bytea not null,
  constraint ended_loans_pkey PRIMARY KEY (fid, key)
);

create table hub.events (
  day date not null,
  shard smallint not null,
  id bigint not null,
  type smallint not null,
  fid bigint,
  event bytea not null,
  former_fid bigint,
  constraint events_pkey PRIMARY KEY (shard, id, day)
) partition by RANGE (day);
comment on column hub.events.former_fid is 'Who held what the event gives to another user; null if nobody did, and where an earlier version wrote it';

create table hub.fids (
  fid bigint not null,
  shard smallint not null,
  custody_address bytea not null,
  recovery_address bytea not null,
  registered_at bigint not null,
  pro_until bigint not null default 0,
  constraint fids_pkey PRIMARY KEY (fid)
);
CREATE INDEX fids_by_custody ON hub.fids USING btree (custody_address);
CREATE INDEX fids_by_shard ON hub.fids USING btree (shard, fid);

create table hub.gasless_keys (
  key bytea not null,
  fid bigint not null,
  request_fid bigint not null,
  scopes smallint[] not null,
  ttl_seconds integer not null,
  last_used_at bigint not null,
  constraint gasless_keys_pkey PRIMARY KEY (key)
);
CREATE INDEX gasless_keys_by_fid ON hub.gasless_keys USING btree (fid);

create table hub.historical_blocks (
  shard smallint not null,
  block bigint not null,
  merged_at timestamp with time zone not null default now(),
  news_from timestamp with time zone not null default (now() - '1 day'::interval),
  constraint historical_blocks_pkey PRIMARY KEY (shard, block)
);

create table hub.key_nonces (
  kind smallint not null,
  fid bigint not null,
  nonce bigint not null,
  constraint key_nonces_pkey PRIMARY KEY (kind, fid)
);

create table hub.link_cutoffs (
  fid bigint not null,
  key bytea not null,
  cutoffs jsonb not null,
  constraint link_cutoffs_pkey PRIMARY KEY (fid, key)
);

create table hub.messages (
  fid bigint not null,
  set smallint not null,
  key bytea not null,
  ts bigint not null,
  hash bytea not null,
  type smallint not null,
  message bytea not null,
  target bytea,
  constraint messages_pkey PRIMARY KEY (fid, set, key)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX channel_followers ON hub.messages USING btree (target, fid) WHERE ((target >= '\x0201026569703135353a'::bytea) AND (target < '\x0201026569703135353b'::bytea));
CREATE INDEX channel_follows ON hub.messages USING btree (fid, target) WHERE ((target >= '\x0201026569703135353a'::bytea) AND (target < '\x0201026569703135353b'::bytea));
CREATE INDEX messages_by_target ON hub.messages USING btree (target, ts, hash) WHERE (target IS NOT NULL);
CREATE INDEX messages_by_time ON hub.messages USING btree (fid, set, ts, hash);
CREATE INDEX messages_by_verified_address ON hub.messages USING btree (key) WHERE (set = 4);

create table hub.onchain_events (
  fid bigint not null,
  type smallint not null,
  block_number bigint not null,
  log_index integer not null,
  block_time bigint not null,
  event bytea not null,
  constraint onchain_events_pkey PRIMARY KEY (fid, type, block_number, log_index)
);

create table hub.outgoing_messages (
  id bigint not null generated always as identity,
  fid bigint not null,
  message bytea not null,
  merged_at timestamp with time zone not null default now(),
  refused_at timestamp with time zone,
  retry_at timestamp with time zone,
  refusal_code text,
  refusal text,
  constraint outgoing_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX outgoing_messages_refused ON hub.outgoing_messages USING btree (refused_at) WHERE (refused_at IS NOT NULL);
CREATE INDEX outgoing_messages_retried ON hub.outgoing_messages USING btree (retry_at) WHERE (retry_at IS NOT NULL);
CREATE INDEX outgoing_messages_waiting ON hub.outgoing_messages USING btree (id) WHERE (refused_at IS NULL);

create table hub.pruned_messages (
  hash bytea not null,
  day date not null,
  constraint pruned_messages_pkey PRIMARY KEY (hash)
);
CREATE INDEX pruned_messages_by_day ON hub.pruned_messages USING btree (day);

create table hub.set_counts (
  fid bigint not null,
  set smallint not null,
  count integer not null,
  constraint set_counts_pkey PRIMARY KEY (fid, set)
) with (fillfactor=80);

create table hub.settings (
  name text not null,
  value jsonb not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table hub.shards (
  shard smallint not null,
  height bigint not null default 0,
  block_hash bytea not null default '\x0000000000000000000000000000000000000000000000000000000000000000'::bytea,
  first_retained_id bigint not null default 0,
  last_day date,
  constraint shards_pkey PRIMARY KEY (shard)
);

create table hub.signers (
  fid bigint not null,
  key bytea not null,
  key_type integer not null,
  active boolean not null,
  block_number bigint not null,
  log_index integer not null,
  event bytea not null,
  constraint signers_pkey PRIMARY KEY (fid, key)
);
CREATE INDEX signers_by_key ON hub.signers USING btree (key);

create table hub.storage_loans (
  from_fid bigint not null,
  to_fid bigint not null,
  unit_type smallint not null,
  units integer not null,
  constraint storage_loans_pkey PRIMARY KEY (from_fid, to_fid)
);
CREATE INDEX storage_loans_by_borrower ON hub.storage_loans USING btree (to_fid);

create table hub.storage_rents (
  fid bigint not null,
  block_number bigint not null,
  log_index integer not null,
  unit_type smallint not null,
  units integer not null,
  rented_at bigint not null,
  expires_at bigint not null,
  constraint storage_rents_pkey PRIMARY KEY (fid, block_number, log_index)
);

create table hub.traced_blocks (
  shard smallint not null,
  block bigint not null,
  traceparent text not null,
  merged_at timestamp with time zone not null default now(),
  constraint traced_blocks_pkey PRIMARY KEY (shard, block)
);

create table hub.username_proofs (
  name text not null,
  fid bigint not null,
  type smallint not null,
  ts bigint not null,
  proof bytea not null,
  message_hash bytea,
  checked_at bigint,
  must_check boolean not null default false,
  constraint username_proofs_pkey PRIMARY KEY (name)
);
comment on column hub.username_proofs.fid is '0 when the name was released, or no longer resolves to the owner in its proof: the row stays, so that an older transfer or the same proof cannot bring the name back';
CREATE INDEX username_proofs_by_fid ON hub.username_proofs USING btree (fid);
CREATE INDEX username_proofs_due ON hub.username_proofs USING btree (checked_at NULLS FIRST) WHERE (must_check AND (type <> 1) AND (fid > 0));
CREATE INDEX username_proofs_to_check ON hub.username_proofs USING btree (checked_at NULLS FIRST) WHERE ((type <> 1) AND (fid > 0));

create table inbox.notifications (
  fid bigint not null,
  kind smallint not null,
  hash bytea not null,
  ts bigint not null,
  actor bigint not null,
  root_url text,
  suppressed_by smallint not null default 0,
  constraint notifications_pkey PRIMARY KEY (hash, kind, fid)
) with (fillfactor=85, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX groups_by_newest ON inbox.notifications USING btree (actor, fid) WHERE (kind <= 3);
CREATE INDEX notifications_by_time ON inbox.notifications USING btree (fid, kind, ts DESC, hash DESC);
CREATE INDEX notifications_by_url ON inbox.notifications USING btree (fid, root_url, kind, ts DESC, hash DESC) WHERE (root_url IS NOT NULL);

create table inbox.seen (
  fid bigint not null,
  kind smallint not null,
  ts bigint not null,
  constraint seen_pkey PRIMARY KEY (fid, kind)
) with (fillfactor=70);

create table miniapps.batches (
  id bigint not null generated always as identity,
  campaign_id uuid not null,
  campaign_seq bigint not null,
  app_id uuid not null,
  client_fid bigint not null,
  host text not null,
  turn integer not null,
  state text not null default 'waiting'::text,
  sender uuid,
  fids bigint[] not null,
  retryable_fids bigint[] not null default '{}'::bigint[],
  claimed_at timestamp with time zone,
  ended_at timestamp with time zone,
  unreached_fids bigint[] not null default '{}'::bigint[],
  constraint batches_pkey PRIMARY KEY (id),
  constraint batches_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES miniapps.campaigns(id),
  constraint batches_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sending'::text, 'ended'::text])))
);
CREATE INDEX batches_by_campaign ON miniapps.batches USING btree (campaign_id);
CREATE INDEX batches_by_end ON miniapps.batches USING btree (ended_at) WHERE (state = 'ended'::text);
CREATE INDEX batches_by_ends ON miniapps.batches USING btree (campaign_id, client_fid, (fids[1]), (fids[cardinality(fids)]));
CREATE INDEX batches_sending ON miniapps.batches USING btree (sender) WHERE (state = 'sending'::text);
CREATE INDEX batches_waiting ON miniapps.batches USING btree (host, turn, campaign_seq) WHERE (state = 'waiting'::text);

create table miniapps.campaign_counts (
  campaign_id uuid not null,
  client_fid bigint not null,
  outcome text not null,
  http_status smallint not null default 0,
  tokens integer not null,
  constraint campaign_counts_pkey PRIMARY KEY (campaign_id, client_fid, outcome, http_status),
  constraint campaign_counts_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES miniapps.campaigns(id)
) with (fillfactor=70);

create table miniapps.campaign_open_counts (
  campaign_id uuid not null,
  client_fid bigint not null,
  opens integer not null,
  users integer not null,
  constraint campaign_open_counts_pkey PRIMARY KEY (campaign_id, client_fid),
  constraint campaign_open_counts_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES miniapps.campaigns(id)
) with (fillfactor=70);

create table miniapps.campaign_opens (
  campaign_id uuid not null,
  fid bigint not null,
  client_fid bigint not null,
  opens smallint not null,
  opened_at timestamp with time zone not null default now(),
  constraint campaign_opens_pkey PRIMARY KEY (campaign_id, fid),
  constraint campaign_opens_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES miniapps.campaigns(id)
) with (fillfactor=80);
CREATE INDEX campaign_opens_by_time ON miniapps.campaign_opens USING btree (opened_at);

create table miniapps.campaigns (
  id uuid not null default gen_random_uuid(),
  seq bigint not null generated always as identity,
  app_id uuid not null,
  uuid uuid,
  title text not null,
  body text not null,
  target_url text not null,
  audience jsonb not null,
  state text not null default 'queued'::text,
  queued_at timestamp with time zone,
  failures smallint not null default 0,
  audience_size integer not null default 0,
  client_fids bigint[] not null default '{}'::bigint[],
  open_batches integer not null default 0,
  created_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone,
  first_failed_at timestamp with time zone,
  permanent_failures smallint not null default 0,
  constraint campaigns_pkey PRIMARY KEY (id),
  constraint campaigns_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint campaigns_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'canceled'::text])))
);
comment on column miniapps.campaigns.audience is 'The filter of src/features/miniapps/campaigns/audience/audience.ts while the campaign is queued; {} from then on';
comment on column miniapps.campaigns.failures is 'Selections of the audience that failed for any reason; campaigns with more go behind those with fewer';
comment on column miniapps.campaigns.first_failed_at is 'When a selection of the audience failed for the first time';
comment on column miniapps.campaigns.permanent_failures is 'Those of them that failed for a reason that does not pass';
CREATE INDEX campaigns_by_app ON miniapps.campaigns USING btree (app_id, seq);
CREATE INDEX campaigns_by_uuid ON miniapps.campaigns USING btree (app_id, uuid) WHERE (uuid IS NOT NULL);
CREATE INDEX campaigns_queued ON miniapps.campaigns USING btree (seq) WHERE (state = 'queued'::text);
CREATE INDEX campaigns_to_clear ON miniapps.campaigns USING btree (id) WHERE ((state = 'canceled'::text) AND (open_batches > 0));
CREATE INDEX campaigns_to_select ON miniapps.campaigns USING btree (failures, seq) WHERE (state = 'queued'::text);

create table miniapps.counted_hours (
  hour integer not null,
  counted_at timestamp with time zone not null,
  constraint counted_hours_pkey PRIMARY KEY (hour)
);

create table miniapps.host_notifications (
  id bigint not null generated always as identity,
  app_id uuid not null,
  fid bigint not null,
  domain text not null,
  token text not null,
  notification_id text not null,
  title text not null,
  body text not null,
  target_url text not null,
  created_at timestamp with time zone not null default now(),
  constraint host_notifications_pkey PRIMARY KEY (id),
  constraint host_notifications_app_id_fid_domain_notification_id_key UNIQUE (app_id, fid, domain, notification_id),
  constraint host_notifications_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint host_notifications_token_fkey FOREIGN KEY (token) REFERENCES miniapps.host_tokens(token)
);
CREATE INDEX host_notifications_by_age ON miniapps.host_notifications USING btree (created_at);
CREATE INDEX host_notifications_by_token ON miniapps.host_notifications USING btree (token, created_at);
CREATE INDEX host_notifications_by_user ON miniapps.host_notifications USING btree (app_id, fid, id);

create table miniapps.host_tokens (
  token text not null,
  app_id uuid not null,
  fid bigint not null,
  domain text not null,
  state text not null default 'offered'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint host_tokens_pkey PRIMARY KEY (token),
  constraint host_tokens_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint host_tokens_state_check CHECK ((state = ANY (ARRAY['offered'::text, 'enabled'::text, 'disabled'::text])))
);
CREATE INDEX host_tokens_by_time ON miniapps.host_tokens USING btree (created_at);
CREATE INDEX host_tokens_by_user ON miniapps.host_tokens USING btree (app_id, fid, domain, updated_at);
CREATE UNIQUE INDEX host_tokens_enabled ON miniapps.host_tokens USING btree (app_id, fid, domain) WHERE (state = 'enabled'::text);
CREATE INDEX host_tokens_unused ON miniapps.host_tokens USING btree (updated_at) WHERE (state <> 'enabled'::text);

create table miniapps.manifests (
  domain text collate "C" not null,
  first_seen timestamp with time zone not null default now(),
  next_read_at timestamp with time zone not null default now(),
  failures integer not null default 0,
  failure text,
  read_at timestamp with time zone,
  author_fid bigint,
  manifest jsonb,
  home_url text,
  category text,
  networks text[] not null default '{}'::text[],
  words tsvector,
  listed boolean not null default false,
  constraint manifests_pkey PRIMARY KEY (domain)
);
CREATE INDEX manifests_by_words ON miniapps.manifests USING gin (words) WHERE listed;
CREATE INDEX manifests_due ON miniapps.manifests USING btree (next_read_at);

create table miniapps.rate_windows (
  app_id uuid not null,
  fid bigint not null,
  client_fid bigint not null,
  sent_at timestamp with time zone[] not null,
  constraint rate_windows_pkey PRIMARY KEY (app_id, fid, client_fid)
) with (fillfactor=70);

create table miniapps.replaced_tokens (
  app_id uuid not null,
  fid bigint not null,
  client_fid bigint not null,
  digest bytea not null,
  replaced_at timestamp with time zone not null default now(),
  constraint past_tokens_pkey PRIMARY KEY (app_id, fid, client_fid, digest),
  constraint past_tokens_app_id_fid_client_fid_fkey FOREIGN KEY (app_id, fid, client_fid) REFERENCES miniapps.tokens(app_id, fid, client_fid)
);

create table miniapps.senders (
  id uuid not null,
  alive_until timestamp with time zone not null,
  constraint senders_pkey PRIMARY KEY (id)
);

create table miniapps.shares (
  domain text collate "C" not null,
  hash bytea not null,
  fid bigint not null,
  ts bigint not null,
  constraint shares_pkey PRIMARY KEY (hash, domain)
);
CREATE INDEX shares_by_time ON miniapps.shares USING btree (ts);
CREATE INDEX shares_by_user ON miniapps.shares USING btree (fid, ts);

create table miniapps.tokens (
  app_id uuid not null,
  fid bigint not null,
  client_fid bigint not null,
  url text not null,
  token text not null,
  state text not null default 'enabled'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  last_event_at timestamp with time zone not null default now(),
  constraint tokens_pkey PRIMARY KEY (app_id, fid, client_fid),
  constraint tokens_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint tokens_state_check CHECK ((state = ANY (ARRAY['enabled'::text, 'disabled'::text, 'invalid'::text])))
);
CREATE INDEX tokens_by_client_host ON miniapps.tokens USING btree (app_id, client_fid, lower("substring"(url, '://([^/?#]+)'::text)));
CREATE INDEX tokens_by_host ON miniapps.tokens USING btree (app_id, lower("substring"(url, '://([^/?#]+)'::text))) WHERE (client_fid <> 0);
CREATE INDEX tokens_by_time ON miniapps.tokens USING btree (created_at);
CREATE INDEX tokens_by_token ON miniapps.tokens USING btree (app_id, token);
CREATE INDEX tokens_enabled ON miniapps.tokens USING btree (app_id, fid, client_fid) WHERE (state = 'enabled'::text);

create table miniapps.trends (
  time_window text not null,
  domain text collate "C" not null,
  change double precision not null,
  constraint trends_pkey PRIMARY KEY (time_window, domain)
);
CREATE INDEX trends_by_change ON miniapps.trends USING btree (time_window, change DESC, domain);

create table moderation.bans (
  app_id uuid not null,
  fid bigint not null,
  banned_at bigint not null,
  constraint bans_pkey PRIMARY KEY (app_id, fid),
  constraint bans_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id) ON DELETE CASCADE
);
CREATE INDEX bans_by_time ON moderation.bans USING btree (app_id, banned_at DESC, fid DESC);

create table moderation.mutes (
  fid bigint not null,
  target_fid bigint not null,
  muted_at bigint not null,
  constraint mutes_pkey PRIMARY KEY (fid, target_fid)
);
CREATE INDEX mutes_by_time ON moderation.mutes USING btree (fid, muted_at DESC, target_fid DESC);

create table nfts.collections (
  network text not null,
  address bytea not null,
  wallet_id uuid not null,
  metadata jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint collections_pkey PRIMARY KEY (network, address),
  constraint collections_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES accounts.wallets(id)
);

create table nfts.token_metadata (
  network text not null,
  contract bytea not null,
  token_id numeric(78,0) not null,
  metadata jsonb not null,
  updated_at timestamp with time zone not null default now(),
  constraint token_metadata_pkey PRIMARY KEY (network, contract, token_id)
);

create table payments.frames (
  id uuid not null,
  seq bigint not null generated always as identity,
  app_id uuid not null,
  idem text,
  request_key text not null,
  config jsonb not null,
  network text not null,
  token bytea not null,
  receiver bytea not null,
  amount double precision not null,
  amount_raw numeric(78,0) not null,
  symbol text not null,
  allowlist_fids bigint[] not null,
  from_block bigint not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  block bigint,
  transaction_hash bytea,
  log_index integer,
  constraint frames_pkey PRIMARY KEY (id),
  constraint frames_amount_raw_check CHECK ((amount_raw > (0)::numeric)),
  constraint frames_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint frames_app_id_idem_key UNIQUE (app_id, idem),
  constraint frames_seq_key UNIQUE (seq)
);
CREATE INDEX frames_by_app ON payments.frames USING btree (app_id, created_at);
CREATE INDEX frames_by_block ON payments.frames USING btree (network, block) WHERE (completed_at IS NOT NULL);
CREATE UNIQUE INDEX frames_by_transfer ON payments.frames USING btree (network, transaction_hash, log_index, app_id);
CREATE INDEX frames_open ON payments.frames USING btree (network, expires_at, seq) WHERE (completed_at IS NULL);

create table public.schema_migrations (
  id integer not null default nextval('schema_migrations_id_seq'::regclass),
  name character varying(255) not null,
  run_on timestamp without time zone not null,
  constraint schema_migrations_pkey PRIMARY KEY (id)
);

create table publish.requests (
  app_id uuid not null,
  idem text not null,
  request_hash bytea not null,
  message bytea,
  cast_hash bytea,
  answer text not null,
  is_done boolean not null,
  created_at timestamp with time zone not null,
  constraint requests_pkey PRIMARY KEY (app_id, idem),
  constraint requests_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id) ON DELETE CASCADE,
  constraint requests_cast_hash_key UNIQUE (cast_hash)
);
CREATE INDEX requests_by_age ON publish.requests USING btree (created_at);

create table score.runs (
  id bigint not null generated always as identity,
  started_at bigint not null,
  finished_at bigint not null,
  users integer not null,
  edges bigint not null,
  changed integer not null,
  constraint runs_pkey PRIMARY KEY (id)
);

create table search.embeddings (
  hash bytea not null,
  ts bigint not null,
  model text not null,
  signs bit varying,
  vector bytea,
  constraint embeddings_pkey PRIMARY KEY (hash)
);
CREATE INDEX embeddings_by_time ON search.embeddings USING btree (ts DESC, hash DESC);

create table search.popular_cast_runs (
  fid bigint not null,
  ranked_at timestamp with time zone not null,
  constraint popular_cast_runs_pkey PRIMARY KEY (fid)
);
CREATE INDEX popular_cast_runs_by_age ON search.popular_cast_runs USING btree (ranked_at);

create table search.popular_casts (
  fid bigint not null,
  hash bytea not null,
  constraint popular_casts_pkey PRIMARY KEY (fid, hash)
);

create table search.popular_users (
  fid bigint not null,
  username text,
  display_name text,
  constraint popular_users_pkey PRIMARY KEY (fid)
);
CREATE INDEX popular_users_by_similarity ON search.popular_users USING gin (username gin_trgm_ops, display_name gin_trgm_ops) WITH (fastupdate=off);

create table search.runs (
  id bigint not null generated always as identity,
  finished_at bigint not null,
  users bigint not null,
  constraint runs_pkey PRIMARY KEY (id)
);

create table search.top_users_by_prefix (
  kind smallint not null,
  prefix text not null,
  fid bigint not null,
  constraint top_users_by_prefix_pkey PRIMARY KEY (kind, prefix, fid)
);

create table search.vocabulary (
  word text not null,
  casts integer not null,
  constraint vocabulary_pkey PRIMARY KEY (word)
);
CREATE INDEX vocabulary_by_similarity ON search.vocabulary USING gist (word gist_trgm_ops);

create table sign_in.nonces (
  nonce text not null,
  app_id uuid not null,
  expires_at timestamp with time zone not null,
  message_hash bytea,
  constraint nonces_pkey PRIMARY KEY (nonce),
  constraint nonces_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id)
);
CREATE INDEX nonces_by_end ON sign_in.nonces USING btree (expires_at);

create table sign_in.sessions (
  hash bytea not null,
  app_id uuid not null,
  fid bigint not null,
  message text not null,
  redirect_uri text,
  deeplink_url text,
  signer_id uuid,
  expires_at timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (hash),
  constraint sessions_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint sessions_signer_id_fkey FOREIGN KEY (signer_id) REFERENCES signers.signers(id)
);
CREATE INDEX sessions_by_end ON sign_in.sessions USING btree (expires_at);

create table signers.permission_choices (
  signer_id uuid not null,
  fid bigint not null,
  permissions text[],
  constraint permission_choices_pkey PRIMARY KEY (signer_id, fid),
  constraint permission_choices_signer_id_fkey FOREIGN KEY (signer_id) REFERENCES signers.signers(id) ON DELETE CASCADE
);

create table signers.signers (
  id uuid not null default gen_random_uuid(),
  app_id uuid not null,
  key_type smallint not null default 1,
  public_key bytea not null,
  sealed_key bytea,
  permissions text[],
  permissions_fid bigint,
  app_fid bigint,
  request_signer bytea,
  request_deadline bigint,
  request_signature bytea,
  sponsor_fid bigint,
  sponsor_signature bytea,
  sponsored_by_service boolean not null default false,
  redirect_url text,
  approval_token text,
  refused_at timestamp with time zone,
  refused_by bigint,
  created_at timestamp with time zone not null default now(),
  sign_in_fid bigint,
  constraint signers_pkey PRIMARY KEY (id),
  constraint signers_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id),
  constraint signers_approval_token_key UNIQUE (approval_token),
  constraint signers_key_type_check CHECK ((key_type = ANY (ARRAY[1, 2]))),
  constraint signers_key_type_public_key_key UNIQUE (key_type, public_key)
);
CREATE INDEX signers_by_app ON signers.signers USING btree (app_id, created_at);
CREATE INDEX signers_by_sign_in ON signers.signers USING btree (app_id, sign_in_fid) WHERE (sign_in_fid IS NOT NULL);

create table social.blocks (
  fid bigint not null,
  target_fid bigint not null,
  ts bigint not null,
  constraint blocks_pkey PRIMARY KEY (fid, target_fid)
);
CREATE INDEX blocks_by_target ON social.blocks USING btree (target_fid, fid);
CREATE INDEX blocks_by_target_time ON social.blocks USING btree (target_fid, ts DESC, fid DESC);
CREATE INDEX blocks_by_time ON social.blocks USING btree (fid, ts DESC, target_fid DESC);

create table social.cast_counts (
  hash bytea not null,
  fid bigint not null,
  likes integer not null default 0,
  recasts integer not null default 0,
  replies integer not null default 0,
  quotes integer not null default 0,
  constraint cast_counts_pkey PRIMARY KEY (hash, fid)
) with (fillfactor=70);

create table social.casts (
  hash bytea not null,
  fid bigint not null,
  ts bigint not null,
  text text not null,
  parent_fid bigint,
  parent_hash bytea,
  parent_url text,
  thread_hash bytea not null,
  root_parent_url text,
  embeds jsonb not null,
  mentions bigint[] not null,
  mention_positions integer[] not null,
  signer bytea not null,
  words tsvector not null generated always as (to_tsvector('simple'::regconfig,
CASE
    WHEN (mentions = '{}'::bigint[]) THEN search.words_of(text)
    ELSE search.words_with_mentions(text, mentions, mention_positions)
END)) stored,
  constraint casts_pkey PRIMARY KEY (hash)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX casts_by_author ON social.casts USING btree (fid, ts DESC, hash DESC);
CREATE INDEX casts_by_parent ON social.casts USING btree (parent_hash, ts, hash) WHERE (parent_hash IS NOT NULL);
CREATE INDEX casts_by_parent_url ON social.casts USING btree (parent_url, ts DESC, hash DESC) INCLUDE (fid) WHERE (parent_url IS NOT NULL);
CREATE INDEX casts_by_root_url ON social.casts USING btree (root_parent_url, ts DESC, hash DESC) INCLUDE (fid) WHERE (root_parent_url IS NOT NULL);
CREATE INDEX casts_by_thread ON social.casts USING btree (thread_hash);
CREATE INDEX casts_by_time ON social.casts USING btree (ts DESC, hash DESC);
CREATE INDEX casts_by_words ON social.casts USING gin (words);

create table social.follows (
  fid bigint not null,
  target_fid bigint not null,
  ts bigint not null,
  signer bytea not null,
  constraint follows_pkey PRIMARY KEY (fid, target_fid)
);
CREATE INDEX follows_by_target ON social.follows USING btree (target_fid, ts DESC, fid DESC);
CREATE INDEX follows_by_time ON social.follows USING btree (fid, ts DESC, target_fid DESC);

create table social.quotes (
  quoted_hash bytea not null,
  quoted_fid bigint not null,
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  constraint quotes_pkey PRIMARY KEY (quoted_hash, quoted_fid, hash)
);
CREATE INDEX quotes_by_cast ON social.quotes USING btree (hash);
CREATE INDEX quotes_by_time ON social.quotes USING btree (quoted_hash, quoted_fid, ts DESC, hash DESC);

create table social.reactions (
  fid bigint not null,
  type smallint not null,
  target_hash bytea not null,
  target_fid bigint not null,
  ts bigint not null,
  signer bytea not null,
  merged_at timestamp with time zone default clock_timestamp(),
  constraint reactions_pkey PRIMARY KEY (fid, target_hash, target_fid, type)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX reactions_by_target ON social.reactions USING btree (target_hash, target_fid, ts DESC, fid DESC, type);
CREATE INDEX reactions_by_user ON social.reactions USING btree (fid, type, ts DESC, target_hash DESC);
CREATE INDEX recasts_by_target ON social.reactions USING btree (target_hash, target_fid, ts DESC, fid DESC) WHERE (type = 2);
CREATE INDEX recasts_by_time ON social.reactions USING btree (ts DESC, target_hash DESC) INCLUDE (fid, target_fid) WHERE (type = 2);
CREATE INDEX recasts_by_user ON social.reactions USING btree (fid, ts DESC, target_hash DESC) INCLUDE (target_fid) WHERE (type = 2);

create table social.signer_apps (
  fid bigint not null,
  key bytea not null,
  app_fid bigint not null,
  constraint signer_apps_pkey PRIMARY KEY (fid, key)
);

create table social.url_activity (
  url text not null,
  hour integer not null,
  casts integer not null,
  constraint url_activity_pkey PRIMARY KEY (url, hour)
);
CREATE INDEX url_activity_by_hour ON social.url_activity USING btree (hour);

create table social.url_embeds (
  url text not null,
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  constraint url_embeds_pkey PRIMARY KEY (hash, url)
);
CREATE INDEX url_embeds_by_age ON social.url_embeds USING btree (ts DESC, hash DESC);
CREATE INDEX url_embeds_by_prefix ON social.url_embeds USING btree (url text_pattern_ops);
CREATE INDEX url_embeds_by_time ON social.url_embeds USING btree (url, ts DESC, hash DESC);

create table social.url_reactions (
  fid bigint not null,
  type smallint not null,
  url text not null,
  ts bigint not null,
  constraint url_reactions_pkey PRIMARY KEY (url, type, fid)
);

create table social.user_counts (
  fid bigint not null,
  follower_count integer not null default 0,
  following_count integer not null default 0,
  constraint user_counts_pkey PRIMARY KEY (fid)
) with (fillfactor=70);

create table social.users (
  fid bigint not null,
  custody_address bytea not null,
  registered_at bigint not null,
  pro_since bigint,
  pro_until bigint not null default 0,
  username text,
  display_name text,
  pfp_url text,
  bio text,
  url text,
  location text,
  twitter text,
  github text,
  banner_url text,
  primary_eth_address text,
  primary_sol_address text,
  profile_token text,
  live_at text,
  live_at_ts bigint,
  score real,
  latitude double precision generated always as (("substring"(location, '^geo:(-?\d{1,2}\.\d{2}),-?\d{1,3}\.\d{2}$'::text))::double precision) stored,
  longitude double precision generated always as (("substring"(location, '^geo:-?\d{1,2}\.\d{2},(-?\d{1,3}\.\d{2})$'::text))::double precision) stored,
  geo_cell integer generated always as ((((LEAST((179)::double precision, GREATEST((0)::double precision, (floor(("substring"(location, '^geo:(-?\d{1,2}\.\d{2}),-?\d{1,3}\.\d{2}$'::text))::double precision) + (90)::double precision))))::integer * 360) + ((((floor(("substring"(location, '^geo:-?\d{1,2}\.\d{2},(-?\d{1,3}\.\d{2})$'::text))::double precision))::integer + 180) + 360) % 360))) stored,
  constraint users_pkey PRIMARY KEY (fid)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX users_by_custody ON social.users USING btree (custody_address);
CREATE INDEX users_by_display_name ON social.users USING btree (lower(display_name) text_pattern_ops) WHERE (display_name IS NOT NULL);
CREATE INDEX users_by_location ON social.users USING btree (geo_cell, latitude, longitude, fid) WHERE (geo_cell IS NOT NULL);
CREATE INDEX users_by_score ON social.users USING btree (score DESC, fid DESC) WHERE (score >= (0.9)::double precision);
CREATE INDEX users_by_similarity ON social.users USING gin (username gin_trgm_ops, lower(display_name) gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX users_by_twitter ON social.users USING btree (lower(twitter)) WHERE (twitter IS NOT NULL);
CREATE INDEX users_by_username ON social.users USING btree (username text_pattern_ops) WHERE (username IS NOT NULL);
CREATE INDEX users_by_words_of_username ON social.users USING gin (to_tsvector('simple'::regconfig, username)) WITH (fastupdate=off) WHERE (username IS NOT NULL);

create table social.verifications (
  fid bigint not null,
  address bytea not null,
  protocol smallint not null,
  ts bigint not null,
  signer bytea not null,
  constraint verifications_pkey PRIMARY KEY (fid, address)
);
CREATE INDEX verifications_by_address ON social.verifications USING btree (address);

create table social.verified_accounts (
  fid bigint not null,
  platform text not null,
  username text not null,
  verified_at bigint not null,
  constraint verified_accounts_pkey PRIMARY KEY (fid, platform),
  constraint verified_accounts_platform_check CHECK ((platform = ANY (ARRAY['x'::text, 'github'::text])))
);
CREATE INDEX verified_accounts_by_name ON social.verified_accounts USING btree (lower(username)) WHERE (platform = 'x'::text);

create table social.waiting_threads (
  hash bytea not null,
  fid bigint not null,
  waiting_since timestamp with time zone not null default now(),
  constraint waiting_threads_pkey PRIMARY KEY (hash)
);

create table subscriptions.subscribers (
  network text not null,
  contract bytea not null,
  account bytea not null,
  subscribed_at bigint not null,
  block bigint not null,
  constraint subscribers_pkey PRIMARY KEY (network, contract, account)
);
CREATE INDEX subscribers_by_account ON subscriptions.subscribers USING btree (account);
CREATE INDEX subscribers_by_time ON subscriptions.subscribers USING btree (network, contract, subscribed_at DESC, account);

create table sync.cursors (
  upstream text not null,
  shard smallint not null,
  next_id bigint not null,
  block_time bigint not null,
  constraint cursors_pkey PRIMARY KEY (upstream, shard)
) with (fillfactor=50);

create table sync.fids (
  fid bigint not null,
  backfilled_at timestamp with time zone,
  compared_at timestamp with time zone,
  reconcile_reason text,
  queued_at timestamp with time zone,
  constraint fids_pkey PRIMARY KEY (fid)
) with (fillfactor=80);
CREATE INDEX fids_by_comparison ON sync.fids USING btree (compared_at NULLS FIRST, fid);
CREATE INDEX fids_queued ON sync.fids USING btree (queued_at, fid) WHERE (reconcile_reason IS NOT NULL);
CREATE INDEX fids_to_fetch ON sync.fids USING btree (fid) WHERE (backfilled_at IS NULL);

create table sync.imports (
  name text not null,
  cursor text not null,
  imported_at timestamp with time zone not null default now(),
  constraint imports_pkey PRIMARY KEY (name)
);

create table sync.selected_users (
  fid bigint not null,
  reason text not null,
  via bigint not null default 0,
  constraint selected_users_pkey PRIMARY KEY (fid, reason, via),
  constraint selected_users_reason_check CHECK ((reason = ANY (ARRAY['configured'::text, 'channel'::text, 'follow'::text, 'interaction'::text])))
);
CREATE INDEX selected_users_by_via ON sync.selected_users USING btree (via) WHERE (via > 0);

create table tokens.balances (
  token_id integer not null,
  holder bytea not null,
  balance numeric not null,
  constraint balances_pkey PRIMARY KEY (token_id, holder) INCLUDE (balance),
  constraint balances_token_id_fkey FOREIGN KEY (token_id) REFERENCES tokens.tokens(id) ON DELETE CASCADE
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX balances_by_size ON tokens.balances USING btree (token_id, balance DESC, holder) WHERE (balance > (0)::numeric);

create table tokens.changes (
  network text not null,
  block bigint not null,
  token_id integer not null,
  holder bytea not null,
  amount numeric not null,
  constraint changes_pkey PRIMARY KEY (network, block, token_id, holder),
  constraint changes_token_id_fkey FOREIGN KEY (token_id) REFERENCES tokens.tokens(id) ON DELETE CASCADE
);

create table tokens.pools (
  network text not null,
  address bytea not null,
  token0_id integer not null,
  token1_id integer not null,
  constraint pools_pkey PRIMARY KEY (network, address),
  constraint pools_token0_id_fkey FOREIGN KEY (token0_id) REFERENCES tokens.tokens(id),
  constraint pools_token1_id_fkey FOREIGN KEY (token1_id) REFERENCES tokens.tokens(id)
);
CREATE INDEX pools_by_token0 ON tokens.pools USING btree (token0_id);
CREATE INDEX pools_by_token1 ON tokens.pools USING btree (token1_id);

create table tokens.tokens (
  id integer not null generated always as identity,
  network text not null,
  address bytea not null,
  name text not null,
  symbol text not null,
  decimals smallint not null,
  logo text,
  tracked_by text,
  is_dollar boolean not null default false,
  price_usd double precision,
  price_rank smallint,
  first_block bigint,
  live_from bigint,
  read_to bigint,
  requested_at timestamp with time zone not null default now(),
  holder_count integer,
  priced_at bigint,
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_network_address_key UNIQUE (network, address),
  constraint tokens_tracked_by_check CHECK ((tracked_by = ANY (ARRAY['operator'::text, 'request'::text])))
);
comment on column tokens.tokens.holder_count is 'Holders at the last count';
comment on column tokens.tokens.priced_at is 'Time of the trade that set the price, in Unix seconds';

create table tokens.trades (
  network text not null,
  block bigint not null,
  log_index integer not null,
  traded_at bigint not null,
  transaction_hash bytea not null,
  pool bytea not null,
  protocol_family text not null,
  protocol_version text not null,
  trader bytea not null,
  sold_id integer not null,
  sold numeric(78,0) not null,
  bought_id integer not null,
  bought numeric(78,0) not null,
  usd double precision,
  published boolean not null default false,
  constraint trades_pkey PRIMARY KEY (network, block, log_index),
  constraint trades_bought_id_fkey FOREIGN KEY (bought_id) REFERENCES tokens.tokens(id),
  constraint trades_sold_id_fkey FOREIGN KEY (sold_id) REFERENCES tokens.tokens(id)
);
CREATE INDEX trades_bought ON tokens.trades USING btree (bought_id, block DESC, log_index DESC);
CREATE INDEX trades_by_time ON tokens.trades USING btree (network, traded_at DESC);
CREATE INDEX trades_sold ON tokens.trades USING btree (sold_id, block DESC, log_index DESC);
CREATE INDEX trades_unpublished ON tokens.trades USING btree (network, block) WHERE (NOT published);

create table topics.casts (
  slug text not null,
  ts bigint not null,
  hash bytea not null,
  fid bigint not null,
  constraint casts_pkey PRIMARY KEY (slug, ts, hash),
  constraint casts_slug_fkey FOREIGN KEY (slug) REFERENCES topics.topics(slug) ON DELETE CASCADE
);

create table topics.descriptions (
  slug text not null,
  name text not null,
  top_level_topic text,
  summary text not null,
  described_at bigint not null,
  constraint descriptions_pkey PRIMARY KEY (slug)
);

create table topics.topics (
  slug text not null,
  name text not null,
  score double precision not null,
  top_level_topic text not null,
  summary text,
  author_fids bigint[] not null,
  constraint topics_pkey PRIMARY KEY (slug)
);
CREATE INDEX topics_by_score ON topics.topics USING btree (score DESC, slug);

create table webhooks.compacted_follows (
  shard smallint not null,
  event_id bigint not null,
  target_fids bigint[] not null,
  created_at timestamp with time zone not null default now(),
  constraint compacted_follows_pkey PRIMARY KEY (shard, event_id)
);

create table webhooks.deliveries (
  id uuid not null,
  seq bigint not null generated always as identity,
  webhook_id uuid not null,
  event_id text not null,
  state text not null default 'waiting'::text,
  worker uuid,
  attempts integer not null default 0,
  attempts_before integer not null default 0,
  next_attempt_at timestamp with time zone not null default now(),
  first_attempt_at timestamp with time zone,
  last_attempt_at timestamp with time zone,
  status integer,
  latency_ms integer,
  failure text,
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  response text,
  constraint deliveries_pkey PRIMARY KEY (id),
  constraint deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES webhooks.events(id),
  constraint deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sending'::text, 'delivered'::text, 'failed'::text, 'canceled'::text]))),
  constraint deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks.webhooks(id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE UNIQUE INDEX deliveries_by_event ON webhooks.deliveries USING btree (event_id, webhook_id);
CREATE INDEX deliveries_by_webhook ON webhooks.deliveries USING btree (webhook_id, seq);
CREATE INDEX deliveries_due ON webhooks.deliveries USING btree (webhook_id, next_attempt_at, seq) WHERE ((state = 'waiting'::text) AND (attempts > 0));
CREATE INDEX deliveries_finished ON webhooks.deliveries USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX deliveries_new ON webhooks.deliveries USING btree (webhook_id, seq) WHERE ((state = 'waiting'::text) AND (attempts = 0));
CREATE INDEX deliveries_sending ON webhooks.deliveries USING btree (worker) WHERE (state = 'sending'::text);
CREATE INDEX deliveries_undelivered ON webhooks.deliveries USING btree (webhook_id, seq) WHERE (state = ANY (ARRAY['failed'::text, 'canceled'::text]));

create table webhooks.events (
  id text not null,
  kind text not null,
  happened_at timestamp with time zone not null,
  detected_at timestamp with time zone not null,
  subject jsonb not null,
  data text,
  created_at timestamp with time zone not null default now(),
  traceparent text,
  constraint events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_by_age ON webhooks.events USING btree (created_at);

create table webhooks.lanes (
  webhook_id uuid not null,
  worker uuid,
  allowance double precision not null,
  counted_at timestamp with time zone not null default now(),
  held_until timestamp with time zone,
  failing_since timestamp with time zone,
  failures integer not null default 0,
  unsigned_since timestamp with time zone,
  failed_at timestamp with time zone,
  constraint lanes_pkey PRIMARY KEY (webhook_id),
  constraint lanes_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks.webhooks(id)
);
comment on column webhooks.lanes.unsigned_since is 'Since when no secret of the webhook could be decrypted; null after an attempt';
comment on column webhooks.lanes.failed_at is 'When the last attempt failed; tells how long nothing was attempted';
CREATE INDEX lanes_by_worker ON webhooks.lanes USING btree (worker) WHERE (worker IS NOT NULL);
CREATE INDEX lanes_unsigned ON webhooks.lanes USING btree (webhook_id) WHERE (unsigned_since IS NOT NULL);

create table webhooks.revision (
  one boolean not null default true,
  revision bigint not null default 0,
  constraint revision_pkey PRIMARY KEY (one),
  constraint revision_one_check CHECK (one)
);

create table webhooks.secrets (
  uid uuid not null default gen_random_uuid(),
  webhook_id uuid not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  constraint secrets_pkey PRIMARY KEY (uid),
  constraint secrets_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks.webhooks(id)
);
CREATE INDEX secrets_by_end ON webhooks.secrets USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX secrets_by_webhook ON webhooks.secrets USING btree (webhook_id, created_at);

create table webhooks.webhooks (
  id uuid not null default gen_random_uuid(),
  app_id uuid not null,
  title text not null,
  target_url text not null,
  active boolean not null default true,
  disabled_reason text,
  http_timeout_ms integer not null,
  rate_limit integer not null,
  rate_limit_ms integer not null,
  filters jsonb,
  digest bytea,
  subscription_id uuid not null default gen_random_uuid(),
  subscribed_at timestamp with time zone not null default now(),
  subscription_updated_at timestamp with time zone not null default now(),
  revision bigint not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  listener uuid,
  copied_from text,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps.apps(id)
);
CREATE UNIQUE INDEX webhooks_alike ON webhooks.webhooks USING btree (app_id, digest) WHERE (deleted_at IS NULL);
CREATE INDEX webhooks_by_app ON webhooks.webhooks USING btree (app_id, created_at) WHERE (deleted_at IS NULL);
CREATE INDEX webhooks_by_listener ON webhooks.webhooks USING btree (listener) WHERE ((listener IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX webhooks_by_revision ON webhooks.webhooks USING btree (revision);
CREATE UNIQUE INDEX webhooks_by_source ON webhooks.webhooks USING btree (app_id, copied_from) WHERE ((copied_from IS NOT NULL) AND (deleted_at IS NULL));

create table webhooks.workers (
  id uuid not null,
  alive_until timestamp with time zone not null,
  constraint workers_pkey PRIMARY KEY (id)
);
