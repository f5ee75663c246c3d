import type { Database } from '../db/connection.js'

/** What a viewer has to do with the things of one page: everything that `viewer_context` says. */
export interface ViewerRelations {
  /** Whom the viewer follows, who follows the viewer, whom the viewer blocks, who blocks the viewer. */
  readonly following: ReadonlySet<number>
  readonly followers: ReadonlySet<number>
  readonly blocking: ReadonlySet<number>
  readonly blockers: ReadonlySet<number>
  /** Casts, in hex without 0x. */
  readonly liked: ReadonlySet<string>
  readonly recasted: ReadonlySet<string>
  /** Channels that the viewer follows, and the role that it has in them. */
  readonly channels: ReadonlySet<string>
  readonly roles: ReadonlyMap<string, string>
}

/** The things that are looked at. */
export interface Viewed {
  readonly fids: readonly number[]
  /** Lower-case hex without 0x. */
  readonly hashes: readonly string[]
  readonly channelIds: readonly string[]
}

interface RelationsRow {
  following: number[]
  followers: number[]
  blocking: number[]
  blockers: number[]
  liked: string[]
  recasted: string[]
  channels: string[]
  roles: Record<string, string>
}

/** Loads all relations of a viewer to the things of a page, in one statement and one row. */
export async function loadViewerRelations(
  db: Database,
  viewerFid: number,
  viewed: Viewed,
): Promise<ViewerRelations> {
  const fids = [...viewed.fids]
  const hashes = db.types.texts(viewed.hashes)
  const channelIds = db.types.texts(viewed.channelIds)
  const [row] = await db<RelationsRow[]>`
    select
      array(
        select target_fid from social.follows
        where fid = ${viewerFid} and target_fid = any (${fids}::bigint[])
      ) as following,
      array(
        select fid from social.follows
        where target_fid = ${viewerFid} and fid = any (${fids}::bigint[])
      ) as followers,
      array(
        select target_fid from social.blocks
        where fid = ${viewerFid} and target_fid = any (${fids}::bigint[])
      ) as blocking,
      array(
        select fid from social.blocks
        where target_fid = ${viewerFid} and fid = any (${fids}::bigint[])
      ) as blockers,
      array(
        select encode(r.target_hash, 'hex')
        from unnest(${hashes}::text[]) as asked (hash)
        join social.reactions r on r.target_hash = decode(asked.hash, 'hex') and r.type = 1 and r.fid = ${viewerFid}
      ) as liked,
      array(
        select encode(r.target_hash, 'hex')
        from unnest(${hashes}::text[]) as asked (hash)
        join social.reactions r on r.target_hash = decode(asked.hash, 'hex') and r.type = 2 and r.fid = ${viewerFid}
      ) as recasted,
      array(
        select channel_id from channels.follows
        where fid = ${viewerFid} and channel_id = any (${channelIds}::text[])
      ) as channels,
      coalesce(
        (
          select json_object_agg(id, role)
          from (
            select id, 'owner' as role from channels.channels
            where lead_fid = ${viewerFid} and id = any (${channelIds}::text[])
            union all
            select channel_id, role from channels.members m
            where fid = ${viewerFid} and channel_id = any (${channelIds}::text[])
              and not exists (select 1 from channels.channels c where c.id = m.channel_id and c.lead_fid = m.fid)
          ) held
        ),
        '{}'::json
      ) as roles
  `
  const relations = row!
  return {
    following: new Set(relations.following),
    followers: new Set(relations.followers),
    blocking: new Set(relations.blocking),
    blockers: new Set(relations.blockers),
    liked: new Set(relations.liked),
    recasted: new Set(relations.recasted),
    channels: new Set(relations.channels),
    roles: new Map(Object.entries(relations.roles)),
  }
}

/**
 * Whose casts a viewer is not to see: whom it mutes, whom it blocks and who blocks it. Skeletons leave them out,
 * so that pages stay full.
 */
export async function loadHiddenFids(db: Database, viewerFid: number | undefined): Promise<number[]> {
  if (viewerFid === undefined) return []
  const rows = await db<{ fid: number }[]>`
    select target_fid as fid from social.blocks where fid = ${viewerFid}
    union
    select fid from social.blocks where target_fid = ${viewerFid}
    union
    select target_fid from relations.mutes where fid = ${viewerFid}
  `
  return rows.map((row) => row.fid)
}
