-- Up Migration

-- The client of a token that names none is found by the host of its URL, by an event that anyone with a key may send again and
-- again: without these it read all tokens of the app.
create index tokens_by_client_host on miniapps.tokens (app_id, client_fid, lower(substring(url from '://([^/?#]+)')));
create index tokens_by_host on miniapps.tokens (app_id, lower(substring(url from '://([^/?#]+)'))) where client_fid <> 0;
