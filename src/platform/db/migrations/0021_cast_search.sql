-- Up Migration

-- The words of a cast. Stored, because finding the newest of many looks at the words of each. Without a language:
-- casts are in all of them.
alter table social.casts add column words tsvector not null
  generated always as (to_tsvector('simple'::regconfig, text)) stored;

create index casts_by_words on social.casts using gin (words);

-- Down Migration

drop index social.casts_by_words;
alter table social.casts drop column words;
