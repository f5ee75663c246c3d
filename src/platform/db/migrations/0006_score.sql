-- Up Migration

create schema score;

-- One row per completed computation of social.users.score: by it several processes agree when the next is due.
create table score.runs (
  id bigint generated always as identity primary key,
  -- Unix milliseconds.
  started_at bigint not null,
  finished_at bigint not null,
  users integer not null,
  edges bigint not null,
  changed integer not null
);

-- Down Migration

drop schema score cascade;
