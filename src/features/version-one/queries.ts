import { cursorRow, type FeedPageRequest } from '../../graph/query/feeds.js'
import { type Viewer, visibilityFilter } from '../../graph/query/visibility-filter.js'
import type { Database } from '../../platform/db/connection.js'
import { reactionKey } from '../../protocol/kinds/reaction.js'
import { MessageSet } from '../../protocol/message-kind.js'

/** A user who reacted to a cast. */
interface ReactorName {
  readonly fid: number
  readonly username: string | null
}

/** The newest reactors of a cast. */
export interface CastReactors {
  readonly likes: readonly ReactorName[]
  readonly recasts: readonly ReactorName[]
}

/** Reactors of a cast that version 1 names, of each kind. */
const SHOWN_REACTORS = 25

/**
 * Reads the newest reactors of casts, by hash.
 *
 * @param hashes Lowercase hex without 0x.
 */
export async function readCastReactors(
  db: Database,
  hashes: readonly string[],
  viewer: Viewer,
): Promise<Map<string, CastReactors>> {
  if (hashes.length === 0) return new Map()
  const rows = await db<({ hash: string } & CastReactors)[]>`
    select encode(c.hash, 'hex') as hash, ${newest(1)} as likes, ${newest(2)} as recasts
    from social.casts c
    where c.hash = any (array(select decode(h, 'hex') from unnest(${db.types.texts(hashes)}::text[]) h))
  `
  return new Map(rows.map(({ hash, likes, recasts }) => [hash, { likes, recasts }]))

  function newest(type: number) {
    return db`(
      select coalesce(json_agg(json_build_object('fid', n.fid, 'username', u.username) order by n.ts desc, n.fid desc), '[]')
      from (
        select r.fid, r.ts
        from social.reactions r
        where r.target_hash = c.hash and r.target_fid = c.fid and r.type = ${type}
          and ${visibilityFilter(db, viewer, 'r.fid')}
        order by r.ts desc, r.fid desc
        limit ${SHOWN_REACTORS}
      ) n
      join social.users u using (fid)
    )`
  }
}

/** A reaction to a stored cast. */
export interface ReactionName {
  readonly fid: number
  readonly type: number
  /** The cast: its author, and its hash as lowercase hex without 0x. */
  readonly castFid: number
  readonly castHash: string
}

/** Reads the hashes of the messages of reactions, in their order: hex without 0x, null where one is gone. */
export async function readReactionHashes(
  db: Database,
  reactions: readonly ReactionName[],
): Promise<(string | null)[]> {
  const keys = reactions.map(({ type, castFid, castHash }) =>
    reactionKey({ type, targetCastId: { fid: castFid, hash: Buffer.from(castHash, 'hex') } }),
  )
  const rows = await db<{ hash: string | null }[]>`
    select encode(m.hash, 'hex') as hash
    from unnest(${reactions.map(({ fid }) => fid)}::bigint[], ${db.types.byteas(keys)}::bytea[])
      with ordinality as r (fid, key, position)
    left join hub.messages m on m.fid = r.fid and m.set = ${MessageSet.reactions} and m.key = r.key
    order by r.position
  `
  return rows.map(({ hash }) => hash)
}

/** Reads the casts of the network, newest first. */
export async function readRecentCasts(
  db: Database,
  pageRequest: FeedPageRequest,
): Promise<{ ts: number; hash: string }[]> {
  return await db<{ ts: number; hash: string }[]>`
    select c.ts, encode(c.hash, 'hex') as hash
    from social.casts c
    where (c.ts, c.hash) < ${cursorRow(db, pageRequest)} and ${visibilityFilter(db, pageRequest, 'c.fid')}
    order by c.ts desc, c.hash desc
    limit ${pageRequest.count}
  `
}

/** A longer thread is cut off: version 1 has no pages for it. */
const MAX_THREAD = 500

/** Reads the hashes of the casts of a thread, oldest first. */
export async function readThread(db: Database, threadHash: string, viewer: Viewer): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash
    from social.casts c
    where c.thread_hash = decode(${threadHash}, 'hex') and ${visibilityFilter(db, viewer, 'c.fid')}
    order by c.ts, c.hash
    limit ${MAX_THREAD}
  `
  return rows.map(({ hash }) => hash)
}

/** Reads fids, latest registered first. Fids are given out in order. */
export async function readRecentFids(
  db: Database,
  { hidden, before, limit }: { hidden: readonly number[]; before: number; limit: number },
): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select u.fid
    from social.users u
    where u.fid < ${before}::bigint and u.fid <> all (${[...hidden]}::bigint[])
    order by u.fid desc
    limit ${limit}
  `
  return rows.map(({ fid }) => fid)
}
