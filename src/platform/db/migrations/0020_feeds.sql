-- Up Migration

-- Feeds read the newest of everything up to a bound: social/queries/feeds-*.ts.
create index recasts_by_time on social.reactions (ts desc, target_hash desc) include (fid, target_fid) where type = 2;
create index url_embeds_by_age on social.url_embeds (ts desc, hash desc);
-- Bytewise, for prefixes.
create index url_embeds_by_prefix on social.url_embeds (url text_pattern_ops);
create index urls_by_kind on embeds.urls (kind) where kind is not null;

-- Down Migration

drop index embeds.urls_by_kind;
drop index social.url_embeds_by_prefix;
drop index social.url_embeds_by_age;
drop index social.recasts_by_time;
