-- Up Migration

-- The order in which audiences are selected: a campaign whose selection has failed goes behind the others, of whatever app they
-- are. `campaigns_queued` stays for processes of the version before, and for the greatest `seq` of those that are queued.
create index campaigns_to_select on miniapps.campaigns (failures, seq) where state = 'queued';
