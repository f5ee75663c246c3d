import type { Database } from '../../platform/db/connection.js'

/** References in a cast request that need a lookup. */
export interface ReferenceQuery {
  readonly usernames: readonly string[]
  /** Casts by hash. */
  readonly hashes: readonly Buffer[]
  readonly channelId: string | null
}

/** A stored cast. */
export interface ReferencedCast {
  readonly fid: number
  readonly rootParentUrl: string | null
}

/** A channel and all of its URLs. */
export interface ReferencedChannel {
  readonly parentUrl: string
  readonly urls: readonly string[]
}

/** The resolved references. */
export interface CastReferences {
  /** By the username shown for the user. */
  readonly fidByName: ReadonlyMap<string, number>
  /** By hash, in lowercase hex. */
  readonly casts: ReadonlyMap<string, ReferencedCast>
  readonly channel: ReferencedChannel | null
}

interface ReferencesRow {
  users: { username: string; fid: number }[]
  casts: ({ hash: string } & ReferencedCast)[]
  channel: ReferencedChannel | null
}

const noReferences: CastReferences = { fidByName: new Map(), casts: new Map(), channel: null }

/** Resolves all references with one statement; with none for a cast without references. */
export async function loadCastReferences(db: Database, query: ReferenceQuery): Promise<CastReferences> {
  const { usernames, hashes, channelId } = query
  if (usernames.length === 0 && hashes.length === 0 && channelId === null) return noReferences
  const [row] = await db<ReferencesRow[]>`
    select
      array_to_json(array(
        select json_build_object('username', username, 'fid', min(fid))
        from social.users
        where username = any (${db.types.texts(usernames)}::text[])
        group by username
      )) as users,
      array_to_json(array(
        select json_build_object('hash', encode(hash, 'hex'), 'fid', fid, 'rootParentUrl', root_parent_url)
        from social.casts
        where hash = any (${db.types.byteas(hashes)}::bytea[])
      )) as casts,
      (
        select json_build_object(
          'parentUrl', c.parent_url,
          'urls', array(select u.url from channels.urls u where u.channel_id = c.id)
        )
        from channels.channels c
        where c.id = ${channelId}
      ) as channel
  `
  if (!row) return noReferences
  return {
    fidByName: new Map(row.users.map(({ username, fid }) => [username, fid])),
    casts: new Map(row.casts.map(({ hash, ...cast }) => [hash, cast])),
    channel: row.channel,
  }
}
