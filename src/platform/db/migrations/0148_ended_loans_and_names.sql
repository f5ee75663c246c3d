-- Up Migration

-- The message that ended a loan of a pair, so that a copy of what another hub stored before does not bring the loan back
-- (docs/protocol.md §4.5). A table of its own: everything that reads loans and messages knows only those that last. A process of
-- the version before ends loans without a row here.
create table hub.ended_loans (
  -- The lender.
  fid bigint not null,
  -- Conflict key of the loan in `hub.messages`: the borrower.
  key bytea not null,
  -- Farcaster seconds.
  ts bigint not null,
  hash bytea not null,
  primary key (fid, key)
);

-- Names whose proof came without its message are checked as well. Names that were lost have the fid 0, like released ones.
drop index hub.username_proofs_to_check;
create index username_proofs_to_check on hub.username_proofs (checked_at nulls first) where type <> 1 and fid > 0;
comment on column hub.username_proofs.fid is
  '0 when the name was released, or no longer resolves to the owner in its proof: the row stays, so that an older transfer or the same proof cannot bring the name back';
