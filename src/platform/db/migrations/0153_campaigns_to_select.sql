-- Up Migration

-- The order in which audiences are selected: a campaign whose selection has failed goes behind the others, of whatever app they
-- are. `campaigns_queued` stays for processes of the version before, and for the greatest `seq` of those that are queued.
-- A selection holds the lock of a read first, and then that of a write: it has to end before this and 0154, or begin after them.
lock table miniapps.campaigns in access exclusive mode;
create index campaigns_to_select on miniapps.campaigns (failures, seq) where state = 'queued';
