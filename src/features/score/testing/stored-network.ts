import type { Database } from '../../../platform/db/connection.js'

/** Stores accounts with a full profile; numbered from 1 by default. */
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

/** Stores follows, `[fid, target, ts]` in Farcaster seconds. */
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

/** Stores `count` likes of different casts of `target` by `fid`. */
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

/** Stores casts with `ts` in Farcaster seconds and their embedded URLs. */
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
