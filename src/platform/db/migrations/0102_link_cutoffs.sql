-- Up Migration

-- What older messages have ended for the targets of a link compact state: links up to this second are void, in whatever
-- order they arrive (docs/protocol.md §4.3.1).
create table hub.link_cutoffs (
  fid bigint not null,
  -- Conflict key of the compact state in `hub.messages`.
  key bytea not null,
  -- Farcaster seconds by target fid.
  cutoffs jsonb not null,
  primary key (fid, key)
);

-- Down Migration

drop table hub.link_cutoffs;
