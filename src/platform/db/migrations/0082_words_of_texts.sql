-- Up Migration

-- A text as its words are to be found, whatever the locale of the database: in one of C, PostgreSQL takes everything
-- beyond ASCII for a letter, so that “soil” in such quotes would be another word; in others it has no word for an emoji.
-- Signs become spaces, each emoji a word of its own at the end, and characters of scripts that put no space between
-- words stand alone, so that a phrase of them is found anywhere. `cast-search-terms.ts` does the same with what is
-- searched for.
create function search.words_of(text text) returns text
language sql immutable strict parallel safe
as $$
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
$$;

drop index social.casts_by_words;
alter table social.casts drop column words;
alter table social.casts add column words tsvector not null
  generated always as (to_tsvector('simple'::regconfig, search.words_of(text))) stored;
create index casts_by_words on social.casts using gin (words);

-- Down Migration

drop index social.casts_by_words;
alter table social.casts drop column words;
alter table social.casts add column words tsvector not null
  generated always as (to_tsvector('simple'::regconfig, text)) stored;
create index casts_by_words on social.casts using gin (words);
drop function search.words_of;
