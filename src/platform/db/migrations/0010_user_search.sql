-- Up Migration

-- Likeness of names. PostgreSQL ships it, some systems in a package of its own (postgresql-contrib).
do $$
begin
  create extension if not exists pg_trgm with schema public;
exception when others then
  raise exception 'Plaza needs the PostgreSQL extension pg_trgm, and could not create it: %. '
    'Install postgresql-contrib, or have an administrator run: create extension pg_trgm', sqlerrm;
end
$$;

create index users_by_display_name on social.users (lower(display_name) text_pattern_ops)
where display_name is not null;

-- Without fastupdate: every search would read the list of what is pending, from end to end.
create index users_by_likeness on social.users
using gin (username public.gin_trgm_ops, lower(display_name) public.gin_trgm_ops)
with (fastupdate = off);

create schema search;

-- Who is best known among those whose name begins with a prefix that hundreds begin with: src/graph/project/search-prefix-lists.ts.
-- kind: 0 by username, 1 by display name. Rarer prefixes are not here: their users are read as they stand.
create table search.leaders (
  kind smallint not null,
  prefix text not null,
  fid bigint not null,
  primary key (kind, prefix, fid)
);

-- The best known users of a large network: likeness is looked for among them. Empty for a small network.
create table search.known (
  fid bigint primary key,
  username text,
  display_name text
);

create index known_by_likeness on search.known
using gin (username public.gin_trgm_ops, display_name public.gin_trgm_ops)
with (fastupdate = off);

create table search.runs (
  id bigint generated always as identity primary key,
  -- Unix milliseconds.
  finished_at bigint not null,
  users bigint not null
);

-- Down Migration

drop schema search cascade;
drop index social.users_by_likeness;
drop index social.users_by_display_name;
