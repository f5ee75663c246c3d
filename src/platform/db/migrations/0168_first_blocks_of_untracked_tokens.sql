-- Up Migration

-- A token that is tracked again may have another first block.
update tokens.tokens set first_block = null where tracked_by is null and first_block is not null;
