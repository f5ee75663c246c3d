-- Up Migration

-- The text of a cast has no names: its mentions are fids at byte positions. The words of a cast have `zqm<fid>x` at the
-- position of each mention. A search replaces a name by these words, so that a new name needs no new index entries.
create function search.words_with_mentions(text text, mentions bigint[], positions integer[]) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  bytes bytea := convert_to(text, 'UTF8');
  result text := '';
  slice_start integer := 0;
  slice_end integer;
begin
  for i in 1 .. cardinality(mentions) loop
    slice_end := least(greatest(coalesce(positions[i], length(bytes)), slice_start), length(bytes));
    -- To the end of a character.
    while slice_end < length(bytes) and get_byte(bytes, slice_end) & 192 = 128 loop
      slice_end := slice_end + 1;
    end loop;
    result := result || convert_from(substring(bytes from slice_start + 1 for slice_end - slice_start), 'UTF8')
      || ' zqm' || mentions[i] || 'x ';
    slice_start := slice_end;
  end loop;
  return search.words_of(result || convert_from(substring(bytes from slice_start + 1), 'UTF8'));
end
$$;

drop index social.casts_by_words;
alter table social.casts drop column words;
alter table social.casts add column words tsvector not null
  generated always as (
    to_tsvector(
      'simple'::regconfig,
      case
        when mentions = '{}'::bigint[] then search.words_of(text)
        else search.words_with_mentions(text, mentions, mention_positions)
      end
    )
  ) stored;
create index casts_by_words on social.casts using gin (words);

create index users_by_words_of_username on social.users
  using gin (to_tsvector('simple'::regconfig, username)) with (fastupdate = off) where username is not null;

-- Words of recent casts, for searches that allow for differences in spelling.
create table search.vocabulary (
  word text primary key,
  casts integer not null
);
create index vocabulary_by_similarity on search.vocabulary using gist (word public.gist_trgm_ops);

-- Vectors of recent casts. `vector` has 4 bytes for each dimension (float, little-endian), `signs` a bit. A cast whose
-- text the model refuses has neither.
create table search.embeddings (
  hash bytea primary key,
  ts bigint not null,
  model text not null,
  signs bit varying,
  vector bytea
);
create index embeddings_by_time on search.embeddings (ts desc, hash desc);

-- Down Migration

drop table search.embeddings;
drop table search.vocabulary;
drop index social.users_by_words_of_username;
drop index social.casts_by_words;
alter table social.casts drop column words;
alter table social.casts add column words tsvector not null
  generated always as (to_tsvector('simple'::regconfig, search.words_of(text))) stored;
create index casts_by_words on social.casts using gin (words);
drop function search.words_with_mentions;
