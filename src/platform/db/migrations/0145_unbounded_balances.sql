-- Up Migration

-- A contract may emit transfers of any amounts, so their sums have no limit: 9 transfers of 2^256 - 1 have 79 digits. This changes the
-- catalog and rewrites no row.
alter table tokens.balances alter column balance type numeric;
alter table tokens.changes alter column amount type numeric;
