import type { Database } from '../db/connection.js'
import type { Onlooker } from '../social/queries/casts-shown-to.js'

/** What a viewer has to do with the things of one page: everything that `viewer_context` says. */
export interface ViewerRelations {
  /** Whom the viewer follows, who follows the viewer, whom the viewer blocks, who blocks the viewer. */
  readonly following: ReadonlySet<number>
  readonly followers: ReadonlySet<number>
  readonly blocking: ReadonlySet<number>
  readonly blockers: ReadonlySet<number>
  /** Whom the viewer mutes. That is nobody's business, and only chooses what is shown. */
  readonly muting: ReadonlySet<number>
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
  muting: number[]
  liked: string[]
  recasted: string[]
  channels: string[]
  roles: Record<string, string>
}

/**
 * Loads all relations of a viewer to the things of a page, in one statement and one row.
 *
 * Each relation is looked up by a primary key, one by one: `limit 1` and `offset 0` keep the planner from reading all
 * that the viewer follows, is followed by or has reacted to instead, which costs more the longer the viewer is here
 * (25 casts: 0.12 ms, against 0.34 ms for a viewer with 260 reactions).
 */
export async function loadViewerRelations(
  db: Database,
  viewerFid: number,
  viewed: Viewed,
): Promise<ViewerRelations> {
  const fids = [...viewed.fids]
  const hashes = db.types.texts(viewed.hashes)
  const channelIds = db.types.texts(viewed.channelIds)
  const [row] = await db<RelationsRow[]>`
    with reacted as materialized (
      select seen.hash, r.type
      from unnest(${hashes}::text[]) as seen (hash)
      cross join lateral (
        select type from social.reactions
        where fid = ${viewerFid} and target_hash = decode(seen.hash, 'hex')
        offset 0
      ) r
    )
    select
      array(
        select seen.fid
        from unnest(${fids}::bigint[]) as seen (fid)
        cross join lateral (
          select from social.follows f where f.fid = ${viewerFid} and f.target_fid = seen.fid limit 1
        ) followed
      ) as following,
      array(
        select seen.fid
        from unnest(${fids}::bigint[]) as seen (fid)
        cross join lateral (
          select from social.follows f where f.fid = seen.fid and f.target_fid = ${viewerFid} limit 1
        ) follower
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
        select target_fid from relations.mutes
        where fid = ${viewerFid} and target_fid = any (${fids}::bigint[])
      ) as muting,
      array(select hash from reacted where type = 1) as liked,
      array(select hash from reacted where type = 2) as recasted,
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
    muting: new Set(relations.muting),
    liked: new Set(relations.liked),
    recasted: new Set(relations.recasted),
    channels: new Set(relations.channels),
    roles: new Map(Object.entries(relations.roles)),
  }
}

/** Whether a viewer is not to see the casts of one of the users that were looked at. */
export function isHiddenFrom(viewer: ViewerRelations, fid: number): boolean {
  return viewer.blocking.has(fid) || viewer.blockers.has(fid) || viewer.muting.has(fid)
}

/**
 * Who is not to be seen: whom the viewer mutes, whom it blocks, who blocks it, and whom the app bans. Skeletons leave
 * them out, so that pages stay full.
 */
export async function loadHiddenFids(db: Database, { viewerFid, banningAppId }: Onlooker): Promise<number[]> {
  if (viewerFid === undefined && banningAppId === undefined) return []
  const [viewer, app] = [viewerFid ?? null, banningAppId ?? null]
  const rows = await db<{ fid: number }[]>`
    select target_fid as fid from social.blocks where fid = ${viewer}::bigint
    union
    select fid from social.blocks where target_fid = ${viewer}::bigint
    union
    select target_fid from relations.mutes where fid = ${viewer}::bigint
    union
    select fid from relations.bans where app_id = ${app}::uuid
  `
  return rows.map((row) => row.fid)
}
