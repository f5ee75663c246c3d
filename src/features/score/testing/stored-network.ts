import type { Database } from '../../../platform/db/connection.js'

/** Puts accounts with a full profile into the read model; numbers from 1 unless told. */
export async function storeUsers(
  db: Database,
  fids: readonly number[],
  registeredAt: ArrayLike<number>,
): Promise<void> {
  await db`
    insert into social.users (fid, custody_address, registered_at, username, display_name, pfp_url, bio)
    select fid, ''::bytea, registered_at, 'user' || fid, 'User', 'https://example.org/face.png', 'A person'
    from unnest(${fids}::bigint[], ${Array.from(registeredAt)}::bigint[]) as users (fid, registered_at)
  `
}

/** Follows, `[fid, target, ts]` with Farcaster seconds. */
export async function storeFollows(
  db: Database,
  follows: readonly (readonly [fid: number, target: number, ts: number])[],
): Promise<void> {
  await db`
    insert into social.follows (fid, target_fid, ts, signer)
    select fid, target_fid, ts, ''::bytea
    from unnest(
      ${follows.map(([fid]) => fid)}::bigint[],
      ${follows.map(([, target]) => target)}::bigint[],
      ${follows.map(([, , ts]) => ts)}::bigint[]
    ) as follows (fid, target_fid, ts)
    on conflict do nothing
  `
}

/** `count` likes of different casts by `fid` to `target`. */
export async function storeLikes(
  db: Database,
  likes: readonly (readonly [fid: number, target: number, count: number])[],
): Promise<void> {
  await db`
    insert into social.reactions (fid, type, target_hash, target_fid, ts, signer)
    select fid, 1, int8send(target_fid) || int8send(number), target_fid, 0, ''::bytea
    from unnest(
      ${likes.map(([fid]) => fid)}::bigint[],
      ${likes.map(([, target]) => target)}::bigint[],
      ${likes.map(([, , count]) => count)}::bigint[]
    ) as likes (fid, target_fid, count), generate_series(1, count) as number
    on conflict do nothing
  `
}

/** Casts, each of one account, with `ts` in Farcaster seconds and the URLs that they embed. */
export async function storeCasts(
  db: Database,
  casts: readonly { fid: number; text: string; ts: number; urls?: readonly string[] }[],
): Promise<void> {
  const embeds = casts.map(({ urls = [] }) => JSON.stringify(urls.map((url) => ({ url }))))
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select int8send(number), fid, ts, text, int8send(number), embeds::jsonb, '{}', '{}', ''::bytea
    from unnest(
      ${casts.map(({ fid }) => fid)}::bigint[],
      ${casts.map(({ ts }) => ts)}::bigint[],
      ${db.types.texts(casts.map(({ text }) => text))}::text[],
      ${db.types.texts(embeds)}::text[]
    ) with ordinality as casts (fid, ts, text, embeds, number)
  `
}
