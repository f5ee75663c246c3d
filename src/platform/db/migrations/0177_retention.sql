-- Up Migration

-- Secrets that have ended, and rankings of casts that are out of date, are deleted by age.
create index secrets_by_end on webhooks.secrets (expires_at) where expires_at is not null;
create index popular_cast_runs_by_age on search.popular_cast_runs (ranked_at);
