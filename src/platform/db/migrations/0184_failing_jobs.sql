-- Up Migration

-- Null: written by an earlier version, whose times tell. They do not after the clock was set back.
alter table app.job_runs add column is_failing boolean;
comment on column app.job_runs.is_failing is 'Whether the newest run failed; false while it runs';
