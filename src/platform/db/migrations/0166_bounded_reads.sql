-- Up Migration

-- Names that must be checked are looked for every minute: there are seldom any among all names.
create index username_proofs_due on hub.username_proofs (checked_at nulls first) where must_check and type <> 1 and fid > 0;

-- An opened notification looks for the batch of its user: of the ten thousand of a campaign to a million all were read.
create index batches_by_ends on miniapps.batches (campaign_id, client_fid, (fids[1]), (fids[cardinality(fids)]));
