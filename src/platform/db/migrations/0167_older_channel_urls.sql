-- Up Migration

-- Both forms of a channel's own URL are its casts' (docs/protocol.md §7.1).
insert into channels.urls (url, channel_id)
select form.url, c.id
from channels.channels c
cross join lateral (
  values ('https://farcaster.xyz/~/channel/' || c.id), ('https://warpcast.com/~/channel/' || c.id)
) form (url)
where exists (
  select from channels.urls u
  where u.channel_id = c.id
    and u.url in ('https://farcaster.xyz/~/channel/' || c.id, 'https://warpcast.com/~/channel/' || c.id)
)
on conflict do nothing;
