-- Up Migration

-- Claims step from host to host through what is due. Hosts whose URLs all wait for a retry are passed over: there may be any number
-- of made-up ones. A new URL is due at once. Until it is claimed, what waited before this migration costs a step, as it did; so does what
-- a process of the version before puts off.
alter table embeds.urls add column due boolean not null default true;
comment on column embeds.urls.due is
  'Whether a claim looks at it: set once next_attempt_at has passed, cleared by the claim';

-- `urls_waiting` stays for processes of the version before.
create index urls_due_by_host on embeds.urls (host, next_attempt_at) where state = 'pending' and due;
create index urls_put_off on embeds.urls (next_attempt_at) where state = 'pending' and not due;
